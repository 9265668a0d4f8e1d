/**
 * The policy that decides when commands have waited for too long: controlled delay (CoDel), based
 * on the age of the oldest one.
 *
 * A queue that a batch empties has absorbed a burst, however long. A queue in which every batch
 * leaves old commands is a standing queue: it adds to each latency and nothing to the throughput
 * (RFC 8289, section 3). So the signal is the age of the oldest command left behind by a batch. If
 * it was above the target at each batch of a whole interval (section 5.1), the service is
 * overloaded, until it has been below for as long.
 *
 * CoDel then drops packets at a growing rate, which makes TCP senders slow down. Clients of a
 * service do not slow down, so this follows the variant for servers of Maurer, "Fail at Scale" (ACM
 * Queue 13, 8, 2015): during an overload the newest commands are taken first, because their clients
 * will still wait for the outcome, and those that no batch will take in time are refused when they
 * have waited for the target.
 *
 * Between two batches nothing is left behind, so a slow flush, or a lock held by another writer, is
 * not an overload at first. After STALL_INTERVALS it is one, so that every wait ends. From then on,
 * until a batch is taken, commands wait for the target only, because the length of the stall is
 * unknown.
 */

export interface DelayLimits {
  /**
   * The age up to which waiting is normal, in milliseconds; during an overload, the longest wait.
   */
  readonly targetMs: number;
  /** The time for which ages must be above the target, or below it again, in milliseconds. */
  readonly intervalMs: number;
}

export const DELAY_LIMITS: DelayLimits = { targetMs: 40, intervalMs: 100 };

/** The longest wait of any command, in intervals. */
const STALL_INTERVALS = 10;

/**
 * Decides by the ages of commands alone how long commands may wait, and in which order they are
 * taken.
 */
export class ControlledDelay {
  readonly #targetMs: number;
  readonly #intervalMs: number;
  #isOverloaded = false;
  /** True after a command was refused in a stall, until the next batch is taken. */
  #isStalled = false;
  /** The time of the first of the latest batches that each left an old command behind. */
  #aboveSinceMs: number | undefined;
  /** The last time at which a batch left an old command behind, or a command was refused. */
  #lastAboveMs = 0;

  constructor({ targetMs, intervalMs }: DelayLimits = DELAY_LIMITS) {
    this.#targetMs = targetMs;
    this.#intervalMs = intervalMs;
  }

  /**
   * True during an overload: commands are taken newest first, and late ones refused after the
   * target.
   */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /** The age in milliseconds at which a command beyond the next batch is refused. */
  get maxWaitMs(): number {
    return this.#isOverloaded ? this.#targetMs : this.stallMs;
  }

  /** The age in milliseconds at which any command is refused. */
  get stallMs(): number {
    return this.#isStalled ? this.#targetMs : this.#intervalMs * STALL_INTERVALS;
  }

  /**
   * Notes the age of the oldest command left behind by a batch; 0 if none was.
   * @param nowMs The elapsed time, by the same clock at each call.
   */
  leftBehind(ageMs: number, nowMs: number): void {
    this.#isStalled = false;
    const isAbove = ageMs >= this.#targetMs;
    this.#aboveSinceMs = isAbove ? (this.#aboveSinceMs ?? nowMs) : undefined;
    if (nowMs - (this.#aboveSinceMs ?? nowMs) >= this.#intervalMs) this.#isOverloaded = true;
    if (isAbove) this.refused(nowMs);
    else if (nowMs - this.#lastAboveMs >= this.#intervalMs) this.#isOverloaded = false;
  }

  /** Notes that the queue is empty, between batches. */
  emptied(nowMs: number): void {
    // In a stall the queue is empty because commands were refused.
    if (!this.#isStalled) this.leftBehind(0, nowMs);
  }

  /** Notes the age of the oldest command in the queue, between batches. */
  waited(ageMs: number, nowMs: number): void {
    if (ageMs < this.stallMs) return;
    this.#isStalled = true;
    this.#isOverloaded = true;
    this.refused(nowMs);
  }

  /**
   * Notes that commands were refused because of their age: this prolongs an overload by an
   * interval.
   */
  refused(nowMs: number): void {
    this.#lastAboveMs = nowMs;
  }
}
