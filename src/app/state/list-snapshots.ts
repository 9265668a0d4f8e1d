/**
 * Snapshots of the list: all its chunks, encoded, at one position of the log. The first one has to encode
 * every chunk, which takes 2 ms for each thousand orders: it is done in turns of the event loop, with
 * other work between them, and the list may change meanwhile. The snapshot is a cut: it fixes which
 * orders each chunk has, and an order is encoded as of the cut's position, whatever came later.
 */
import type { CutChunk, OrderChunks } from './order-chunks.ts';

/** The chunks that are encoded in one turn of the event loop: about 4 ms. */
const TURN_CHUNKS = 2;

const NO_SLOTS = new Uint32Array();

/** The whole list at one position of the log. It is immutable. */
export interface ListSnapshot<Encoded> {
  readonly position: number;
  /** The name of the list at that position: see OrderList.stateAt. */
  readonly state: string;
  /** By order id, ascending; each chunk is of about a thousand orders. */
  readonly chunks: readonly Encoded[];
}

/** The place of the list in the log. */
type Place = Omit<ListSnapshot<unknown>, 'chunks'>;

/** Encodes the orders of slots as they were at a position; `first` at the list's start. */
type EncodeAsOf<Encoded> = (slots: Uint32Array, first: boolean, position: number) => Encoded;

/** Makes the snapshots of a list, and keeps the newest until it is forgotten. */
export class ListSnapshots<Encoded> {
  readonly #chunks: OrderChunks<Encoded>;
  readonly #encode: EncodeAsOf<Encoded>;
  readonly #place: () => Place;
  #newest: ListSnapshot<Encoded> | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #nextRound: Promise<ListSnapshot<Encoded>> | undefined;

  /** @param place Returns the place of the list as it is now. */
  constructor(chunks: OrderChunks<Encoded>, encode: EncodeAsOf<Encoded>, place: () => Place) {
    this.#chunks = chunks;
    this.#encode = encode;
    this.#place = place;
  }

  /** Notes that the list has changed. */
  forget(): void {
    this.#newest = undefined;
  }

  /** Returns the list as it is now. */
  now(): ListSnapshot<Encoded> {
    this.#newest ??= this.#cut().finish();
    return this.#newest;
  }

  /**
   * Resolves with the list as it is now, or as it is when the work for earlier callers is done: those
   * who wait for that share the next cut, so at most one is under way.
   * @param nextTurn Awaited between the turns.
   */
  async inTurns(nextTurn: () => Promise<void>): Promise<ListSnapshot<Encoded>> {
    if (this.#newest !== undefined || this.#chunks.countStale() <= TURN_CHUNKS) return this.now();
    if (this.#nextRound === undefined) {
      this.#nextRound = this.#round.then(() => this.#encodeInTurns(nextTurn));
      // Its own callers get the error.
      this.#round = this.#nextRound.catch(() => undefined);
    }
    return this.#nextRound;
  }

  async #encodeInTurns(nextTurn: () => Promise<void>): Promise<ListSnapshot<Encoded>> {
    this.#nextRound = undefined;
    const cut = this.#cut();
    while (cut.encodeSome(TURN_CHUNKS)) await nextTurn();
    return cut.finish();
  }

  #cut() {
    const place = this.#place();
    const parts = this.#chunks.cut();
    let done = 0;
    const encodeSome = (count: number): boolean => {
      for (let left = count; done < parts.length && left > 0; done++) {
        const part = parts[done] as CutChunk<Encoded>;
        if (part.encoded !== undefined) continue;
        part.encoded = this.#encode(part.slots, done === 0, place.position);
        part.slots = NO_SLOTS;
        left -= 1;
      }
      return done < parts.length;
    };
    const finish = (): ListSnapshot<Encoded> => {
      encodeSome(Number.POSITIVE_INFINITY);
      return { ...place, chunks: parts.map(({ encoded }) => encoded as Encoded) };
    };
    return { encodeSome, finish };
  }
}
