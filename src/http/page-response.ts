import type { Request, Response } from 'express';
import type { OrderDetails } from '../app/order-list.ts';
import type { OrderFilter } from '../app/order-query.ts';
import { cursorAfter } from './cursor.ts';
import { sendNegotiated } from './negotiation.ts';
import { linkToNext } from './next-page.ts';
import { orderToJsonV2 } from './order-json.ts';

/** Sends a page; where more orders follow, with the cursor to them. */
export async function sendPage(
  req: Request,
  res: Response,
  orders: readonly OrderDetails[],
  filterOfNext: OrderFilter | undefined,
): Promise<void> {
  const last = orders.at(-1);
  const next =
    filterOfNext === undefined || last === undefined
      ? undefined
      : cursorAfter(last.id, filterOfNext);
  if (next !== undefined) linkToNext(req, res, next);
  const data = orders.map(orderToJsonV2).join(',');
  const json = Buffer.from(`{"data":[${data}],"next":${next ? `"${next}"` : null}}`, 'latin1');
  res.type('json');
  await sendNegotiated(req, res, json);
}
