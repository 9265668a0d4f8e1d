/** Authentication by API key (RFC 6750), and authorization by its scopes. */
import type { Request, RequestHandler } from 'express';
import type { Authenticator } from '../../app/keys/authenticator.ts';
import type { KeyLimiter } from '../../app/keys/key-limiter.ts';
import type { ApiKey, Scope } from '../../app/ports/key-store.ts';
import { ApiError } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';
import { requireWithinLimits } from './key-limits.ts';
import type { NetworkLimit } from './network-limit.ts';

const TOO_MANY_FAILURES =
  'Too many requests without a valid API key have come from this address. Those with one are served.';
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/**
 * Returns a handler that admits only requests with a valid key, and notes the key in their context.
 * A request that was admitted before, and failed later, is admitted again without being counted
 * twice. The key is checked first, so that failures of other clients do not delay those with a
 * valid key.
 * @param admit The handler of admitted requests.
 * @param failures Limits the others; absent if they are not limited.
 */
export function authenticate(
  authenticator: Pick<Authenticator, 'authenticate'>,
  limiter: KeyLimiter,
  admit: RequestHandler,
  failures?: NetworkLimit,
): RequestHandler {
  return (req, res, next) => {
    if (req.context.key !== undefined) return next();
    const text = keyTextOf(req);
    const enter = (key: ApiKey | undefined) => {
      if (key === undefined) {
        const seconds = failures?.count(req) ?? 0;
        if (seconds > 0) {
          res.setHeader('Retry-After', String(seconds));
          throw new ApiError('rate_limited', TOO_MANY_FAILURES);
        }
        const reason = text === undefined ? '' : ', error="invalid_token"';
        res.setHeader('WWW-Authenticate', `Bearer realm="store-orders"${reason}`);
        throw new ApiError('unauthorized');
      }
      req.context.key = key;
      if (key.limits !== undefined) requireWithinLimits(limiter, key, res);
      return admit(req, res, next);
    };
    const found = text === undefined ? undefined : authenticator.authenticate(text);
    return found instanceof Promise ? found.then(enter) : enter(found);
  };
}

/** Returns the text that a request has in place of a key, valid or not. */
export function keyTextOf(req: Request): string | undefined {
  return BEARER.exec(req.headers.authorization ?? '')?.[1];
}

/** Throws a 403 unless the key of an authenticated request has the scope. */
export function requireScope({ key, res }: RequestContext, scope: Scope): void {
  if (key?.scopes.includes(scope)) return;
  const challenge = `Bearer realm="store-orders", error="insufficient_scope", scope="${scope}"`;
  res.setHeader('WWW-Authenticate', challenge);
  throw new ApiError('insufficient_scope', `The API key lacks the scope ${scope}.`);
}
