/**
 * A bulkhead between long reads and everything else (Nygard, "Release It!"): bounds how many of them are
 * under way, so that a turn of the event loop does the work of a few lists, however many are asked for.
 *
 * Those beyond wait, in the order of their arrival and for a bounded time. Commands come before them:
 * a read that has waited begins in a later turn of the event loop, and behind the batch in flight.
 */

import { nextTurn } from '../event-loop.ts';

export interface ReadLimits {
  /** The reads that may be under way at once. */
  readonly maxReads: number;
  /** The longest wait for one of these places, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A place among the reads under way. */
export interface Place {
  /** Frees the place for another read. Later calls do nothing. */
  leave(): void;
}

/** A read that waits for a place. */
interface Waiting {
  readonly client: { readonly isGone: boolean };
  readonly resolve: (place: Place | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** The long reads under way, and those that wait for a place among them. */
export class Bulkhead {
  readonly #limits: ReadLimits;
  readonly #giveWay: () => Promise<void>;
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;

  /** @param giveWay Resolves when commands have had their turn. */
  constructor(limits: ReadLimits, giveWay: () => Promise<void>) {
    this.#limits = limits;
    this.#giveWay = giveWay;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** The number of reads that wait for a place. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with a place, or with undefined if there was none in time.
   * @param client If it has gone by the time of its turn, it gets no place.
   */
  enter(client: Waiting['client']): Promise<Place | undefined> {
    const { maxReads, maxWaitMs } = this.#limits;
    if (this.#underWay < maxReads) return Promise.resolve(this.#taken());
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      }, maxWaitMs);
      const waiting = { client, resolve, timer };
      this.#waiting.add(waiting);
    });
  }

  #taken(): Place {
    this.#underWay += 1;
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      this.#underWay -= 1;
      this.#admitNext();
    };
    return { leave };
  }

  #admitNext(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      clearTimeout(waiting.timer);
      if (!waiting.client.isGone) {
        void this.#begin(waiting, this.#taken());
        return;
      }
      waiting.resolve(undefined);
    }
  }

  async #begin({ resolve }: Waiting, place: Place): Promise<void> {
    await nextTurn();
    await this.#giveWay();
    resolve(place);
  }
}
