/**
 * The list of version 2 as CSV (RFC 4180): every order that passes the filters, without pages. It is made
 * and sent a slice at a time, all of them as of one position, so it takes the memory of a slice and other
 * requests get their turn, however long the list is and whatever happens to it meanwhile.
 */
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { CSV_HEADER, orderToCsv } from '../../app/read/order-csv.ts';
import { findOrders, type OrderQuery } from '../../app/read/order-query.ts';
import type { OrderList } from '../../app/state/order-list.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { as } from '../requests/values.ts';
import { acceptsGzip } from './negotiation.ts';
import { nextPart, type Sending } from './sending.ts';

export const CSV = 'text/csv';
/** The Content-Type of the list. */
export const CSV_UTF_8 = `${CSV}; charset=utf-8; header=present`;

export const OrdersCsv = as(z.string(), {
  type: 'string',
  pattern: '^id,petId,',
  maxLength: 2 ** 40,
}).describe('A header, and a line for each order.');

/** The orders that are found in one turn of the event loop: about 2 ms. */
const SLICE_ORDERS = 500;
/** The memory of a response whose client does not read: its last slice, and what compresses it. */
const SLICE_BYTES = 49_152;
const GZIP_BYTES = 327_680;

/** The list that is sent. */
interface CsvList {
  readonly list: OrderList<unknown>;
  readonly query: OrderQuery;
  /** The order behind which it begins; undefined for the beginning. */
  readonly after: OrderId | undefined;
  /** The position as of which all orders are. */
  readonly position: number;
}

export async function sendCsv(
  req: Request,
  res: Response,
  csv: CsvList,
  sending: Sending,
): Promise<void> {
  const isCompressed = acceptsGzip(req);
  res.setHeader('Content-Type', CSV_UTF_8);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const out = isCompressed ? createGzip() : res;
  if (out !== res) out.pipe(res);
  const own = { ...sending, ownBytes: SLICE_BYTES + (isCompressed ? GZIP_BYTES : 0) };
  for (const text of slicesOf(csv)) {
    out.write(text);
    await nextPart(res, own, out);
    if (res.closed) break;
  }
  out.end();
}

function* slicesOf({ list, query, after, position }: CsvList): Generator<string> {
  let text = CSV_HEADER;
  let begin = after;
  for (let hasMore = true; hasMore; text = '') {
    const page = findOrders(list, query, begin, SLICE_ORDERS, position);
    for (const order of page.orders) text += orderToCsv(order);
    begin = page.orders.at(-1)?.id;
    hasMore = page.hasMore;
    yield text;
  }
}
