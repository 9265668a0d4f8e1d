import type { Request, Response } from 'express';
import type { OrderDetails } from '../app/order-list.ts';
import type { OrderFilter } from '../app/order-query.ts';
import { cursorAfter } from './cursor.ts';
import { acceptsGzip, compress } from './negotiation.ts';
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
  if (next !== undefined) res.setHeader('Link', `<${addressOf(req, next)}>; rel="next"`);
  const data = orders.map(orderToJsonV2).join(',');
  const json = Buffer.from(`{"data":[${data}],"next":${next ? `"${next}"` : null}}`, 'latin1');
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
