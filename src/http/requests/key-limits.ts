/**
 * Applies the limits of API keys after authentication: 429, and the header fields of
 * draft-ietf-httpapi-ratelimit-headers-11 on every response to a key with a rate.
 */
import type { Response } from 'express';
import type { KeyLimiter, Quota } from '../../app/keys/key-limiter.ts';
import type { ApiKey } from '../../app/ports/key-store.ts';
import { ApiError } from '../api-error.ts';

/** The Retry-After of a client that has to wait for other requests of its own, in seconds. */
const RETRY_AFTER_S = 1;

// Created once: creating an Error takes longer than the rest of a refusal.
const TOO_FAST = new ApiError(
  'rate_limited',
  'This API key sends more requests than its rate allows. Try again after Retry-After.',
);
const TOO_MANY = new ApiError(
  'rate_limited',
  'Too many requests of this API key are under way. Try again when one has its answer.',
);
const TOO_MANY_STREAMS = new ApiError(
  'rate_limited',
  'Too many event streams of this API key are open. Try again when one has ended.',
);

/** Counts a request of a key with limits. Throws a 429 if they are exceeded. */
export function requireWithinLimits(limiter: KeyLimiter, key: ApiKey, res: Response): void {
  const entry = limiter.enter(key);
  const { quota } = entry;
  if (quota !== undefined) {
    res.setHeader('RateLimit-Policy', policyOf(quota));
    res.setHeader('RateLimit', stateOf(quota));
  }
  if (entry.kind === 'too_fast') throw refusal(res, TOO_FAST, entry.quota.moreInS);
  if (entry.kind === 'too_many') {
    // The request has also used the rate.
    throw refusal(res, TOO_MANY, quota?.remaining === 0 ? quota.moreInS : RETRY_AFTER_S);
  }
  res.req.context.leave = entry.leave;
  // Before the listener that begins the next request of the connection, which would be one too many.
  res.prependOnceListener('close', entry.leave);
  // The client may have disconnected while its key was looked up.
  if (res.closed) entry.leave();
}

/**
 * Counts the commands of a batch, of which its request was the first. Throws a 429 if the rate of the key
 * has too little left, and a 400 if it never has so much; then none of them is counted, not even the first.
 */
export function requireItemsWithinRate(
  limiter: KeyLimiter,
  key: ApiKey,
  res: Response,
  items: number,
): void {
  const quota = limiter.takeMore(key, items - 1);
  if (quota === undefined) return;
  res.setHeader('RateLimit', stateOf(quota));
  if (quota.isTaken) return;
  const { burst } = quota.rate;
  if (items <= burst) throw refusal(res, TOO_FAST, quota.moreInS);
  const message = `This API key may send ${burst} items at once, and this batch has ${items}.`;
  throw new ApiError('invalid_request', message);
}

/**
 * Counts an event stream: see {@link KeyLimiter.openStream}. Throws a 429 if there are too many.
 */
export function openStream(limiter: KeyLimiter, key: ApiKey, res: Response): () => void {
  const close = limiter.openStream(key);
  if (close === undefined) throw refusal(res, TOO_MANY_STREAMS, RETRY_AFTER_S);
  // From here on it counts as a stream, and no longer as a request in flight.
  res.req.context.leave?.();
  return close;
}

function refusal(res: Response, error: ApiError, seconds: number): ApiError {
  res.setHeader('Retry-After', String(seconds));
  return error;
}

function policyOf({ rate: { requests, seconds } }: Quota): string {
  return `"default";q=${requests};w=${seconds}`;
}

// In a refusal, `t` is not earlier than Retry-After, as section 5 of the draft recommends.
function stateOf({ remaining, moreInS }: Quota): string {
  return `"default";r=${remaining};t=${moreInS}`;
}
