/** The write side: catches up with the log inside its lock, decides a batch, and records it at once. */

import { type Instant, instantAt } from '../../domain/instant.ts';
import { CLOCK_OUT_OF_RANGE, CLOCKS } from '../clock.ts';
import { ALL_IDS, type IdRange } from '../log/epochs.ts';
import type { NewEvent, RecordedEvent } from '../log/recorded-event.ts';
import { type Decided, type Outcome, requestsIn, type Submission } from '../log/submission.ts';
import type { BatchWriter, Latecomers } from '../ports/batch-writer.ts';
import type { Decide, EventLog, KeptOutcomes } from '../ports/event-log.ts';
import type { WriterStart } from '../ports/store.ts';
import { OrderImage } from '../state/order-image.ts';
import type { RecordedOrders } from '../state/recorded-orders.ts';
import { decideOnce, outcomeNamesIn } from './decisions.ts';
import { OrderDraft } from './order-draft.ts';

/** A fold that receives every recorded event, in order. The writer's orders may be a part of it. */
interface Whole {
  fold(recorded: RecordedEvent): unknown;
}

/** The decisions of all batches in flight, which are about to be recorded. */
interface Plan {
  readonly draft: OrderDraft;
  /** The head of the log once they are recorded. */
  end: number;
  /** The time of the last decision. */
  at: Instant | undefined;
}

/**
 * The only place where commands become events. Each decision is made on the newest state: on the recorded
 * orders, with the events that others have recorded and the decisions still in flight.
 */
export class Writer implements BatchWriter {
  readonly #log: EventLog;
  readonly #orders: RecordedOrders;
  readonly #whole: Whole;
  readonly #wall: () => number;
  readonly #ids: IdRange;
  /** Undefined while nothing is in flight, and after a batch was not recorded as it was decided. */
  #plan: Plan | undefined;
  /** Resolves when the last batch is recorded, or is not. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param orders The state up to some position. The writer folds in the events since.
   * @param whole The list that they are a part of, or they alone; others may fold events in as well.
   * @param ids The ids that new orders may have.
   */
  constructor(
    log: EventLog,
    orders: RecordedOrders,
    whole: Whole,
    wall = CLOCKS.wall,
    ids = ALL_IDS,
  ) {
    this.#ids = ids;
    this.#log = log;
    this.#orders = orders;
    this.#whole = whole;
    this.#wall = wall;
  }

  /** Returns a writer that has folded the whole log. */
  static async open(log: EventLog, wall?: () => number): Promise<Writer> {
    const image = new OrderImage();
    const writer = new Writer(log, image, image, wall);
    for await (const events of log.read(0)) writer.#fold(events);
    return writer;
  }

  /** Returns the start of a writer at the point to which a list was folded: see {@link Store.begin}. */
  static startOf(list: Whole & { readonly image: OrderImage }): WriterStart {
    return {
      packImage: () => list.image.pack(),
      makeWriter: (log, ids) => new Writer(log, list.image, list, CLOCKS.wall, ids),
    };
  }

  get takesMore(): boolean {
    return this.#log.takesMore === true && this.#plan !== undefined;
  }

  async execute(
    batch: readonly Submission[],
    latecomers: Latecomers = () => [],
  ): Promise<readonly Outcome[]> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      return await this.#execute(batch, latecomers, before);
    } finally {
      if (this.#last === promise) this.#plan = undefined;
      resolve();
    }
  }

  /** @param before Resolves with the batch before, on which this one may have been decided. */
  async #execute(
    submitted: readonly Submission[],
    latecomers: Latecomers,
    before: Promise<void>,
  ): Promise<readonly Outcome[]> {
    let batch = submitted;
    let outcomes: readonly (Decided | Unavailable)[] = [];
    const decide: Decide = (newer, kept) => {
      // The engine tries again: the first decisions are not recorded, nor any that rest on them.
      if (outcomes.length > 0) this.#plan = undefined;
      // None has an idempotency key: the outcomes recorded under keys are read together with the log.
      batch = [...batch, ...latecomers()];
      const decided = this.#decide(newer, kept, batch);
      outcomes = decided.outcomes;
      return decided.events;
    };
    const seen = this.#plan?.end ?? this.#orders.position;
    const result = await this.#log.append(seen, decide, outcomeNamesIn(submitted));
    await before;
    switch (result.kind) {
      case 'appended':
        this.#fold(result.events);
        this.#plan?.draft.forget(result.events);
        return outcomes.map((decided) => located(decided, this.#orders));
      case 'overtaken':
        this.#plan = undefined;
        return this.#execute(batch, latecomers, before);
      case 'unavailable':
      case 'unknown':
        this.#plan = undefined;
        return batch.map(() => ({ kind: result.kind, cause: result.cause.message }));
    }
  }

  #decide(
    newer: readonly RecordedEvent[],
    kept: KeptOutcomes,
    batch: readonly Submission[],
  ): {
    readonly events: readonly NewEvent[];
    readonly outcomes: readonly (Decided | Unavailable)[];
  } {
    this.#fold(newer);
    this.#plan ??= {
      draft: new OrderDraft(this.#orders, this.#ids),
      end: this.#orders.position,
      at: undefined,
    };
    const { draft } = this.#plan;
    const at = this.#recordingTime(this.#plan);
    if (at === undefined) return { events: [], outcomes: batch.map(() => TIMELESS) };
    const events: NewEvent[] = [];
    const outcomes: Decided[] = [];
    for (const request of requestsIn(batch)) {
      outcomes.push(...decideOnce(kept, request, draft, at, events));
    }
    this.#plan.end += events.length;
    this.#plan.at = at;
    return { events, outcomes };
  }

  // An engine that tries again may hand over the same events again, and the list that the orders are a
  // part of may have folded them meanwhile.
  #fold(events: readonly RecordedEvent[]): void {
    for (const event of events) if (event.position > this.#orders.position) this.#whole.fold(event);
  }

  // Recorded times never go back, even if the clock does: "as of" then has one answer.
  #recordingTime(plan: Plan): Instant | undefined {
    const at = instantAt(this.#wall());
    const last = plan.at ?? this.#orders.lastAt;
    return at !== undefined && last !== undefined && last > at ? last : at;
  }
}

type Unavailable = Extract<Outcome, { readonly kind: 'unavailable' }>;

/** The outcome of every command while the clock is out of range. It can be set right at any moment. */
const TIMELESS: Unavailable = { kind: 'unavailable', cause: CLOCK_OUT_OF_RANGE };

/** Adds the position of the event that made it so to an outcome, now that the event is recorded. */
function located(decided: Decided | Unavailable, orders: RecordedOrders): Outcome {
  if (decided.kind !== 'accepted') return decided;
  return { ...decided, position: orders.positionOf(decided.orderId, decided.version) };
}
