import { type Instant, instantAt } from '../domain/instant.ts';
import { order } from '../domain/order.ts';
import { CLOCK_OUT_OF_RANGE, CLOCKS } from './clock.ts';
import { ALL_IDS, type IdRange } from './epochs.ts';
import { OrderDraft } from './order-draft.ts';
import { OrderImage } from './order-image.ts';
import type { BatchWriter, Latecomers } from './ports/batch-writer.ts';
import type { Decide, EventLog, KeptOutcomes, OutcomeName } from './ports/event-log.ts';
import type { NewEvent, RecordedEvent } from './recorded-event.ts';
import { type Decided, fingerprintOf, type Outcome, type Submission } from './submission.ts';

/** What recorded events are folded into, in order. */
interface Whole {
  fold(recorded: RecordedEvent): unknown;
}

/** What is about to be recorded: all that was decided on the image since nothing was under way. */
interface Plan {
  readonly draft: OrderDraft;
  /** Where the log ends when it is recorded. */
  end: number;
  /** The time of the last decision. */
  at: Instant | undefined;
}

/**
 * The write side: the only place where commands become events. It keeps the image of all orders,
 * catches up with the log inside its write lock, decides a whole batch, and records it at once.
 */
export class Writer implements BatchWriter {
  readonly #log: EventLog;
  readonly #image: OrderImage;
  readonly #whole: Whole;
  readonly #wall: () => number;
  readonly #ids: IdRange;
  /** None where nothing is under way, or something is that was not recorded as it was decided. */
  #plan: Plan | undefined;
  /** Settles with the last batch. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param image Where it begins. It catches up by itself with what was recorded since.
   * @param whole What the image is a part of. Others may fold events into it as well.
   * @param ids Those that new orders may be given.
   */
  constructor(
    log: EventLog,
    image: OrderImage,
    whole: Whole = image,
    wall = CLOCKS.wall,
    ids = ALL_IDS,
  ) {
    this.#ids = ids;
    this.#log = log;
    this.#image = image;
    this.#whole = whole;
    this.#wall = wall;
  }

  /** A writer that has folded the whole log. */
  static async open(log: EventLog, wall?: () => number): Promise<Writer> {
    const image = new OrderImage();
    const writer = new Writer(log, image, image, wall);
    for await (const events of log.read(0)) writer.#fold(events);
    return writer;
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

  /** @param before Settles with the batch before, on which this one may have been decided. */
  async #execute(
    asked: readonly Submission[],
    latecomers: Latecomers,
    before: Promise<void>,
  ): Promise<readonly Outcome[]> {
    let batch = asked;
    let outcomes: readonly (Decided | Unavailable)[] = [];
    const decide: Decide = (newer, kept) => {
      // What was decided first is not recorded, and neither is what was decided on it.
      if (outcomes.length > 0) this.#plan = undefined;
      // Without a key: what was kept under one has been read by now, with the log.
      batch = [...batch, ...latecomers()];
      const decided = this.#decide(newer, kept, batch);
      outcomes = decided.outcomes;
      return decided.events;
    };
    const seen = this.#plan?.end ?? this.#image.position;
    const result = await this.#log.append(seen, decide, asked.flatMap(nameOf));
    await before;
    switch (result.kind) {
      case 'appended':
        this.#fold(result.events);
        this.#plan?.draft.settle(result.events);
        return outcomes.map((decided) => located(decided, this.#image));
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
      draft: new OrderDraft(this.#image, this.#ids),
      end: this.#image.position,
      at: undefined,
    };
    const { draft } = this.#plan;
    const at = this.#recordingTime(this.#plan);
    if (at === undefined) return { events: [], outcomes: batch.map(() => TIMELESS) };
    const events: NewEvent[] = [];
    const outcomes = batch.map((submission) =>
      decideOnce(kept, submission, () => decide(draft, submission, at, events)),
    );
    this.#plan.end += events.length;
    this.#plan.at = at;
    return { events, outcomes };
  }

  // An engine that tries again may hand over the same events again, and a projection that the image is
  // a part of may have taken them in meanwhile: fold what is new to us.
  #fold(events: readonly RecordedEvent[]): void {
    for (const event of events) if (event.position > this.#image.position) this.#whole.fold(event);
  }

  // Recorded times never go back, even if the clock does: "as of" then has one answer.
  #recordingTime(plan: Plan): Instant | undefined {
    const at = instantAt(this.#wall());
    const last = plan.at ?? this.#image.lastAt;
    return at !== undefined && last !== undefined && last > at ? last : at;
  }
}

type Unavailable = Extract<Outcome, { readonly kind: 'unavailable' }>;

/** Of every command while no time can be recorded: the clock can be set right at any moment. */
const TIMELESS: Unavailable = { kind: 'unavailable', cause: CLOCK_OUT_OF_RANGE };

/** What was decided, with the position of the event that made it so, now that it has one. */
function located(decided: Decided | Unavailable, image: OrderImage): Outcome {
  if (decided.kind !== 'accepted') return decided;
  return { ...decided, position: image.positionOf(decided.orderId, decided.version) };
}

/** The name under which a submission's outcome is kept, if it is. */
function nameOf({ by, idempotencyKey: key }: Submission): readonly OutcomeName[] {
  return key === undefined ? [] : [{ by, key }];
}

/** Decides a submission, unless it was decided before under the same idempotency key. */
function decideOnce(kept: KeptOutcomes, submission: Submission, decideNow: () => Decided): Decided {
  const { by, idempotencyKey: key } = submission;
  if (key === undefined) return decideNow();
  const fingerprint = fingerprintOf(submission);
  const before = kept.recall(by, key);
  if (before === undefined) {
    const decided = decideNow();
    kept.keep({ by, key, fingerprint, decided });
    return decided;
  }
  return before.fingerprint === fingerprint
    ? before.decided
    : { kind: 'rejected', reason: 'idempotency_key_reused' };
}

/** Decides a submission on the draft and adds its events. */
function decide(
  draft: OrderDraft,
  { command: asked, by, commandId, onlyIf }: Submission,
  at: Instant,
  events: NewEvent[],
): Decided {
  const command =
    asked.type === 'PlaceNewOrder'
      ? { ...asked, type: 'PlaceOrder' as const, orderId: draft.nextOrderId() }
      : asked;
  const { orderId } = command;
  const decision = order.decide(command, draft.state(orderId));
  if (decision.kind === 'rejected') return decision;
  // A condition only matters where the command would otherwise be carried out (RFC 9110, section
  // 13.2.1). An order that is cancelled already is what its canceller wants, in whatever version.
  const isDone = command.type === 'CancelOrder' && decision.events.length === 0;
  if (onlyIf !== undefined && !isDone && !onlyIf.includes(draft.version(orderId))) {
    return { kind: 'rejected', reason: 'precondition_failed' };
  }
  for (const event of decision.events) {
    draft.evolve(orderId, order.evolve(draft.state(orderId), event));
    events.push({ event, version: draft.version(orderId), metadata: { at, by, commandId } });
  }
  return { kind: 'accepted', orderId, version: draft.version(orderId) };
}
