import type { Request, Response } from 'express';
import { orderToJsonV2 } from '../app/order-json.ts';
import type { OrderPage } from '../app/order-query.ts';
import { type Asked, cursorAfter } from './cursor.ts';
import { sendNegotiated } from './negotiation.ts';
import { linkToNext } from './next-page.ts';

/**
 * Sends a page; where more orders follow, with the cursor to them.
 * @param asOf The position as of which the orders are, if one was asked for.
 */
export async function sendPage(
  req: Request,
  res: Response,
  { orders, hasMore }: OrderPage,
  asked: Asked,
  asOf: number | undefined,
): Promise<void> {
  const last = orders.at(-1);
  const next = last && hasMore ? cursorAfter({ id: last.id, asOf }, asked) : undefined;
  if (next !== undefined) linkToNext(req, res, next);
  const data = orders.map(orderToJsonV2).join(',');
  const then = asOf === undefined ? '' : `"asOf":${asOf},`;
  const page = `{${then}"data":[${data}],"next":${next ? `"${next}"` : null}}`;
  const json = Buffer.from(page, 'latin1');
  res.type('json');
  await sendNegotiated(req, res, json);
}
