import type { Request, Response } from 'express';

/**
 * Says where the next page is (RFC 8288): what this one was asked for, but after this. The address
 * is relative to that of this page, so that it holds behind whatever a proxy has put before the path.
 */
export function linkToNext(req: Request, res: Response, after: string): void {
  // Every parameter was given once, or the request would have been refused.
  const given = req.query as Record<string, string>;
  const query = new URLSearchParams({ ...given, after });
  res.setHeader('Link', `<?${query}>; rel="next"`);
}
