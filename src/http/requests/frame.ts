/**
 * Checks of RFC 9112 that Node's parser does not make. The next server in a chain may see another
 * end of a request that fails them, or another host. Such a request is refused and its connection
 * closed.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/**
 * An authority without a user (RFC 9110, sections 4.2.4 and 7.2). Two Host headers come joined by
 * `, `.
 */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * The longest that headers may be together which are parsed as lists, of alternatives or proxies:
 * that takes up to a microsecond a character, before anything is known about the client.
 */
const MAX_LIST_CHARACTERS = 1_024;

/** All methods of the service. */
export const ALL_METHODS = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

/** Returns the error of a request's framing; `undefined` if there is none. */
export function faultOfFrame(req: IncomingMessage): ApiError | undefined {
  const { host, 'transfer-encoding': coding } = req.headers;
  const {
    accept = '',
    'accept-encoding': codings = '',
    'x-forwarded-for': proxies = '',
  } = req.headers;
  const isHttp11 = req.httpVersionMinor === 1;
  if (req.httpVersionMajor !== 1) return invalid('Only HTTP/1.1 and HTTP/1.0 are served here.');
  // Section 3.2.
  if (host === undefined && isHttp11) return invalid('The Host header is missing.');
  if (host !== undefined && !HOST.test(host)) return invalid('The Host header is not one host.');
  // Section 6.1: with an unknown coding, or in HTTP/1.0, the end of the body is ambiguous.
  if (coding !== undefined && (!isHttp11 || coding.toLowerCase() !== 'chunked'))
    return invalid('The Transfer-Encoding must be chunked, in HTTP/1.1.');
  if (accept.length + codings.length + proxies.length > MAX_LIST_CHARACTERS) return TOO_LONG;
  // Section 3.2: a target has no fragment. Express would cut it off, and a query behind it.
  if (req.url?.includes('#'))
    return invalid('The target of the request has a "#": send it as %23.');
  if (!req.url?.startsWith('/')) return faultOfTarget(req);
  return undefined;
}

const TOO_LONG = new ApiError(
  'invalid_request',
  'Accept, Accept-Encoding and X-Forwarded-For are too long.',
  431,
);

/**
 * Checks a target that is not a path (section 3.2). One in absolute form is replaced by its path.
 */
function faultOfTarget(req: IncomingMessage): ApiError | undefined {
  const { method, url = '' } = req;
  if (method === 'CONNECT') return new ApiError('method_not_allowed', 'This is no proxy.');
  if (url === '*' && method === 'OPTIONS') return undefined;
  const [address, authority] = ABSOLUTE_FORM.exec(url) ?? [];
  if (address === undefined || !authority || !HOST.test(authority))
    return invalid('The target of the request must be a path.');
  const path = url.slice(address.length);
  req.url = path.startsWith('/') ? path : `/${path}`;
  return undefined;
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_request', message);
}
