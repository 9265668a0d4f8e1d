/** A page of version 2's list, and the Link to the next page. */
import type { Request, Response } from 'express';
import { orderToJsonV2 } from '../../app/read/order-json.ts';
import type { OrderPage } from '../../app/read/order-query.ts';
import { type Asked, cursorAfter } from '../requests/cursor.ts';
import { JSON_UTF_8, sendNegotiated } from './negotiation.ts';

/**
 * Sends a page of version 2's list, with the cursor to the next one if more orders follow.
 * @param asOf The position as of which the orders are, if one was requested.
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
  res.setHeader('Content-Type', JSON_UTF_8);
  await sendNegotiated(req, res, Buffer.from(page, 'latin1'));
}

/**
 * Sets the Link to the next page (RFC 8288): the query of this one with another `after`. The
 * address is relative to that of this page, so that it is right behind any proxy.
 */
export function linkToNext(req: Request, res: Response, after: string): void {
  // A repeated parameter would have been refused.
  const given = req.query as Record<string, string>;
  const query = new URLSearchParams({ ...given, after });
  res.setHeader('Link', `<?${query}>; rel="next"`);
}
