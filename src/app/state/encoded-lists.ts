/**
 * Encoded lists: all chunks of the list, encoded, at one position of the log. The first one
 * has to encode every chunk, which takes 2 ms per thousand orders. It is therefore made in turns of
 * the event loop, during which the list may change. An encoded list is a cut: it fixes the orders of
 * each chunk, and each order is encoded as of the cut's position.
 */
import { type Chunk, type OrderChunks, slotsOf } from './order-chunks.ts';

/** The chunks encoded in one turn of the event loop, in about 4 ms. */
const TURN_CHUNKS = 2;

/** The whole list at one position of the log. It is immutable. */
export interface EncodedList<Encoded> {
  readonly position: number;
  /** The name of the list at that position: see OrderList.stateAt. */
  readonly state: string;
  /** By order id, ascending; each chunk is of about a thousand orders. */
  readonly chunks: readonly Encoded[];
}

/** The place of the list in the log. */
type Place = Omit<EncodedList<unknown>, 'chunks'>;

/** Encodes orders as of a position; `first` is true for the first chunk of the list. */
type EncodeAsOf<Encoded> = (slots: Uint32Array, first: boolean, position: number) => Encoded;

/** Encodes a list, and caches the newest until the list changes. */
export class EncodedLists<Encoded> {
  readonly #chunks: OrderChunks<Encoded>;
  readonly #encode: EncodeAsOf<Encoded>;
  readonly #place: () => Place;
  #newest: EncodedList<Encoded> | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #nextRound: Promise<EncodedList<Encoded>> | undefined;

  /** @param place Returns the present place of the list. */
  constructor(chunks: OrderChunks<Encoded>, encode: EncodeAsOf<Encoded>, place: () => Place) {
    this.#chunks = chunks;
    this.#encode = encode;
    this.#place = place;
  }

  /** Notes a change of the list. */
  forget(): void {
    this.#newest = undefined;
  }

  /** Returns the present list, encoded. */
  now(): EncodedList<Encoded> {
    this.#newest ??= this.#cut().finish();
    return this.#newest;
  }

  /**
   * Resolves with the present list, encoded, or with that after the one in progress:
   * its waiting callers share the next cut, so at most one is in progress.
   * @param nextTurn Awaited between the turns.
   */
  async inTurns(nextTurn: () => Promise<void>): Promise<EncodedList<Encoded>> {
    if (this.#newest !== undefined || this.#chunks.countStale() <= TURN_CHUNKS) return this.now();
    if (this.#nextRound === undefined) {
      this.#nextRound = this.#round.then(() => this.#encodeInTurns(nextTurn));
      // The callers of that round receive the error.
      this.#round = this.#nextRound.catch(() => undefined);
    }
    return this.#nextRound;
  }

  async #encodeInTurns(nextTurn: () => Promise<void>): Promise<EncodedList<Encoded>> {
    this.#nextRound = undefined;
    const cut = this.#cut();
    while (cut.encodeSome(TURN_CHUNKS)) await nextTurn();
    const list = cut.finish();
    if (list.position === this.#place().position) this.#newest = list;
    return list;
  }

  #cut() {
    const place = this.#place();
    const parts = this.#chunks.cut();
    let done = 0;
    const encodeSome = (count: number): boolean => {
      for (let left = count; done < parts.length && left > 0; done++) {
        const part = parts[done] as Chunk<Encoded>;
        if (part.encoded !== undefined) continue;
        part.encoded = this.#encode(slotsOf(part), done === 0, place.position);
        left -= 1;
      }
      return done < parts.length;
    };
    const finish = (): EncodedList<Encoded> => {
      encodeSome(Number.POSITIVE_INFINITY);
      return { ...place, chunks: parts.map(({ encoded }) => encoded as Encoded) };
    };
    return { encodeSome, finish };
  }
}
