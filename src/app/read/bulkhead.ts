/**
 * A bulkhead between long reads and all other work (Nygard, "Release It!"): limits the long reads
 * in flight, so that one turn of the event loop never does the work of more than a few lists.
 *
 * Further reads wait for a limited time, in the order of arrival. Commands go first: a read that
 * has waited begins in a later turn of the event loop, after the batch in flight.
 */

import { nextTurn } from '../event-loop.ts';

export interface ReadLimits {
  /** The most reads in flight. */
  readonly maxReads: number;
  /** The longest wait for a permit, in milliseconds. */
  readonly maxWaitMs: number;
}

/** The permit of a read in flight. */
export interface Permit {
  /** Passes the permit on to another read. Repeated calls have no effect. */
  release(): void;
}

/** A read that waits for a permit. */
interface Waiting {
  readonly client: { readonly isGone: boolean };
  readonly resolve: (permit: Permit | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** The long reads in flight, and those that wait for a permit. */
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

  /** The number of reads that wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with a permit, or with undefined if none became free in time.
   * @param client If it has disconnected by the time of its turn, it gets no permit.
   */
  enter(client: Waiting['client']): Promise<Permit | undefined> {
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

  #taken(): Permit {
    this.#underWay += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.#underWay -= 1;
      this.#admitNext();
    };
    return { release };
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

  async #begin({ resolve }: Waiting, permit: Permit): Promise<void> {
    await nextTurn();
    await this.#giveWay();
    resolve(permit);
  }
}
