import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../../../src/app/event-loop.ts';
import { groupOf, type Outcome, type Submission } from '../../../../src/app/log/submission.ts';
import type { BatchWriter, Latecomers } from '../../../../src/app/ports/batch-writer.ts';
import {
  CommandProcessor,
  type ProcessorOptions,
} from '../../../../src/app/write/command-processor.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';

/** A command that can be told from all others. */
function submission(number: number): Submission {
  const command = { type: 'CancelOrder', orderId: BigInt(number) as OrderId } as const;
  return { command, by: 'alice', commandId: `${number}` };
}

/** The same, under an idempotency key. */
const keyed = (number: number): Submission => ({ ...submission(number), idempotencyKey: 'k' });

/** An outcome that tells which command it belongs to. */
const done = (number: number): Outcome => {
  return { kind: 'accepted', orderId: BigInt(number) as OrderId, version: 1, position: 1 };
};
const outcomesOf = (batch: readonly Submission[]) => {
  return batch.map(({ commandId }) => done(Number(commandId)));
};

/** A writer that holds each batch until the test says what becomes of it. */
class HeldWriter implements BatchWriter {
  readonly batches: number[][] = [];
  takesMore = false;
  readonly #held: { batch: number[]; outcomes: PromiseWithResolvers<readonly Outcome[]> }[] = [];
  #latecomers: Latecomers = () => [];
  #arrived = Promise.withResolvers<void>();

  execute(asked: readonly Submission[], latecomers: Latecomers): Promise<readonly Outcome[]> {
    const batch = asked.map(({ commandId }) => Number(commandId));
    const outcomes = Promise.withResolvers<readonly Outcome[]>();
    this.batches.push(batch);
    this.#held.push({ batch, outcomes });
    this.#latecomers = latecomers;
    this.#arrived.resolve();
    return outcomes.promise;
  }

  /** Resolves when a batch is held that was not before. */
  async arrival(): Promise<void> {
    await this.#arrived.promise;
    this.#arrived = Promise.withResolvers();
  }

  /** Lets those that have come meanwhile join the batch that is held. */
  join(): void {
    this.batches.at(-1)?.push(...this.#latecomers().map(({ commandId }) => Number(commandId)));
  }

  /** Says what becomes of the batch that it has held for longest. */
  finish(outcomes?: readonly Outcome[]): void {
    const first = this.#held.shift();
    first?.outcomes.resolve(outcomes ?? first.batch.map(done));
  }

  fail(error: Error): void {
    this.#held.shift()?.outcomes.reject(error);
  }
}

function processorOn(
  writer: BatchWriter,
  {
    busy = () => 0,
    ...options
  }: Omit<ProcessorOptions, 'utilization'> & { busy?: () => number } = {},
) {
  const stops: string[] = [];
  const processor = new CommandProcessor(writer, (cause) => stops.push(cause), {
    ...options,
    utilization: busy,
  });
  const submit = (...numbers: number[]) => {
    return Promise.all(numbers.map((number) => processor.submit(submission(number))));
  };
  return { processor, submit, stops };
}

describe('the queue of commands', () => {
  it('makes one batch of all commands that arrive together', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    const outcomes = submit(1, 2, 3);
    await writer.arrival();
    writer.finish();
    expect(await outcomes).toStrictEqual([done(1), done(2), done(3)]);
    expect(writer.batches).toStrictEqual([[1, 2, 3]]);
  });

  it('makes the next batch of all commands that arrive while one is being recorded', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    const first = submit(1);
    await writer.arrival();
    const others = [submit(2), submit(3, 4), submit(5)];
    expect(writer.batches).toStrictEqual([[1]]);
    writer.finish();
    await first;
    await writer.arrival();
    expect(writer.batches).toStrictEqual([[1], [2, 3, 4, 5]]);
    writer.finish();
    expect((await Promise.all(others)).flat()).toStrictEqual([2, 3, 4, 5].map(done));
  });

  it('counts the commands that are in no batch yet', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    const first = submit(1);
    await writer.arrival();
    const others = submit(2, 3);
    expect(processor.waiting.length).toBe(2);
    writer.finish();
    await first;
    await writer.arrival();
    expect(processor.waiting.length).toBe(0);
    writer.finish();
    await others;
  });

  it('works again after it has been empty', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    for (const number of [1, 2]) {
      const outcome = submit(number);
      await writer.arrival();
      writer.finish();
      expect(await outcome).toStrictEqual([done(number)]);
    }
    expect(writer.batches).toStrictEqual([[1], [2]]);
  });

  it('makes batches of 1,024 commands at most', async () => {
    const { submit } = processorOn({ execute: async (batch) => outcomesOf(batch) });
    const sizes: number[] = [];
    const counting = processorOn({
      async execute(batch) {
        sizes.push(batch.length);
        return outcomesOf(batch);
      },
    });
    const numbers = Array.from({ length: 2_500 }, (_, number) => number);
    expect(await counting.submit(...numbers)).toStrictEqual(await submit(...numbers));
    expect(sizes).toStrictEqual([1_024, 1_024, 452]);
  });

  it.each([
    // How busy it is; commands at first, and others while the first batch is recorded; the batches.
    ['a thread that has more to do than the log', 0.51, 64, 0, [32, 32]],
    ['the same, when others have come meanwhile', 0.51, 64, 21, [32, 43, 10]],
    ['the same with few commands', 0.51, 15, 0, [15]],
    ['the same with just enough of them', 0.51, 16, 0, [8, 8]],
    ['an odd number of them', 0.51, 17, 0, [9, 8]],
    ['more than a batch may hold', 1, 3_000, 0, [1_024, 1_024, 952]],
    ['a log that has more to do than the thread', 0.5, 64, 0, [64]],
    ['the same, when others have come meanwhile', 0.5, 64, 21, [64, 21]],
  ])('shares its work out: %s', async (_, busy, first, then, sizes) => {
    const writer = new HeldWriter();
    const { submit, processor } = processorOn(writer, { busy: () => busy });
    const numbers = Array.from({ length: first + then }, (_, number) => number);
    const outcomes = [submit(...numbers.slice(0, first))];
    for (const _ of sizes) {
      await writer.arrival();
      if (writer.batches.length === 1) outcomes.push(submit(...numbers.slice(first)));
      writer.finish();
    }
    expect((await Promise.all(outcomes)).flat()).toStrictEqual(numbers.map(done));
    await processor.drained();
    expect(writer.batches.map(({ length }) => length)).toStrictEqual(sizes);
    expect(writer.batches.flat()).toStrictEqual(numbers);
  });

  it('lets later commands join a batch that had to wait, after the others', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    const outcomes = [submit(1, 2)];
    await writer.arrival();
    writer.join();
    outcomes.push(submit(3, 4));
    writer.join();
    outcomes.push(submit(5));
    writer.join();
    writer.finish();
    expect((await Promise.all(outcomes)).flat()).toStrictEqual([1, 2, 3, 4, 5].map(done));
    expect(writer.batches).toStrictEqual([[1, 2, 3, 4, 5]]);
  });

  it('lets no command with an idempotency key join, and none after it', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    const outcomes = [submit(1)];
    await writer.arrival();
    outcomes.push(submit(2), Promise.all([processor.submit(keyed(3))]), submit(4));
    writer.join();
    expect(writer.batches).toStrictEqual([[1, 2]]);
    writer.join();
    writer.finish();
    await writer.arrival();
    writer.finish();
    expect((await Promise.all(outcomes)).flat()).toStrictEqual([1, 2, 3, 4].map(done));
    expect(writer.batches).toStrictEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('lets no more join than a batch may hold', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    const numbers = Array.from({ length: 1_030 }, (_, number) => number);
    const outcomes = [submit(...numbers.slice(0, 10))];
    await writer.arrival();
    outcomes.push(submit(...numbers.slice(10)));
    writer.join();
    writer.finish();
    await writer.arrival();
    writer.finish();
    expect((await Promise.all(outcomes)).flat()).toStrictEqual(numbers.map(done));
    expect(writer.batches.map(({ length }) => length)).toStrictEqual([1_024, 6]);
  });

  it('adds no command to a batch that is decided at once, and does not halve one that had to wait', async () => {
    const writer = new HeldWriter();
    const execute = writer.execute.bind(writer);
    let isAtOnce = true;
    writer.execute = (batch, latecomers) => {
      const executed = execute(batch, latecomers);
      if (isAtOnce) writer.join();
      return executed;
    };
    const { submit } = processorOn(writer, { busy: () => 1 });
    const numbers = Array.from({ length: 256 }, (_, number) => number);
    const outcomes = [submit(...numbers.slice(0, 64))];
    await writer.arrival();
    isAtOnce = false;
    writer.finish();
    await writer.arrival();
    // This one has to wait, so that the next is whole; which is decided at once again.
    writer.join();
    outcomes.push(submit(...numbers.slice(64, 128)));
    isAtOnce = true;
    writer.finish();
    await writer.arrival();
    outcomes.push(submit(...numbers.slice(128)));
    writer.finish();
    await writer.arrival();
    writer.finish();
    await writer.arrival();
    writer.finish();
    expect((await Promise.all(outcomes)).flat()).toStrictEqual(numbers.map(done));
    expect(writer.batches.map(({ length }) => length)).toStrictEqual([32, 32, 64, 96, 32]);
  });

  describe('before a writer that takes a second batch', () => {
    const range = (from: number, to: number) => {
      return Array.from({ length: to - from }, (_, index) => from + index);
    };
    const turns = async () => {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    };
    function given({ busy = 1, takesMore = true } = {}) {
      const writer = new HeldWriter();
      writer.takesMore = takesMore;
      return { writer, ...processorOn(writer, { busy: () => busy }) };
    }

    it('sends a second batch after the one in flight, and no third', async () => {
      const { writer, submit } = given();
      const first = submit(...range(0, 16));
      const second = submit(...range(16, 32));
      await turns();
      expect(writer.batches).toStrictEqual([range(0, 16), range(16, 32)]);
      const third = submit(...range(32, 64));
      await turns();
      expect(writer.batches.length).toBe(2);
      writer.finish();
      expect(await first).toStrictEqual(range(0, 16).map(done));
      await turns();
      expect(writer.batches.slice(2)).toStrictEqual([range(32, 64)]);
      writer.finish();
      expect(await second).toStrictEqual(range(16, 32).map(done));
      writer.finish();
      expect(await third).toStrictEqual(range(32, 64).map(done));
    });

    it('waits until as many commands wait as are in flight', async () => {
      const { writer, processor, submit } = given();
      const outcomes = [submit(...range(0, 33))];
      await turns();
      expect(writer.batches).toStrictEqual([range(0, 17)]);
      outcomes.push(submit(33));
      // Whoever comes in the same turn comes along.
      outcomes.push(submit(34));
      await turns();
      expect(writer.batches).toStrictEqual([range(0, 17), range(17, 35)]);
      writer.finish();
      writer.finish();
      expect((await Promise.all(outcomes)).flat()).toStrictEqual(range(0, 35).map(done));
      await processor.drained();
    });

    it('holds back commands with an idempotency key, and those after them', async () => {
      const { writer, processor, submit } = given();
      const outcomes = [
        submit(...range(0, 40)),
        Promise.all([processor.submit(keyed(40))]),
        submit(...range(41, 60)),
      ];
      await turns();
      expect(writer.batches).toStrictEqual([range(0, 30), range(30, 40)]);
      writer.finish();
      await turns();
      // They could follow by their number, but must not.
      expect(writer.batches.length).toBe(2);
      for (const _ of range(0, 4)) {
        writer.finish();
        await turns();
      }
      expect((await Promise.all(outcomes)).flat()).toStrictEqual(range(0, 60).map(done));
      expect(writer.batches[2]).toStrictEqual(range(40, 55));
    });

    it.each([
      ['while the writer takes none', { takesMore: false }],
      ['where the log has more to do than this thread', { busy: 0.5 }],
    ])('sends none %s', async (_, how) => {
      const { writer, submit } = given(how);
      const outcomes = [submit(...range(0, 32))];
      await turns();
      outcomes.push(submit(...range(32, 200)));
      await turns();
      expect(writer.batches.length).toBe(1);
      for (const _ of range(0, 8)) {
        writer.finish();
        await turns();
      }
      expect((await Promise.all(outcomes)).flat()).toStrictEqual(range(0, 200).map(done));
    });

    it('checks again if the writer accepts a second batch when it is to be sent', async () => {
      const { writer, submit } = given();
      const outcomes = submit(...range(0, 32));
      await writer.arrival();
      // A second one is about to be sent by now.
      writer.takesMore = false;
      await turns();
      expect(writer.batches.length).toBe(1);
      writer.finish();
      await turns();
      writer.finish();
      expect(await outcomes).toStrictEqual(range(0, 32).map(done));
    });
  });

  it('refuses further commands when 16,384 wait, and keeps those', async () => {
    // Time stands still: on a busy machine the first of so many would be too old before the last has come.
    const writer = { execute: async (batch: readonly Submission[]) => outcomesOf(batch) };
    const { submit } = processorOn(writer, { elapsed: () => 0 });
    const numbers = Array.from({ length: 16_386 }, (_, number) => number);
    const outcomes = await submit(...numbers);
    const busy = { kind: 'unavailable', cause: 'too many commands are waiting' };
    expect(outcomes.slice(16_384)).toStrictEqual([busy, busy]);
    expect(outcomes.slice(0, 16_384)).toStrictEqual(numbers.slice(0, 16_384).map(done));
    expect(await submit(1)).toStrictEqual([done(1)]);
  });

  it('lets other work give way to the batch in flight, and to no later one', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    await processor.giveWay();
    const told: string[] = [];
    const first = submit(1).then(() => told.push('first'));
    await writer.arrival();
    const second = submit(2).then(() => told.push('second'));
    const given = processor.giveWay().then(() => told.push('given'));
    writer.finish();
    await Promise.all([first, given]);
    expect(told).not.toContain('second');
    await writer.arrival();
    writer.finish();
    await second;
    await processor.giveWay();
  });

  it('lets other work give way for a limited time', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    const outcome = submit(1);
    await writer.arrival();
    const begun = performance.now();
    await processor.giveWay();
    expect(performance.now() - begun).toBeGreaterThan(4);
    writer.finish();
    expect(await outcome).toStrictEqual([done(1)]);
  });

  it('is drained when every command has its outcome', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    await processor.drained();
    const told: string[] = [];
    const outcomes = submit(1).then(() => told.push('outcome'));
    const drained = processor.drained().then(() => told.push('drained'));
    await writer.arrival();
    writer.finish();
    await Promise.all([outcomes, drained]);
    expect(told).toStrictEqual(['outcome', 'drained']);
  });

  it.each([
    ['one batch', 1],
    ['two batches', 2],
  ])(
    'gives every command its own outcome, %s at a time, however things interleave',
    async (_, most) => {
      const bursts = fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), bursts, async (scheduler, sizes) => {
          let underWay = 0;
          const recorded: number[] = [];
          const writer: BatchWriter = {
            get takesMore() {
              return underWay < most;
            },
            async execute(asked, latecomers = () => []) {
              underWay += 1;
              expect(underWay).toBeLessThanOrEqual(most);
              await scheduler.schedule(Promise.resolve(), 'waiting for the log');
              const late = latecomers();
              expect(late.filter(({ idempotencyKey }) => idempotencyKey !== undefined)).toEqual([]);
              const batch = [...asked, ...late];
              await scheduler.schedule(Promise.resolve(), 'recording');
              recorded.push(...batch.map(({ commandId }) => Number(commandId)));
              underWay -= 1;
              return outcomesOf(batch);
            },
          };
          const { processor } = processorOn(writer, { busy: () => 1 });
          let next = 0;
          const submitted: number[] = [];
          const clients = sizes.map(async (size) => {
            await scheduler.schedule(Promise.resolve(), 'a client');
            const numbers = Array.from({ length: size }, () => next++);
            submitted.push(...numbers);
            const submissions = numbers.map((n) => (n % 4 === 3 ? keyed(n) : submission(n)));
            const outcomes = submissions.map((each) => processor.submit(each));
            expect(await Promise.all(outcomes)).toStrictEqual(numbers.map(done));
          });
          await scheduler.waitFor(Promise.all(clients));
          // Nobody is overtaken: what came first is recorded first.
          expect(recorded).toStrictEqual(submitted);
        }),
        { numRuns: 100 },
      );
    },
  );
});

describe('when nobody can tell what was recorded', () => {
  const gone = new Error('the disk is gone');

  it.each<[string, (writer: HeldWriter) => void, string]>([
    [
      'an outcome in doubt',
      (writer) => writer.finish([done(1), { kind: 'unknown', cause: 'the disk is gone' }]),
      'the disk is gone',
    ],
    [
      'several outcomes in doubt',
      (writer) => {
        writer.finish(Array(2).fill({ kind: 'unknown', cause: 'the disk is gone' }));
      },
      'the disk is gone',
    ],
    ['a lost writer', (writer) => writer.fail(gone), 'Error: the disk is gone'],
  ])('%s stops the queue once and for all', async (_, end, cause) => {
    const writer = new HeldWriter();
    const { processor, submit, stops } = processorOn(writer);
    const first = submit(1, 2);
    await writer.arrival();
    const waiting = submit(3, 4);
    end(writer);
    expect((await first).at(-1)).toStrictEqual({ kind: 'unknown', cause });
    // Nothing after it is given to the writer: it would be decided on a state that may be wrong.
    expect(await waiting).toStrictEqual(Array(2).fill({ kind: 'unavailable', cause }));
    expect(await submit(5)).toStrictEqual([{ kind: 'unavailable', cause }]);
    await processor.drained();
    expect(writer.batches).toStrictEqual([[1, 2]]);
    expect(stops).toStrictEqual([cause]);
  });

  it('a lost writer ends all groups that wait, beside single commands and keys', async () => {
    const writer = new HeldWriter();
    const { processor, submit } = processorOn(writer);
    const first = submit(1);
    await writer.arrival();
    const groups = [10, 20, 30].map((number) => {
      const commands = [submission(number), submission(number + 1)].map(({ command }) => command);
      return processor.submitGroup(groupOf(commands, { by: 'alice', commandId: 'g' }, false));
    });
    const others = [processor.submit(keyed(2)), processor.submit(submission(3))];
    writer.fail(gone);
    await first;
    await processor.drained();
    expect(processor.waiting).toHaveLength(0);
    const outcomes = [...(await Promise.all(groups)).flat(), ...(await Promise.all(others))];
    const cause = 'Error: the disk is gone';
    expect(outcomes).toStrictEqual(Array(8).fill({ kind: 'unavailable', cause }));
  });

  it('an outcome in doubt stops nothing if the writer resolves it', async () => {
    const writer = new HeldWriter();
    const { submit, stops } = processorOn(writer, { inDoubt: 'go on' });
    const first = submit(1);
    await writer.arrival();
    writer.finish([{ kind: 'unknown', cause: 'the network is down' }]);
    expect(await first).toStrictEqual([{ kind: 'unknown', cause: 'the network is down' }]);
    const second = submit(2);
    await writer.arrival();
    writer.finish();
    expect(await second).toStrictEqual([done(2)]);
    expect(stops).toStrictEqual([]);
  });

  it('a lost writer stops even that', async () => {
    const writer = new HeldWriter();
    const { submit, stops } = processorOn(writer, { inDoubt: 'go on' });
    const first = submit(1);
    await writer.arrival();
    writer.fail(gone);
    await first;
    expect(stops).toStrictEqual([String(gone)]);
  });

  it('a lost writer leaves the whole batch in doubt, latecomers included', async () => {
    const writer = new HeldWriter();
    const { submit } = processorOn(writer);
    const outcomes = Promise.all([submit(1), submit(2)]);
    await writer.arrival();
    const late = submit(3);
    writer.join();
    writer.fail(gone);
    expect([...(await outcomes).flat(), ...(await late)]).toStrictEqual(
      Array(3).fill({ kind: 'unknown', cause: String(gone) }),
    );
  });

  it('an unavailable log stops nothing', async () => {
    const writer = new HeldWriter();
    const { submit, stops } = processorOn(writer);
    const first = submit(1);
    await writer.arrival();
    writer.finish([{ kind: 'unavailable', cause: 'the disk is full' }]);
    expect(await first).toStrictEqual([{ kind: 'unavailable', cause: 'the disk is full' }]);
    const second = submit(2);
    await writer.arrival();
    writer.finish();
    expect(await second).toStrictEqual([done(2)]);
    expect(stops).toStrictEqual([]);
  });
});
