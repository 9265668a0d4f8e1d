/** The HTTP client for witnesses. */

import { bodyOf, causeOf } from '../../app/outgoing.ts';
import type { AskWitness } from '../../app/ports/witnesses.ts';
import { retryAfterOf } from '../../client/retry-policy.ts';

/** The longest time to the end of an answer, in milliseconds. */
const WITNESS_TIMEOUT_MS = 10_000;
/** The longest answer, in bytes: a cosignature has about 150. */
const MAX_ANSWER_BYTES = 16_384;

/**
 * Returns a client, which keeps connections open between requests as `fetch` does.
 * @param timeoutMs The longest time to the end of an answer.
 */
export function witnessClient(timeoutMs: number = WITNESS_TIMEOUT_MS): AskWitness {
  return async (url, body, stop) => {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'User-Agent': 'store-orders' },
        body,
        // A witness is where the policy has it, and nowhere else.
        redirect: 'manual',
        signal: AbortSignal.any([late, stop]),
      });
      const bytes = await bodyOf(answer, MAX_ANSWER_BYTES);
      if (bytes === undefined)
        return unanswered(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
      const { status, headers } = answer;
      return {
        kind: 'answered',
        status,
        body: bytes.toString(),
        retryAfterMs: retryAfterOf(headers),
      };
    } catch (error) {
      return unanswered(late.aborted ? `no answer in ${timeoutMs / 1_000} s` : causeOf(error));
    }
  };
}

function unanswered(reason: string) {
  return { kind: 'unanswered', reason } as const;
}
