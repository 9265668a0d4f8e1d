/** Express as the servers of this program use it: exact, and behind steps that every request takes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express';
import { ApiError } from './api-error.ts';
import { RequestContext } from './request-context.ts';
import type { RequestLog } from './request-log.ts';
import { ALL_METHODS, faultOfFrame } from './requests/frame.ts';
import { shownNames } from './requests/shown.ts';

/** The methods that If-None-Match makes conditional reads. */
const READS = ['GET', 'HEAD'];

/** Handles requests. Has the prototypes that Express gives to requests and responses. */
export type App = ((req: IncomingMessage, res: ServerResponse) => void) &
  Pick<Express, 'request' | 'response'>;

/** Returns an Express that takes paths and queries by the letter, and adds nothing to responses. */
export function exactExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('query parser', parseQuery);
  Object.defineProperty(app.request, 'fresh', { get: isFresh });
  return app;
}

/**
 * Returns true if If-None-Match names the ETag that the response has, by the weak comparison (RFC 9110,
 * section 13.1.2). Express's own is never true beside `Cache-Control: no-cache`: that speaks to caches,
 * and `fetch` adds it to every request with an If-None-Match (Fetch, section 4.6).
 */
function isFresh(this: Request): boolean {
  const tags = this.headers['if-none-match'];
  const etag = this.res?.get('ETag');
  if (tags === undefined || etag === undefined || !READS.includes(this.method)) return false;
  if (tags.trim() === '*') return true;
  return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * Parses a query: all of its pairs, of which Express would ignore those beyond a thousand. Throws a 400
 * for those that are not percent-encoded UTF-8, which Node would change instead.
 */
function parseQuery(query: string | null): ParsedUrlQuery {
  if (query?.includes('%')) {
    const malformed = query.split('&').filter((pair) => !isDecodable(pair));
    const names = malformed.map((pair) => pair.split('=', 1)[0] as string);
    if (names.length > 0)
      throw new ApiError('invalid_request', shownNames(names, 'must be percent-encoded UTF-8'));
  }
  return parse(query ?? '', '&', '=', { maxKeys: 0 });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns an app with the steps of every request. They run before Express, whose router takes 1 to
 * 2 µs for each step.
 */
export function answering(
  app: Express,
  requestLog: RequestLog,
  answerError: ErrorRequestHandler,
): App {
  const answer = (req: Request, res: Response) => {
    const fault = faultOfFrame(req);
    req.context = new RequestContext(req, res);
    requestLog.logWhenDone(req.context);
    // After the head of a response is sent, an error can only cut it off.
    const cutOff = () => void req.socket.destroy();
    if (fault === undefined && req.url !== '*') {
      app(req, res, cutOff);
      return;
    }
    // The following bytes may be the rest of this request or another one.
    res.shouldKeepAlive = false;
    if (fault?.code !== 'invalid_request') res.setHeader('Allow', ALL_METHODS);
    if (fault !== undefined) answerError(fault, req, res, cutOff);
    else res.writeHead(204).end();
  };
  const { request, response } = app;
  return Object.assign(answer, { request, response }) as App;
}
