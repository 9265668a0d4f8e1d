/**
 * A bulkhead between long reads and all other work (Nygard, "Release It!"): limits the long reads
 * in flight, so that one turn of the event loop never does the work of more than a few lists.
 *
 * Further reads wait for a limited time, in the order of arrival. Commands go first: a read that
 * has waited begins in a later turn of the event loop, after the batch in flight.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ReadLimits {
  /** The most reads in flight. */
  readonly maxReads: number;
  /** The longest wait for a place, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A place among the reads in flight. */
export interface Place {
  /** Frees the place for another read. Repeated calls have no effect. */
  leave(): void;
}

/** A read that waits for a place. */
interface Waiting {
  readonly client: { readonly isGone: boolean };
  readonly resolve: (place: Place | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** The long reads in flight, and those that wait for a place. */
export class Bulkhead {
  readonly #limits: ReadLimits;
  readonly #giveWay: () => Promise<void>;
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;

  /** @param giveWay Resolves when the batch of commands in flight is recorded. */
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
   * Resolves with a place, or with undefined if none became free in time.
   * @param client If it has disconnected by the time of its turn, it gets no place.
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
