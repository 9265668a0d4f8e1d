import type { Request, RequestHandler, Response } from 'express';
import type { ApiKey, Scope } from '../app/api-key.ts';
import type { Authenticator } from '../app/authenticator.ts';
import { ApiError } from './api-error.ts';
import type { FailedAuthentications } from './failed-authentications.ts';

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/**
 * Lets only requests with a valid key pass (RFC 6750), and notes whose it is. The key comes first, so
 * that nobody with a valid one is held up by the failures of others.
 * @param admit What comes next, for those who pass.
 * @param failures Bounds the others; absent where nothing does.
 */
export function authenticate(
  authenticator: Authenticator,
  admit: RequestHandler,
  failures?: FailedAuthentications,
): RequestHandler {
  return (req, res, next) => {
    const text = keyTextOf(req);
    const enter = (key: ApiKey | undefined) => {
      if (key === undefined) {
        const seconds = failures?.count(req) ?? 0;
        if (seconds > 0) {
          res.setHeader('Retry-After', String(seconds));
          throw new ApiError('rate_limited');
        }
        const reason = text === undefined ? '' : ', error="invalid_token"';
        res.setHeader('WWW-Authenticate', `Bearer realm="store-orders"${reason}`);
        throw new ApiError('unauthorized');
      }
      res.locals.key = key;
      return admit(req, res, next);
    };
    const found = text === undefined ? undefined : authenticator.authenticate(text);
    return found instanceof Promise ? found.then(enter) : enter(found);
  };
}

/** What was sent for a key. */
export function keyTextOf(req: Request): string | undefined {
  return BEARER.exec(req.headers.authorization ?? '')?.[1];
}

/** The key with which the request was authenticated. */
export function keyOf(res: Response): ApiKey {
  return res.locals.key as ApiKey;
}

/** Throws unless the request's key has the scope. */
export function requireScope(res: Response, scope: Scope): void {
  if (keyOf(res).scopes.includes(scope)) return;
  const challenge = `Bearer realm="store-orders", error="insufficient_scope", scope="${scope}"`;
  res.setHeader('WWW-Authenticate', challenge);
  throw new ApiError('insufficient_scope', `The API key lacks the scope ${scope}.`);
}
