/**
 * The retry policy: which failures are worth another attempt, how long to wait before it, and what
 * a failure means for a command. docs/client.md shows the same as tables.
 */
import type { ErrorCode, StoreOrdersError } from './error.ts';

/** The failures that may be over at the next attempt. */
const PASSING: readonly ErrorCode[] = [
  'network',
  'timeout',
  'service_unavailable',
  'outcome_unknown',
];

/** The statuses after which the next attempt may be answered, from the service or a proxy before it. */
const PASSING_STATUSES: readonly (number | undefined)[] = [408, 429, 502, 503, 504];

/** The failures after which a command may have been carried out all the same. */
const OPEN: readonly ErrorCode[] = [
  'network',
  'timeout',
  'aborted',
  'unexpected_response',
  'internal_error',
  'outcome_unknown',
];

/**
 * The refusals that a command gets under its Idempotency-Key however often it is sent, so that
 * they say what became of every earlier attempt. Others, such as `unauthorized`, speak of one attempt.
 */
const FINAL: readonly ErrorCode[] = [
  'order_not_found',
  'order_exists',
  'order_already_shipped',
  'order_cancelled',
  'batch_refused',
  'precondition_failed',
  'idempotency_key_reused',
];

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** Returns whether the same request may succeed if it is sent again unchanged. */
export function isPassing({ code, status }: Pick<StoreOrdersError, 'code' | 'status'>): boolean {
  return PASSING.includes(code) || PASSING_STATUSES.includes(status);
}

/** Returns whether a command that ended in this way may have been carried out. */
export function leavesOpen(code: ErrorCode): boolean {
  return OPEN.includes(code);
}

/** Returns whether a refusal holds for all attempts under the same Idempotency-Key. */
export function isFinal(code: ErrorCode): boolean {
  return FINAL.includes(code);
}

/**
 * Returns the wait before another attempt, in milliseconds: exponential backoff with full jitter,
 * on top of the time for which the service asked.
 * @param failures The number of attempts that have failed in a row, from 1.
 */
export function delayAfter(failures: number, retryAfterMs = 0, random = Math.random): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  return retryAfterMs + random() * longest;
}

/** The longest wait that an answer can set, in milliseconds: a day. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Returns the wait that an answer's `Retry-After` states, in milliseconds. A date is taken
 * relative to the answer's own `Date`, so that the client's clock may be wrong.
 */
export function retryAfterOf(headers: Headers): number | undefined {
  const stated = headers.get('Retry-After') ?? '';
  const wait = /^\d+$/.test(stated)
    ? Number(stated) * 1_000
    : Date.parse(stated) - Date.parse(headers.get('Date') ?? '');
  return wait >= 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : undefined;
}
