/** The progress of one witness: the size that it has seen, and its next request. */

import type { CosignerKey } from '../audit/proofs/cosignature.ts';
import { OUTCOMES, type WitnessOutcome } from './outcome.ts';

/** The longest wait after failures, in milliseconds, and the longest that a witness can set. */
const MAX_BACKOFF_MS = 3_600_000;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** A witness of a policy that has an address. */
export interface Witness {
  readonly name: string;
  readonly key: CosignerKey;
  readonly url: string;
}

/** The state of a witness, for people and metrics. */
export interface WitnessStatus {
  readonly name: string;
  /** The size of the checkpoint that it has cosigned last, as far as is known; 0 for none. */
  readonly size: number;
  /** The events of the newest checkpoint beyond that size. */
  readonly lagEvents: number;
  /** The time since the log went beyond that size, in milliseconds; 0 if it did not. */
  readonly lagMs: number;
  /** The kind of the last outcome; `undefined` before the first. */
  readonly outcome: WitnessOutcome['kind'] | undefined;
  /** The numbers of outcomes so far, by their kinds. */
  readonly counts: Readonly<Record<WitnessOutcome['kind'], number>>;
}

/** Counts a witness's outcomes, and backs off after failures: twice as long after each. */
export class WitnessProgress {
  readonly witness: Witness;
  readonly #intervalMs: number;
  readonly #counts = Object.fromEntries(OUTCOMES.map((kind) => [kind, 0])) as Record<
    WitnessOutcome['kind'],
    number
  >;
  #size = 0;
  /** The newest size of the log, and the time from which on the witness has been behind it. */
  #head = 0;
  #behindSinceMs: number | undefined;
  #failures = 0;
  #nextMs = Number.NEGATIVE_INFINITY;
  #outcome: WitnessOutcome['kind'] | undefined;

  /** @param intervalMs The wait after the first failure is twice as long. */
  constructor(witness: Witness, intervalMs: number) {
    this.witness = witness;
    this.#intervalMs = intervalMs;
  }

  /** The size that the witness has cosigned last, as far as is known. */
  get size(): number {
    return this.#size;
  }

  /** The kind of the last outcome. */
  get outcome(): WitnessOutcome['kind'] | undefined {
    return this.#outcome;
  }

  /** Notes a size that the witness is known to have cosigned. */
  sees(size: number): void {
    this.#size = size;
    if (size >= this.#head) this.#behindSinceMs = undefined;
  }

  /** Notes the newest size of the log. */
  reaches(head: number, atMs: number): void {
    this.#head = head;
    if (head > this.#size) this.#behindSinceMs ??= atMs;
  }

  /** Returns true if the witness may be sent a request. */
  isDue(atMs: number): boolean {
    return atMs >= this.#nextMs;
  }

  /**
   * Notes the outcome of a request.
   * @param size The size of the checkpoint that was submitted.
   */
  note(outcome: WitnessOutcome, size: number, atMs: number): void {
    this.#outcome = outcome.kind;
    this.#counts[outcome.kind] += 1;
    if (outcome.kind === 'cosigned' || outcome.kind === 'conflict') {
      this.#failures = 0;
      this.sees(outcome.kind === 'cosigned' ? size : outcome.size);
      return;
    }
    this.#failures += 1;
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures, MAX_BACKOFF_MS);
    const askedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    this.#nextMs = atMs + Math.max(backoffMs, askedMs);
  }

  status(atMs: number): WitnessStatus {
    return {
      name: this.witness.name,
      size: this.#size,
      lagEvents: Math.max(0, this.#head - this.#size),
      lagMs: this.#behindSinceMs === undefined ? 0 : atMs - this.#behindSinceMs,
      outcome: this.#outcome,
      counts: { ...this.#counts },
    };
  }
}
