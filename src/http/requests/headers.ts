/** The headers that make a request conditional or idempotent. */
import { z } from 'zod';
import { holdsKey } from '../../app/secrets.ts';

// Idempotency-Key is a draft of the IETF (draft-ietf-httpapi-idempotency-key-header), in which it
// is a string in quotes; most clients send it bare. Both are read, as two different keys.
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const NO_IDEMPOTENCY_KEY = {
  error: 'must be 1 to 255 visible ASCII characters, given once',
  abort: true,
};
const ETAG = /(?:W\/)?"[\x21\x23-\x7e]*"[ \t]*/.source;
/** RFC 9110, section 13.1.1. Elements of a list may be empty, but not all: section 5.6.1.2. */
const IF_MATCH = new RegExp(`^(?:\\*|(?:,[ \\t]*)*${ETAG}(?:,[ \\t]*(?:${ETAG})?)*)$`);
const NO_IF_MATCH = { error: 'must be * or a list of ETags', abort: true };

const idempotencyKey = z
  .string()
  .max(255, NO_IDEMPOTENCY_KEY)
  .regex(IDEMPOTENCY_KEY, NO_IDEMPOTENCY_KEY)
  // It would be stored permanently and unencrypted.
  .refine((key) => !holdsKey(key), 'must not have an API key in it')
  .optional()
  .describe(
    'A name for this request that the client makes up, such as a random UUID: 1 to 255 visible ' +
      'ASCII characters. A request that is sent again under the same name is carried out once, and ' +
      'gets the same answer, whatever happened in between. Names are kept apart by API key, and ' +
      'kept for good, so an API key in one is a 400. Another request under the same name is a 422 ' +
      '`idempotency_key_reused`.',
  );

const ifMatch = z
  .string()
  .max(16_384, NO_IF_MATCH)
  .regex(IF_MATCH, NO_IF_MATCH)
  .optional()
  .describe(
    'ETags of the order, or `*`. The request is carried out only if the current one is among ' +
      'them; otherwise it is a 412 `precondition_failed`.',
  );

/** The headers of a request that creates something. */
export const CreateHeaders = z.object({ 'Idempotency-Key': idempotencyKey });

/** The headers of a request that changes something. */
export const ChangeHeaders = z.object({ 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch });

/**
 * Headers that let a change be carried out under a condition only, or in part only. Whoever sends one
 * does not want the whole change in any case: RFC 9110, sections 13.1.1, 13.1.2 and 14.5.
 */
export const RESTRICTIONS = ['If-Match', 'If-None-Match', 'Content-Range'] as const;

/** Returns the ETag of an order: its version, in this log. */
export function orderTag(logName: string, version: number): string {
  return `"${logName}-${version}"`;
}

/**
 * Returns the versions of an order that If-Match names; `undefined` if any will do. Tags are
 * compared strongly, so a weak tag matches nothing.
 */
export function versionsIn(ifMatch: string, logName: string): readonly number[] | undefined {
  if (ifMatch === '*') return undefined;
  return ifMatch.split(',').flatMap((tag) => {
    const version = Number(tag.slice(tag.lastIndexOf('-') + 1, tag.lastIndexOf('"')));
    return tag.trim() === orderTag(logName, version) ? [version] : [];
  });
}
