import type { Request } from 'express';
import { keyIdOf } from '../app/keys/api-key.ts';
import type { RefusedAttempt } from '../app/ports/refusal-trail.ts';
import type { ErrorCode } from './api-error.ts';
import { keyTextOf } from './requests/authentication.ts';
import { shownPath } from './requests/shown.ts';

/**
 * Returns the entry in the trail of refusals for a refused request, if it gets one: for an invalid
 * key, a missing scope, or a command that the order's state forbids. A malformed request, one for
 * something that does not exist, and one without a key get none.
 */
export function refusedAttempt(
  req: Request,
  code: ErrorCode,
): Omit<RefusedAttempt, 'at'> | undefined {
  if (!isRecorded(req, code)) return undefined;
  const { key, requestId } = req.context;
  const keyId = key?.id ?? keyIdOf(keyTextOf(req) ?? '');
  return {
    code,
    ...(keyId === undefined ? {} : { keyId }),
    method: req.method,
    path: shownPath(req.originalUrl),
    requestId,
  };
}

function isRecorded(req: Request, code: ErrorCode): boolean {
  switch (code) {
    case 'unauthorized':
      return req.headers.authorization !== undefined;
    case 'insufficient_scope':
    case 'order_exists':
    case 'order_already_shipped':
    case 'order_cancelled':
    case 'batch_refused':
    case 'precondition_failed':
    case 'idempotency_key_reused':
      return true;
    case 'order_not_found':
      return req.method !== 'GET' && req.method !== 'HEAD';
    default:
      return false;
  }
}
