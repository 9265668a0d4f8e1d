/**
 * A follower: delivers the events of a log in order, one at a time, and remembers how far it has come.
 *
 * The position is kept after an event has been delivered. So each event is delivered at least once: a
 * crash between the two repeats the last one, and no other. A receiver that is away is waited for,
 * however long. One that fails at an event again and again has it parked, together with all later
 * events of the same order: the events of an order arrive in order, or not at all.
 */

import { setTimeout } from 'node:timers/promises';
import { nearestNow } from '../../app/clock.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { OrderEvent } from '../../client/client.ts';
import { logOf, placeOf } from '../../client/values.ts';
import type { Deliver, Delivered } from './delivery.ts';
import {
  type Followed,
  type Parked,
  readFollowed,
  requireWritableFollowed,
  writeFollowed,
} from './follower-file.ts';

/** The wait after the first failure; doubled after each further one. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** With so many, the receiver is wrong rather than the events. */
const MAX_PARKED = 1_000;

interface FollowerOptions {
  readonly file: string;
  readonly deliver: Deliver;
  /** Returns the first event of the log that answers; undefined if it has none. */
  readonly first: () => Promise<OrderEvent | undefined>;
  /** The attempts before an event is parked; 0: none ever is. */
  readonly tries: number;
  /** Aborts when the follower is to end, which it does after the attempt that is under way. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export class Follower {
  readonly #options: FollowerOptions;
  #followed: Followed;
  #isWritable = false;

  /** @param after The position to begin after if the file is new. */
  constructor(options: FollowerOptions, after: string) {
    this.#options = options;
    this.#followed = readFollowed(options.file) ?? { after, parked: [] };
  }

  /** The position up to which all events have been delivered or parked. */
  get after(): string {
    return this.#followed.after;
  }

  /** Keeps a position up to which there are no more events to deliver. */
  async reach(after: string): Promise<void> {
    if (after === this.after) return;
    // A position alone does not tell its log, and another store may answer since the last event. In that, it
    // would pass events that are still due.
    const log = this.#requireOwnLog(await this.#options.first());
    await this.#keep({ ...this.#followed, log, after });
  }

  /** Handles the next event: true if it was delivered or parked; false if the follower is to end. */
  async handle(event: OrderEvent): Promise<boolean> {
    const log = this.#requireOwnLog(event);
    const { parked } = this.#followed;
    const earlier = parked.find((one) => one.event.subject === event.subject);
    if (earlier !== undefined) {
      const reason = `behind position ${earlier.event.position}`;
      await this.#park({ event, at: nearestNow(), tries: 0, reason });
      this.#options.log(`Parked position ${event.position} ${reason}`);
      return true;
    }
    const left = await this.#attempts(event);
    if (left === 'stopped') return false;
    if (left === 'delivered') await this.#keep({ ...this.#followed, log, after: placeOf(event) });
    else await this.#park(left);
    return true;
  }

  /** Tries the parked events again, in order. Those that fail once more stay, and those behind them. */
  async retryParked(): Promise<void> {
    const stuck = new Set<string>();
    for (const { event } of this.#followed.parked) {
      if (stuck.has(event.subject)) continue;
      const left = await this.#attempts(event);
      if (left === 'stopped') return;
      const others = this.#followed.parked.filter((one) => one.event !== event);
      if (left !== 'delivered') stuck.add(event.subject);
      const parked =
        left === 'delivered'
          ? others
          : this.#followed.parked.map((one) => (one.event === event ? left : one));
      await this.#keep({ ...this.#followed, parked });
    }
  }

  /** Delivers an event, with all attempts that it takes. */
  async #attempts(event: OrderEvent): Promise<'delivered' | 'stopped' | Parked> {
    const { deliver, tries, signal, log } = this.#options;
    // Each restart would deliver the same event once more if its position could not be kept.
    if (!this.#isWritable) await requireWritableFollowed(this.#options.file, this.#followed);
    this.#isWritable = true;
    let failed = 0;
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) return 'stopped';
      const outcome = await deliver(event);
      if (outcome.kind === 'delivered') return 'delivered';
      if (outcome.kind === 'gone') throw new UserError(goneWords(event, outcome.reason));
      if (outcome.kind === 'failed') failed += 1;
      const { reason } = outcome;
      if (failed === tries && tries > 0) {
        log(`Parked position ${event.position} after ${failed} failures: ${reason}`);
        return { event, at: nearestNow(), tries: failed, reason };
      }
      const waitMs = this.#waitAfter(attempt, outcome);
      log(
        `Position ${event.position}: ${reason}. Next attempt in ${(waitMs / 1_000).toFixed(1)} s`,
      );
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the wait after an attempt: exponential, with a jitter of a half, and bounded. */
  #waitAfter(attempt: number, outcome: Delivered): number {
    const asked = outcome.kind === 'away' ? (outcome.retryAfterMs ?? 0) : 0;
    const backoff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 16));
    return Math.max(asked, backoff * (0.5 + Math.random() / 2));
  }

  async #park(parked: Parked): Promise<void> {
    const all = [...this.#followed.parked, parked];
    if (all.length > MAX_PARKED) {
      throw new UserError(
        `${MAX_PARKED} events are parked: see them with --parked, correct the receiver, and deliver ` +
          'them with --retry.',
      );
    }
    const { event } = parked;
    await this.#keep({ after: placeOf(event), log: logOf(event), parked: all });
  }

  async #keep(followed: Followed): Promise<void> {
    await writeFollowed(this.#options.file, followed);
    this.#followed = followed;
  }

  /** Returns the log of an event. Throws {@link UserError} unless it is that of the checkpoint. */
  #requireOwnLog(event: OrderEvent | undefined): string {
    const log = event && logOf(event);
    const { log: own = log } = this.#followed;
    // An earlier version kept the epoch with it.
    if (log !== undefined && own !== undefined && logOf({ source: own }) === log) return log;
    const other = log === undefined ? 'the log has no events' : `the events are of ${log}`;
    throw new UserError(`${this.#options.file} is the checkpoint of ${own}, and ${other}.`);
  }
}

function goneWords({ position }: OrderEvent, reason: string): string {
  return `The receiver wants no more events (${reason}). Position ${position} was not delivered.`;
}
