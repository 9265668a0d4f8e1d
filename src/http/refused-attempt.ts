import type { Request, Response } from 'express';
import { type ApiKey, keyIdOf } from '../app/api-key.ts';
import type { RefusedAttempt } from '../app/ports/refusal-trail.ts';
import type { ApiError } from './api-error.ts';
import { keyTextOf } from './authentication.ts';
import { requestIdOf } from './request-log.ts';
import { shownPath } from './shown.ts';

/**
 * What an auditor would want to know of an answer that is not a success: keys that are not valid,
 * keys that go beyond their scopes, and commands that the state of things forbids. To look for what
 * is not there, to send what is malformed, or not to show a key at all, is nothing of that kind.
 */
export function refusedAttempt(
  req: Request,
  res: Response,
  { code }: ApiError,
): Omit<RefusedAttempt, 'at'> | undefined {
  if (!isRefusal(req, code)) return undefined;
  const key = res.locals.key as ApiKey | undefined;
  const keyId = key?.id ?? keyIdOf(keyTextOf(req) ?? '');
  return {
    code,
    ...(keyId === undefined ? {} : { keyId }),
    method: req.method,
    path: shownPath(req.originalUrl),
    requestId: requestIdOf(res),
  };
}

function isRefusal(req: Request, code: ApiError['code']): boolean {
  switch (code) {
    case 'unauthorized':
      return req.headers.authorization !== undefined;
    case 'insufficient_scope':
    case 'order_exists':
    case 'order_already_shipped':
    case 'order_cancelled':
    case 'precondition_failed':
    case 'idempotency_key_reused':
      return true;
    case 'order_not_found':
      return req.method !== 'GET' && req.method !== 'HEAD';
    default:
      return false;
  }
}
