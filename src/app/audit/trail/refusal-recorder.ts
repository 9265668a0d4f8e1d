import { nearestInstant } from '../../../domain/instant.ts';
import { CLOCKS, type Clocks } from '../../clock.ts';
import type { RefusalTrail, RefusedAttempt } from '../../ports/refusal-trail.ts';
import { TokenBuckets } from '../../token-buckets.ts';

/**
 * The longest time for which a refusal waits to be recorded together with others, in milliseconds.
 */
const WAIT_MS = 1_000;
/** The interval at which the number of omitted refusals is recorded, in milliseconds. */
const COUNT_EVERY_MS = 60_000;

/**
 * The rates of refusals that are recorded one by one. Any client can be refused without end, and
 * the trail stores a million records: at these rates, requests without a valid key, all together,
 * take over a year to displace the others, and those of one key three months.
 */
const OF_STRANGERS = { capacity: 100, perSecond: 1 / 60, maxNames: 1 };
const OF_EACH_KEY = { capacity: 500, perSecond: 1 / 10, maxNames: 1_000 };

/**
 * Records refused requests within a second, in the background: no answer waits for it, and a
 * failure has no other effect. A crash loses the refusals of the last second and the last count.
 */
export class RefusalRecorder {
  readonly #trail: RefusalTrail;
  readonly #failed: (error: unknown) => void;
  readonly #wall: () => number;
  readonly #strangers: TokenBuckets;
  readonly #keys: TokenBuckets;
  #waiting: RefusedAttempt[] = [];
  #timer: NodeJS.Timeout | undefined;
  #leftOut = 0;
  #countTimer: NodeJS.Timeout | undefined;
  #recording: Promise<void> = Promise.resolve();

  /** @param failed Called with the error if records could not be appended. They are not retried. */
  constructor(trail: RefusalTrail, failed: (error: unknown) => void, clocks: Clocks = CLOCKS) {
    this.#trail = trail;
    this.#failed = failed;
    this.#wall = clocks.wall;
    this.#strangers = new TokenBuckets(OF_STRANGERS, clocks.elapsed);
    this.#keys = new TokenBuckets(OF_EACH_KEY, clocks.elapsed);
  }

  note(attempt: Omit<RefusedAttempt, 'at'>): void {
    // The id in an invalid key proves nothing: clients can make up any number of ids.
    const isStranger = attempt.code === 'unauthorized' || attempt.keyId === undefined;
    const wait = isStranger ? this.#strangers.take('') : this.#keys.take(attempt.keyId);
    if (wait > 0) {
      this.#leftOut += 1;
      this.#countTimer ??= setTimeout(() => this.#count(), COUNT_EVERY_MS).unref();
      return;
    }
    this.#waiting.push({ at: nearestInstant(this.#wall()), ...attempt });
    this.#timer ??= setTimeout(() => this.#record(), WAIT_MS).unref();
  }

  /** Resolves when everything noted before is recorded, or has failed to be. */
  flush(): Promise<void> {
    this.#record();
    this.#count();
    return this.#recording;
  }

  #record(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const attempts = this.#waiting;
    this.#waiting = [];
    if (attempts.length > 0) this.#append(attempts);
  }

  #count(): void {
    clearTimeout(this.#countTimer);
    this.#countTimer = undefined;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut > 0) this.#append([{ at: nearestInstant(this.#wall()), leftOut }]);
  }

  #append(records: Parameters<RefusalTrail['append']>[0]): void {
    this.#recording = this.#recording
      .then(() => this.#trail.append(records))
      .catch((error) => this.#failed(error));
  }
}
