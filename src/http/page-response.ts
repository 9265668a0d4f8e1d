import type { Request, Response } from 'express';
import { orderToJsonV2 } from '../app/order-json.ts';
import type { OrderPage } from '../app/order-query.ts';
import { type Asked, cursorAfter } from './cursor.ts';
import { acceptsGzip, compress } from './negotiation.ts';

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
  if (next !== undefined) res.setHeader('Link', `<${addressOf(req, next)}>; rel="next"`);
  const data = orders.map(orderToJsonV2).join(',');
  const then = asOf === undefined ? '' : `"asOf":${asOf},`;
  const page = `{${then}"data":[${data}],"next":${next ? `"${next}"` : null}}`;
  const json = Buffer.from(page, 'latin1');
  res.type('json');
  if (!acceptsGzip(req)) {
    res.send(json);
    return;
  }
  res.setHeader('Content-Encoding', 'gzip');
  res.send(await compress(json));
}

/**
 * The address of the page at a cursor, relative to that of this one, so that it holds behind
 * whatever a proxy has put before the path.
 */
function addressOf({ query }: Request, after: string): string {
  // Every parameter was given once, or the request would have been refused.
  const given = query as Record<string, string>;
  return `?${new URLSearchParams({ ...given, after })}`;
}
