import type { Request } from 'express';
import { keyIdOf } from '../app/keys/api-key.ts';
import type { Refusal } from '../app/log/submission.ts';
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

/**
 * The refusals of commands, each recorded for every method or for those that change something. All are named,
 * because a new one that is forgotten would be missing in the trail, and nobody would see it.
 */
const OF_COMMANDS: Readonly<Record<Refusal, 'every method' | 'changes'>> = {
  order_exists: 'every method',
  order_already_shipped: 'every method',
  order_cancelled: 'every method',
  batch_refused: 'every method',
  precondition_failed: 'every method',
  idempotency_key_reused: 'every method',
  // A read of what is not there is no attempt at anything.
  order_not_found: 'changes',
};

function isRecorded({ headers, method }: Request, code: ErrorCode): boolean {
  if (code === 'unauthorized') return headers.authorization !== undefined;
  if (code === 'insufficient_scope') return true;
  const of = Object.hasOwn(OF_COMMANDS, code) ? OF_COMMANDS[code as Refusal] : undefined;
  return of === 'every method' || (of === 'changes' && method !== 'GET' && method !== 'HEAD');
}
