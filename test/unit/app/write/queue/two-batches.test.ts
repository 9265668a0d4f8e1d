import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../../../../src/app/event-loop.ts';
import type { NewEvent, RecordedEvent } from '../../../../../src/app/log/recorded-event.ts';
import type { Outcome, Submission } from '../../../../../src/app/log/submission.ts';
import type {
  AppendResult,
  Decide,
  EventLog,
  OutcomeName,
} from '../../../../../src/app/ports/event-log.ts';
import { Writer } from '../../../../../src/app/write/writer.ts';
import { type OrderState, order } from '../../../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../../../src/infra/memory/event-log.ts';
import { NOTHING_KEPT } from '../../../../kit-mutants/faults.ts';
import { fewOrderIds, submissionsTo } from '../../../../support/arbitraries.ts';
import { NOON, readAll } from '../../../../support/events.ts';
import { runs } from '../../../../support/nightly.ts';

/** What becomes of an append: it is lost where nobody is told whether it was recorded. */
const FATES = ['recorded', 'unavailable', 'lost before', 'lost behind'] as const;
type Fate = (typeof FATES)[number];

const cause = new Error('out of reach');

/** An engine that is far away, and takes a second append behind the one under way. */
class FarLog implements EventLog {
  readonly #log: EventLog;
  readonly #turns: () => number;
  readonly #fate: () => Fate;
  #sent: { readonly end: number; readonly result: Promise<AppendResult> } | undefined;

  constructor(log: EventLog, turns: () => number, fate: () => Fate) {
    this.#log = log;
    this.#turns = turns;
    this.#fate = fate;
  }

  get takesMore(): boolean {
    return this.#sent !== undefined;
  }

  read(after: number) {
    return this.#log.read(after);
  }

  head() {
    return this.#log.head();
  }

  watch(grown: () => void) {
    return this.#log.watch(grown);
  }

  close() {
    return this.#log.close();
  }

  async append(seen: number, decide: Decide, asked: readonly OutcomeName[]): Promise<AppendResult> {
    const before = this.#sent;
    if (before?.end === seen) return this.#send(seen, decide([], NOTHING_KEPT), before.result);
    // What it knows of the log may be out of date.
    const result = await this.#send(seen, decide([], NOTHING_KEPT));
    if (result.kind !== 'overtaken') return result;
    await this.#later();
    return this.#log.append(seen, decide, asked);
  }

  async #send(
    seen: number,
    events: readonly NewEvent[],
    before?: Promise<AppendResult>,
  ): Promise<AppendResult> {
    const result = this.#resultOf(seen, events, before);
    const sent = { end: seen + events.length, result };
    this.#sent = sent;
    await Promise.allSettled([result]);
    if (this.#sent === sent) this.#sent = undefined;
    return result;
  }

  async #resultOf(
    seen: number,
    events: readonly NewEvent[],
    before: Promise<AppendResult> | undefined,
  ): Promise<AppendResult> {
    await this.#later();
    const first = await before;
    if (first !== undefined && first.kind !== 'appended') return first;
    await this.#later();
    if (seen !== (await this.#log.head())) return { kind: 'overtaken' };
    const fate = this.#fate();
    if (fate === 'unavailable') return { kind: 'unavailable', cause };
    const result =
      fate === 'lost before' ? undefined : await this.#log.append(seen, () => events, []);
    await this.#later();
    return fate === 'recorded' && result !== undefined ? result : { kind: 'unknown', cause };
  }

  async #later(): Promise<void> {
    for (let left = this.#turns(); left > 0; left--) await nextTurn();
  }
}

const id = (orderId: bigint) => orderId as OrderId;
const place = (orderId: bigint): Submission['command'] => {
  return { type: 'PlaceOrder', orderId: id(orderId), petId: 1n as PetId, quantity: 1 };
};
const cancel = (orderId: bigint): Submission['command'] => {
  return { type: 'CancelOrder', orderId: id(orderId) };
};
const ship = (orderId: bigint): Submission['command'] => {
  return { type: 'ShipOrder', orderId: id(orderId), shipDate: NOON };
};
const placeNew: Submission['command'] = { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 };
const submissionOf = (command: Submission['command']): Submission => {
  return { command, by: 'alice', commandId: 'c' };
};
const noon = () => Date.parse(NOON);
const accepted = (orderId: bigint, version: number, position: number): Outcome => {
  return { kind: 'accepted', orderId: id(orderId), version, position };
};

async function given(...fates: Fate[]) {
  const log = new MemoryEventLog();
  const far = new FarLog(
    log,
    () => 2,
    () => fates.shift() ?? 'recorded',
  );
  const writer = await Writer.open(far, noon);
  const on = (writer: Writer) => {
    return (...commands: Submission['command'][]) => writer.execute(commands.map(submissionOf));
  };
  return { log, writer, execute: on(writer), executeBeside: on(await Writer.open(log)) };
}

/** An engine that tells what became of its appends in any order. */
class HeldLog extends MemoryEventLog {
  readonly takesMore = true;
  readonly seen: number[] = [];
  readonly #held: { recorded: AppendResult; result: PromiseWithResolvers<AppendResult> }[] = [];

  override append(seen: number, decide: Decide): Promise<AppendResult> {
    this.seen.push(seen);
    const events = decide([], NOTHING_KEPT).map((event, index) => {
      return { position: seen + 1 + index, ...event };
    });
    const result = Promise.withResolvers<AppendResult>();
    this.#held.push({ recorded: { kind: 'appended', events }, result });
    return result.promise;
  }

  tell(number: number, otherwise?: AppendResult): void {
    const held = this.#held[number];
    held?.result.resolve(otherwise ?? held.recorded);
  }
}

describe('two batches under way', () => {
  it('are decided one on the other, and answered in order', async () => {
    const { log, writer, execute } = await given();
    expect(writer.takesMore).toBe(false);
    const first = execute(place(1n), place(2n));
    expect(writer.takesMore).toBe(true);
    const second = execute(cancel(1n), place(2n), place(3n));
    expect(await log.head()).toBe(0);
    expect(await first).toStrictEqual([accepted(1n, 1, 1), accepted(2n, 1, 2)]);
    const third = execute(cancel(3n), cancel(1n), placeNew);
    expect(await second).toStrictEqual([
      accepted(1n, 2, 3),
      { kind: 'rejected', reason: 'order_exists' },
      accepted(3n, 1, 4),
    ]);
    expect(await third).toStrictEqual([accepted(3n, 2, 5), accepted(1n, 2, 3), accepted(4n, 1, 6)]);
    expect(writer.takesMore).toBe(false);
    expect(await execute(cancel(4n))).toStrictEqual([accepted(4n, 2, 7)]);
  });

  it('are decided again if another writer has appended before the first', async () => {
    const { log, execute, executeBeside } = await given();
    const first = execute(placeNew);
    const second = execute(placeNew, cancel(1n));
    await executeBeside(place(1n));
    expect(await first).toStrictEqual([accepted(2n, 1, 2)]);
    expect(await second).toStrictEqual([accepted(3n, 1, 3), accepted(1n, 2, 4)]);
    expect(await log.head()).toBe(4);
  });

  it('are decided again, except the first, if another writer has appended in between', async () => {
    const { log, execute, executeBeside } = await given();
    const first = execute(place(1n)).then(async (outcomes) => {
      await executeBeside(cancel(1n));
      return outcomes;
    });
    const second = execute(ship(1n), placeNew);
    expect(await first).toStrictEqual([accepted(1n, 1, 1)]);
    expect(await second).toStrictEqual([
      { kind: 'rejected', reason: 'order_cancelled' },
      accepted(2n, 1, 3),
    ]);
    expect(await log.head()).toBe(3);
  });

  it.each<[Fate, Outcome, number]>([
    ['unavailable', { kind: 'unavailable', cause: cause.message }, 0],
    ['lost before', { kind: 'unknown', cause: cause.message }, 0],
    ['lost behind', { kind: 'unknown', cause: cause.message }, 1],
  ])('share the fate of the first: %s', async (fate, outcome, head) => {
    const { log, writer, execute } = await given(fate);
    const first = execute(place(1n));
    const second = execute(cancel(1n));
    expect(await first).toStrictEqual([outcome]);
    // What the second was decided on may not be there.
    expect(writer.takesMore).toBe(false);
    expect(await second).toStrictEqual([outcome]);
    expect(await log.head()).toBe(head);
    expect(await execute(place(1n))).toStrictEqual([
      head === 0 ? accepted(1n, 1, 1) : { kind: 'rejected', reason: 'order_exists' },
    ]);
  });

  it('are answered in order, whichever result the log returns first', async () => {
    const log = new HeldLog();
    const writer = await Writer.open(log, noon);
    const told: string[] = [];
    const executions = [
      writer.execute([submissionOf(place(1n))]).then(() => told.push('first')),
      writer.execute([submissionOf(cancel(1n))]).then(() => told.push('second')),
    ];
    log.tell(1);
    await nextTurn();
    expect(told).toStrictEqual([]);
    log.tell(0);
    await Promise.all(executions);
    expect(told).toStrictEqual(['first', 'second']);
  });

  it('may be followed by more, unless one was not recorded as decided', async () => {
    const log = new HeldLog();
    const writer = await Writer.open(log, noon);
    const executions = [place(1n), cancel(1n), place(2n)].map((command) => {
      return writer.execute([submissionOf(command)]);
    });
    log.tell(0);
    expect(await executions[0]).toStrictEqual([accepted(1n, 1, 1)]);
    expect(writer.takesMore).toBe(true);
    log.tell(1, { kind: 'unavailable', cause });
    expect(await executions[1]).toStrictEqual([{ kind: 'unavailable', cause: cause.message }]);
    expect(writer.takesMore).toBe(false);
    log.tell(2, { kind: 'unknown', cause });
    await executions[2];
    // Nothing is under way any more, on which anything could be decided.
    void writer.execute([submissionOf(place(3n))]);
    expect(log.seen).toStrictEqual([0, 1, 2, 1]);
    expect(writer.takesMore).toBe(true);
  });

  it('record and answer as if they had been recorded one after another', async () => {
    const batches = fc.array(
      fc.record({
        batch: fc.array(submissionsTo(fewOrderIds), { minLength: 1, maxLength: 4 }),
        isBeside: fc.boolean(),
        wait: fc.nat(6),
      }),
      { maxLength: 12 },
    );
    const fates = fc.oneof(
      { weight: 4, arbitrary: fc.constant<Fate>('recorded') },
      fc.constantFrom(...FATES),
    );
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.infiniteStream(fc.nat(4)),
        fc.infiniteStream(fates),
        // A clock that goes as it likes.
        fc.infiniteStream(fc.integer({ min: 0, max: 1e12 })),
        async (asked, turns, fates, times) => {
          const log = new MemoryEventLog();
          const far = new FarLog(
            log,
            () => turns.next().value,
            () => fates.next().value,
          );
          const writer = await Writer.open(far, () => times.next().value);
          const other = await Writer.open(log);
          const told: [Submission, Outcome][] = [];
          let underWay: Promise<void>[] = [];
          for (const [number, { batch, isBeside, wait }] of asked.entries()) {
            const submissions = batch.map((each, index) => ({
              ...each,
              commandId: `${number}.${index}`,
            }));
            const take = (outcomes: readonly Outcome[]) => {
              for (const [index, outcome] of outcomes.entries()) {
                told.push([submissions[index] as Submission, outcome]);
              }
            };
            if (isBeside) take(await other.execute(submissions));
            else {
              // As the queue of commands does it: two at most.
              if (underWay.length === 2) await underWay.shift();
              if (!writer.takesMore) await Promise.all(underWay.splice(0));
              const executed = writer.execute(submissions).then(take);
              underWay.push(executed);
              void executed.then(() => {
                underWay = underWay.filter((each) => each !== executed);
              });
            }
            for (let left = wait; left > 0; left--) await nextTurn();
          }
          await Promise.all(underWay);
          checkTold(await readAll(log), told);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

/** Compares what was recorded, and what was told of it, with what the rules of an order allow. */
function checkTold(
  events: readonly RecordedEvent[],
  told: readonly (readonly [Submission, Outcome])[],
): void {
  const states = new Map<OrderId, OrderState>();
  const typesOf = new Map<OrderId, string[]>();
  const times = events.map(({ metadata }) => metadata.at);
  expect(times).toStrictEqual(times.toSorted());
  for (const { event, version } of events) {
    const state = states.get(event.orderId) ?? order.initial;
    const types = typesOf.get(event.orderId) ?? [];
    expect(state.status).toBe(event.type === 'OrderPlaced' ? 'none' : 'pending');
    expect(version).toBe(types.length + 1);
    states.set(event.orderId, order.evolve(state, event));
    typesOf.set(event.orderId, [...types, event.type]);
  }
  for (const [{ command, commandId }, outcome] of told) {
    const recorded = events.filter(({ metadata }) => metadata.commandId === commandId);
    if (outcome.kind === 'accepted') {
      const { event, version } = events[outcome.position - 1] as RecordedEvent;
      expect([event.orderId, version]).toStrictEqual([outcome.orderId, outcome.version]);
      expect(recorded.length).toBeLessThanOrEqual(1);
    } else if (outcome.kind !== 'unknown') expect(recorded).toStrictEqual([]);
    if (outcome.kind === 'rejected' && command.type !== 'PlaceNewOrder') {
      // What it is told to be was recorded, at some time.
      const types = typesOf.get(command.orderId) ?? [];
      if (outcome.reason === 'order_exists') expect(types).toContain('OrderPlaced');
      if (outcome.reason === 'order_cancelled') expect(types).toContain('OrderCancelled');
      if (outcome.reason === 'order_already_shipped') expect(types).toContain('OrderShipped');
    }
  }
}
