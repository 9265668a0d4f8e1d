import { nearestInstant } from '../../domain/instant.ts';
import { CLOCKS } from '../clock.ts';
import type { RefusalTrail, RefusedAttempt } from '../ports/refusal-trail.ts';

/** How long a refusal may wait to be recorded with others, in milliseconds. */
const WAIT = 1_000;

/**
 * How many refusals in one wait are recorded one by one. Strangers get little, because anybody can
 * be refused without end: the trail is to be neither flooded nor emptied by them.
 */
const MOST_OF_STRANGERS = 10;
const MOST_OF_KEYS = 100;

/**
 * Records what was refused, soon after and beside everything else: no answer waits for it, and
 * whatever fails here fails alone. A crash loses what the last second refused.
 */
export class RefusalRecorder {
  readonly #trail: RefusalTrail;
  readonly #failed: (error: unknown) => void;
  readonly #now: () => number;
  #strangers: RefusedAttempt[] = [];
  #known: RefusedAttempt[] = [];
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  #recording: Promise<void> = Promise.resolve();

  /** @param failed Told when something could not be recorded. It is not tried again. */
  constructor(
    trail: RefusalTrail,
    failed: (error: unknown) => void,
    clock: () => number = CLOCKS.wall,
  ) {
    this.#trail = trail;
    this.#failed = failed;
    this.#now = clock;
  }

  note(attempt: Omit<RefusedAttempt, 'at'>): void {
    const isStranger = attempt.code === 'unauthorized';
    const [waiting, most] = isStranger
      ? [this.#strangers, MOST_OF_STRANGERS]
      : [this.#known, MOST_OF_KEYS];
    if (waiting.length < most) waiting.push({ at: nearestInstant(this.#now()), ...attempt });
    else this.#leftOut += 1;
    this.#timer ??= setTimeout(() => this.flush(), WAIT).unref();
  }

  /** Resolves when everything that was noted before is recorded, or has failed to be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const attempts = [...this.#strangers, ...this.#known].sort((a, b) => (a.at < b.at ? -1 : 1));
    const leftOut =
      this.#leftOut === 0 ? [] : [{ at: nearestInstant(this.#now()), leftOut: this.#leftOut }];
    this.#strangers = [];
    this.#known = [];
    this.#leftOut = 0;
    const records = [...attempts, ...leftOut];
    if (records.length > 0) {
      this.#recording = this.#recording
        .then(() => this.#trail.append(records))
        .catch((error) => this.#failed(error));
    }
    return this.#recording;
  }
}
