import { orderToJson } from '../app/order-json.ts';
import type { OrderView } from '../app/order-list.ts';
import { type GzipPiece, gzipPiece } from './gzip.ts';

/**
 * A page of the list as it is sent: JSON that opens the array on the first page and goes on with a
 * comma on the others, so that the pages in a row lack nothing but the closing bracket.
 */
export class ListPage {
  readonly json: Buffer;
  #gzip: Promise<GzipPiece> | undefined;

  constructor(json: Buffer) {
    this.json = json;
  }

  /** The page compressed. It is compressed once, when somebody first asks for it. */
  gzip(): Promise<GzipPiece> {
    this.#gzip ??= gzipPiece(this.json);
    return this.#gzip;
  }
}

export function encodePage(orders: readonly OrderView[], first: boolean): ListPage {
  let text = '';
  for (const order of orders) text += `,${orderToJson(order)}`;
  return new ListPage(Buffer.from(first ? `[${text.slice(1)}` : text, 'latin1'));
}
