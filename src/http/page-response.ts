import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { OrderDetails } from '../app/order-list.ts';
import type { OrderFilter } from '../app/order-query.ts';
import { cursorAfter } from './cursor.ts';
import { acceptsGzip } from './list-response.ts';
import { orderToJsonV2 } from './order-json.ts';

const compress = promisify<Buffer, Buffer>(gzip);

/**
 * Says by which ETag the answer will be known, and answers 304 to whoever has it already. The same
 * query at the same position of the log gives the same page: it need not even be looked for.
 */
export function isNotModified(req: Request, res: Response, tag: string): boolean {
  res.setHeader('ETag', acceptsGzip(req) ? `"${tag}-gzip"` : `"${tag}"`);
  res.setHeader('Cache-Control', 'private, no-cache');
  res.vary('Accept-Encoding');
  if (req.fresh) res.status(304).end();
  return req.fresh;
}

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
