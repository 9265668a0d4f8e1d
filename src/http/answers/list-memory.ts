/**
 * The bound on the text of the list in memory. The list's first chunks are kept as text, which is sent
 * without any work; those beyond the bound are kept compressed, in a tenth of the memory, and are inflated
 * for each client that accepts no compression.
 */
import { nextTurn } from '../../app/event-loop.ts';
import type { EncodedList } from '../../app/state/encoded-lists.ts';
import type { EncodeChunk } from '../../app/state/order-list.ts';
import { encodeChunk, type ListChunk } from './list-chunk.ts';

export class ListMemory {
  readonly #maxTextBytes: number;
  /** The chunks that were encoded since they were last looked at. */
  #fresh: ListChunk[] = [];
  #bounded: EncodedList<ListChunk> | undefined;

  /** @param maxTextBytes The most bytes of text. */
  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes;
  }

  /** Encodes a chunk of the list. */
  readonly encode: EncodeChunk<ListChunk> = (orders, first) => {
    const chunk = encodeChunk(orders, first);
    this.#fresh.push(chunk);
    return chunk;
  };

  /**
   * Returns a function that is awaited between the turns in which a list is encoded. What is beyond the
   * bound is condensed before more is encoded, so that a long list is never in memory as text.
   */
  turns(): () => Promise<void> {
    let bytes = 0;
    return async () => {
      const beyond = this.#takeFresh().filter(({ length }) => {
        bytes += length;
        return bytes > this.#maxTextBytes;
      });
      await Promise.all(beyond.map((chunk) => chunk.condense()));
      await nextTurn();
    };
  }

  /** Condenses, in the background, what is beyond the bound in the newest list. */
  bound(list: EncodedList<ListChunk>): void {
    if (list === this.#bounded) return;
    this.#bounded = list;
    this.#takeFresh();
    let bytes = 0;
    for (const chunk of list.chunks) {
      bytes += chunk.length;
      if (bytes <= this.#maxTextBytes || chunk.text === undefined) continue;
      // A chunk that cannot be compressed keeps its text.
      chunk.condense().catch(() => undefined);
    }
  }

  #takeFresh(): ListChunk[] {
    return this.#fresh.splice(0);
  }
}
