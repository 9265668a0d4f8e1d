/** A chunk of version 1's list, encoded: its text, its compressed form, or both. */
import { orderToJson } from '../../app/read/order-json.ts';
import type { OrderView } from '../../app/state/order-list.ts';
import type { Inflater } from './deflate.ts';
import { lazily } from './fixed-answer.ts';
import { type GzipPiece, gzipPiece } from './gzip.ts';
import type { VersionedChunk } from './list-versions.ts';

/**
 * About a thousand orders. The JSON text opens the array in the first chunk and continues with a comma
 * in the others, so that consecutive chunks lack only the closing bracket.
 */
export class ListChunk implements VersionedChunk {
  /** The length of the text, in bytes. */
  readonly length: number;
  firstIn?: number;
  lastIn?: number;
  /** Resolves with the compressed chunk. It is compressed once, at the first call; after a failure, at the next. */
  readonly gzip = lazily(() => this.#compress(this.#text as Buffer));
  #text: Buffer | undefined;
  #deflatedBytes = 0;

  constructor(text: Buffer) {
    this.#text = text;
    this.length = text.length;
  }

  /** The size in memory, in bytes. */
  get bytes(): number {
    return (this.#text?.length ?? 0) + this.#deflatedBytes;
  }

  /** The text, if it is kept. */
  get text(): Buffer | undefined {
    return this.#text;
  }

  /**
   * Passes the text on, in parts. It is unpacked, at each call, if only the compressed form is kept.
   * @param use Called with the parts in turn.
   */
  async pass(inflater: Inflater, use: (part: Buffer) => void): Promise<void> {
    if (this.#text === undefined) await inflater.inflate((await this.gzip()).deflated, use);
    else use(this.#text);
  }

  /** Frees the text, and resolves when it is freed. */
  async condense(): Promise<void> {
    await this.gzip();
    this.#text = undefined;
  }

  async #compress(text: Buffer): Promise<GzipPiece> {
    const piece = await gzipPiece(text);
    this.#deflatedBytes = piece.deflated.length;
    return piece;
  }
}

export function encodeChunk(orders: readonly OrderView[], first: boolean): ListChunk {
  let text = '';
  for (const order of orders) text += `,${orderToJson(order)}`;
  return new ListChunk(Buffer.from(first ? `[${text.slice(1)}` : text, 'latin1'));
}
