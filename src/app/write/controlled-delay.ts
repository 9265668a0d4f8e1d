/**
 * The policy of when commands wait for too long: controlled delay (CoDel), by the age of the oldest one.
 *
 * A queue that a batch empties has absorbed a burst, however long it was. A queue that every batch leaves
 * old commands in is a standing one: it adds to each latency and to no throughput (RFC 8289, section 3).
 * So the signal is the age of the oldest command that a batch has left behind. If it was above the
 * target at each batch of a whole interval (section 5.1), the service is overloaded, until it was below for as long.
 *
 * CoDel then drops packets at a growing rate, which makes TCP senders slow down. Clients of a service
 * do not, so this follows the variant for servers of Maurer, "Fail at Scale" (ACM Queue 13, 8, 2015),
 * in place of that control law: while it is overloaded, the newest commands are taken first, because theirs are
 * the clients that will still wait for the outcome, and all that no batch will take in time are refused when
 * they have waited for the target.
 *
 * Between two batches nothing is left behind, so a slow flush, or a lock that another writer holds, is
 * no overload at first. A wait of STALL_INTERVALS is one, so that every wait has an end. From then on, until
 * a batch is taken, commands wait for the target only: nobody can say how much longer the stall will last.
 */

export interface DelayLimits {
  /** The age up to which waiting is no sign of overload; the longest wait while there is one. */
  readonly targetMs: number;
  /** The time for which ages have to be above the target, or below it again. */
  readonly intervalMs: number;
}

export const DELAY_LIMITS: DelayLimits = { targetMs: 40, intervalMs: 100 };

/** The longest wait of any command, in intervals. */
const STALL_INTERVALS = 10;

/** Decides, from the ages of commands alone, how long commands may wait and who comes first. */
export class ControlledDelay {
  readonly #targetMs: number;
  readonly #intervalMs: number;
  #isOverloaded = false;
  /** True after a command has waited for the longest time, until a batch is taken. */
  #isStalled = false;
  /** The time of the first batch that left an old command, without one since that left none. */
  #aboveSinceMs: number | undefined;
  /** The last time at which a batch left an old command, or one was refused. */
  #lastAboveMs = 0;

  constructor({ targetMs, intervalMs }: DelayLimits = DELAY_LIMITS) {
    this.#targetMs = targetMs;
    this.#intervalMs = intervalMs;
  }

  /** True if commands are taken newest first, and those that come too late refused after the target. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /** The age in milliseconds at which a command is refused that the next batch will not take. */
  get patienceMs(): number {
    return this.#isOverloaded ? this.#targetMs : this.stallMs;
  }

  /** The age in milliseconds at which any command is refused. */
  get stallMs(): number {
    return this.#isStalled ? this.#targetMs : this.#intervalMs * STALL_INTERVALS;
  }

  /**
   * Notes the age of the oldest command that a batch has left behind; 0 if none.
   * @param nowMs The elapsed time, by the same clock at each call.
   */
  left(ageMs: number, nowMs: number): void {
    this.#isStalled = false;
    const isAbove = ageMs >= this.#targetMs;
    this.#aboveSinceMs = isAbove ? (this.#aboveSinceMs ?? nowMs) : undefined;
    if (nowMs - (this.#aboveSinceMs ?? nowMs) >= this.#intervalMs) this.#isOverloaded = true;
    if (isAbove) this.refused(nowMs);
    else if (nowMs - this.#lastAboveMs >= this.#intervalMs) this.#isOverloaded = false;
  }

  /** Notes that no command waits, at any other time. */
  emptied(nowMs: number): void {
    // In a stall, they were refused.
    if (!this.#isStalled) this.left(0, nowMs);
  }

  /** Notes the age of the oldest command that waits at any other time. */
  waited(ageMs: number, nowMs: number): void {
    if (ageMs < this.stallMs) return;
    this.#isStalled = true;
    this.#isOverloaded = true;
    this.refused(nowMs);
  }

  /** Notes that commands were refused because of their age: an overload lasts for an interval longer. */
  refused(nowMs: number): void {
    this.#lastAboveMs = nowMs;
  }
}
