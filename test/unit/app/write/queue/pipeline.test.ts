import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { nextTurn } from '../../../../../src/app/event-loop.ts';
import type { Outcome, Submission } from '../../../../../src/app/log/submission.ts';
import type { BatchWriter, Latecomers } from '../../../../../src/app/ports/batch-writer.ts';
import { CommandQueue } from '../../../../../src/app/write/queue/command-queue.ts';
import { Pipeline } from '../../../../../src/app/write/queue/pipeline.ts';
import type { OrderId } from '../../../../../src/domain/order-id.ts';

/** What can happen to a pipeline, one thing after another. */
type Step =
  | { readonly do: 'submit'; readonly commands: number; readonly keyed: number }
  | { readonly do: 'end the turn' }
  /** The writer has the lock at last, and decides a batch. */
  | { readonly do: 'decide'; readonly batch: number }
  | { readonly do: 'record'; readonly as: 'done' | 'in doubt' | 'lost' }
  | { readonly do: 'change'; readonly takesMore: boolean; readonly utilization: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('submit' as const),
        commands: fc.oneof(
          { weight: 19, arbitrary: fc.integer({ min: 1, max: 40 }) },
          fc.integer({ min: 1_000, max: 1_100 }),
        ),
        /** The place of a command with an idempotency key, if there is one so far back. */
        keyed: fc.integer({ min: 0, max: 200 }),
      }),
    },
    { weight: 4, arbitrary: fc.constant({ do: 'end the turn' as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('decide' as const), batch: fc.nat(1) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('record' as const),
        as: fc.oneof(
          { weight: 15, arbitrary: fc.constant('done' as const) },
          fc.constantFrom('in doubt' as const, 'lost' as const),
        ),
      }),
    },
    fc.record({
      do: fc.constant('change' as const),
      takesMore: fc.boolean(),
      utilization: fc.constantFrom(0, 1, 1),
    }),
  ),
  { maxLength: 60, size: 'max' },
);

const submit = { do: 'submit', commands: 40, keyed: 200 } as const satisfies Step;
const turn: Step = { do: 'end the turn' };

function submissionOf(number: number): Submission {
  const command = { type: 'CancelOrder', orderId: BigInt(number) as OrderId } as const;
  return { command, by: 'alice', commandId: `${number}` };
}

const numberOf = ({ commandId }: Submission) => Number(commandId);
const done = (number: number): Outcome => {
  return { kind: 'accepted', orderId: BigInt(number) as OrderId, version: 1, position: 1 };
};

/** A pipeline before a writer that does nothing by itself, and all that there is to see of both. */
class Model {
  readonly #queue: CommandQueue;
  readonly #pipeline: Pipeline;
  readonly #writer: { takesMore: boolean; execute: BatchWriter['execute'] } = {
    takesMore: true,
    execute: this.#execute.bind(this),
  };
  readonly #held: {
    readonly numbers: number[];
    readonly latecomers: Latecomers;
    readonly outcomes: PromiseWithResolvers<readonly Outcome[]>;
  }[] = [];
  readonly #due = new Map<number, Outcome>();
  readonly #answers = new Map<number, Outcome>();
  readonly #recorded: number[] = [];
  readonly #stops: string[] = [];
  #submitted = 0;
  #isStopDue = false;
  #utilization = 1;

  // Its clock stands still: on a busy machine, commands would wait for too long and be refused.
  constructor(Tested: typeof Pipeline, queue = new CommandQueue({ elapsed: () => 0 })) {
    this.#queue = queue;
    this.#pipeline = new Tested(this.#writer, this.#queue, {
      inDoubt: 'stop',
      stopped: (cause) => this.#stops.push(cause),
      utilization: () => this.#utilization,
    });
  }

  async play(all: readonly Step[]): Promise<void> {
    for (const step of all) await this.#do(step);
    await this.#do({ do: 'end the turn' });
    // A few more than there can be batches.
    for (let left = this.#submitted + 10; this.#held.length > 0 && left > 0; left--) {
      await this.#do({ do: 'record', as: 'done' });
      await this.#do({ do: 'end the turn' });
    }
    await this.#do({ do: 'end the turn' });
    this.#check();
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case 'submit':
        for (let index = 0; index < step.commands; index++) this.#submit(index === step.keyed);
        return;
      case 'end the turn':
        return nextTurn();
      case 'decide':
        this.#decide(step.batch);
        return;
      case 'record':
        await this.#record(step.as);
        return;
      case 'change':
        this.#writer.takesMore = step.takesMore;
        this.#utilization = step.utilization;
        return;
    }
  }

  #submit(isKeyed: boolean): void {
    const number = this.#submitted++;
    const submission = submissionOf(number);
    const resolve = ([outcome]: readonly Outcome[]) => {
      if (this.#answers.has(number)) throw new Error('answered twice');
      this.#answers.set(number, outcome as Outcome);
    };
    const keyed = isKeyed ? { ...submission, idempotencyKey: 'k' } : submission;
    this.#queue.add({ submissions: [keyed], resolve });
    this.#pipeline.advance();
  }

  #execute(batch: readonly Submission[], latecomers: Latecomers): Promise<readonly Outcome[]> {
    expect(this.#stops).toStrictEqual([]);
    if (this.#held.length > 0) {
      expect([this.#held.length, this.#writer.takesMore]).toStrictEqual([1, true]);
      expect(batch.filter(({ idempotencyKey }) => idempotencyKey !== undefined)).toEqual([]);
    }
    const outcomes = Promise.withResolvers<readonly Outcome[]>();
    // It is still being sent, and so nobody can join it.
    expect(latecomers()).toStrictEqual([]);
    this.#held.push({ numbers: batch.map(numberOf), latecomers, outcomes });
    return outcomes.promise;
  }

  #decide(batch: number): void {
    const held = this.#held[batch];
    if (held === undefined) return;
    const late = held.latecomers();
    expect(late.filter(({ idempotencyKey }) => idempotencyKey !== undefined)).toEqual([]);
    held.numbers.push(...late.map(numberOf));
  }

  async #record(as: 'done' | 'in doubt' | 'lost'): Promise<void> {
    const first = this.#held.shift();
    if (first === undefined) return;
    const { numbers, outcomes } = first;
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.length).toBeLessThanOrEqual(1_024);
    const due = numbers.map((number): Outcome => {
      return as === 'done' ? done(number) : { kind: 'unknown', cause: 'gone' };
    });
    numbers.forEach((number, index) => {
      this.#due.set(number, due[index] as Outcome);
    });
    this.#recorded.push(...numbers);
    this.#isStopDue ||= as !== 'done';
    if (as === 'lost') outcomes.reject('gone');
    else outcomes.resolve(due);
    // All that follows from it happens in the same turn.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  #check(): void {
    expect(this.#held).toStrictEqual([]);
    expect(this.#answers.size).toBe(this.#submitted);
    expect(this.#stops).toStrictEqual(this.#isStopDue ? ['gone'] : []);
    const refused: Outcome = { kind: 'unavailable', cause: 'gone' };
    const numbers = [...this.#answers.keys()];
    const due = numbers.map((number) => this.#due.get(number) ?? refused);
    expect([...this.#answers.values()]).toStrictEqual(due);
    if (!this.#isStopDue) expect(due).not.toContain(refused);
    // What came first is recorded first, and answered first.
    expect(this.#recorded).toStrictEqual(this.#recorded.map((_, index) => index));
    expect(numbers.filter((number) => this.#due.has(number))).toStrictEqual(this.#recorded);
  }
}

function hold(Tested: typeof Pipeline, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(steps, (all) => new Model(Tested).play(all)),
    { numRuns, endOnFailure: true },
  );
}

describe('the pipeline of batches', () => {
  it('answers each command once and in order, with two batches at most, in any sequence of steps', async () => {
    await hold(Pipeline, 100);
  });

  it('answers a second batch that was in flight when the first one failed', async () => {
    const lost: Step = { do: 'record', as: 'lost' };
    await new Model(Pipeline).play([submit, turn, turn, submit, lost, lost, submit, turn]);
  });

  it('lets no command join a first batch once a second one is in flight', async () => {
    const decideFirst: Step = { do: 'decide', batch: 0 };
    await new Model(Pipeline).play([submit, turn, turn, submit, decideFirst]);
  });
});

/** A pipeline before a writer that sees batches and records none of them. */
function seen() {
  const sizes: number[] = [];
  const execute = vi.fn((batch: readonly Submission[]) => {
    sizes.push(batch.length);
    return new Promise<never>(() => undefined);
  });
  const writer = { takesMore: true, execute };
  const queue = new CommandQueue({ elapsed: () => 0 });
  const utilization = vi.fn(() => 1);
  const pipeline = new Pipeline(writer, queue, { inDoubt: 'stop', stopped: vi.fn(), utilization });
  const send = (count: number) => {
    for (let number = 0; number < count; number++) {
      queue.add({ submissions: [submissionOf(number)], resolve: vi.fn() });
      pipeline.advance();
    }
  };
  return { writer, sizes, pipeline, utilization, send };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

describe('a pipeline', () => {
  it('does nothing while no command waits', async () => {
    const { writer, pipeline, utilization, send } = seen();
    writer.execute.mockResolvedValue([done(0)] as never);
    send(1);
    await pipeline.drained();
    expect(utilization).toHaveBeenCalledTimes(2);
    pipeline.advance();
    await turns(3);
    expect(utilization).toHaveBeenCalledTimes(2);
  });

  it('sends a second batch as soon as the writer takes more, if it did not before', async () => {
    const { writer, sizes, send } = seen();
    writer.takesMore = false;
    send(40);
    await turns(2);
    expect(sizes).toStrictEqual([20]);
    writer.takesMore = true;
    send(1);
    writer.takesMore = false;
    await turns(2);
    expect(sizes).toStrictEqual([20]);
    writer.takesMore = true;
    send(1);
    await turns(2);
    expect(sizes).toStrictEqual([20, 22]);
  });
});

const FILE = 'src/app/write/queue/pipeline.ts';

/** The pipeline with a text in it changed. */
async function mutated(from: string, to: string): Promise<typeof Pipeline> {
  const source = stripTypeScriptTypes(readFileSync(FILE, 'utf8'));
  expect(source.split(from).length).toBe(2);
  const program = source
    .replace(from, to)
    .replace(/(?<=from ')\.[^']+/g, (path) => new URL(path, pathToFileURL(FILE)).href);
  return (await import(`data:text/javascript,${encodeURIComponent(program)}`)).Pipeline;
}

/** Collects the errors that would end the process while something is done. */
async function uncaught(work: () => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const note = (error: unknown) => errors.push(error);
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  try {
    await work().catch(note);
    await nextTurn();
  } finally {
    process.off('unhandledRejection', note);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
  return errors;
}

describe('a pipeline that is broken', () => {
  it.each([
    ['a second batch behind a whole one', 'return first.isHalf && isEnough', 'return isEnough'],
    ['keys in a second batch', '.takeUnkeyed(MAX_BATCH_COMMANDS)', '.take(MAX_BATCH_COMMANDS)'],
    ['a third batch', "case 'one in flight':", "case 'two in flight': case 'one in flight':"],
    [
      'latecomers who get ahead of a second batch',
      'if (newest?.requests !== requests)',
      'if (false)',
    ],
    ['more latecomers than a batch may hold', 'MAX_BATCH_COMMANDS - newest.size', '1_024'],
    ['idle while one command waits', "=== 0) return { kind: 'idle'", "< 2) return { kind: 'idle'"],
    [
      'a second batch that is lost',
      'cause: doubt, first: second }',
      'cause: doubt, first: undefined }',
    ],
    ['a batch after one in doubt', 'if (doubt !== undefined)', 'if (false)'],
    ['nobody refused after that', "case 'stopped':", "case 'stopped': return;"],
    ['latecomers who are not counted', 'newest.size += size', ''],
  ])('does not hold: %s', async (_, from, to) => {
    const Broken = await mutated(from, to);
    expect(await uncaught(() => hold(Broken, 1_000))).not.toStrictEqual([]);
  });

  const mixed: Step = { ...submit, keyed: 5 };
  const takesNoMore: Step = { do: 'change', takesMore: false, utilization: 0 };
  const recorded: Step = { do: 'record', as: 'done' };

  it.each<[violated: string, from: string, to: string, steps: readonly Step[]]>([
    ['a command waits while idle', 'take(maxCommands)', 'take(0)', [submit, turn]],
    [
      'a command is lost or answered twice',
      'newest.size += size',
      '',
      [takesNoMore, submit, turn, submit, { do: 'decide', batch: 0 }, recorded],
    ],
    [
      'a batch is empty or too large',
      "if (requests.length === 0) return { kind: 'idle'",
      "if (false) return { kind: 'idle'",
      [takesNoMore, submit, turn, recorded],
    ],
    [
      'a second batch follows a whole one',
      'return first.isHalf && isEnough',
      'return isEnough',
      [takesNoMore, submit, turn, { ...takesNoMore, takesMore: true }, submit, turn],
    ],
    [
      'a second batch has an idempotency key in it',
      '.takeUnkeyed(MAX_BATCH_COMMANDS)',
      '.take(MAX_BATCH_COMMANDS)',
      [submit, turn, mixed, turn],
    ],
  ])('ends the process: %s', async (violated, from, to, all) => {
    const Broken = await mutated(from, to);
    const errors = await uncaught(() => new Model(Broken).play(all));
    expect(errors.map(String)).toContain(`Error: the pipeline of batches is broken: ${violated}`);
  });

  it('ends the process if a batch would be too large', async () => {
    class Unbounded extends CommandQueue {
      override take() {
        return super.take(2_000);
      }
    }
    const many: Step = { do: 'submit', commands: 1_025, keyed: 2_000 };
    const model = new Model(Pipeline, new Unbounded());
    const errors = await uncaught(() => model.play([many, turn]));
    expect(errors.map(String)).toContain(
      'Error: the pipeline of batches is broken: a batch is empty or too large',
    );
  });
});
