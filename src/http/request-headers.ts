import type { Request } from 'express';
import { z } from 'zod';
import { holdsKey } from '../app/secrets.ts';
import { ApiError } from './api-error.ts';

/**
 * What the headers of a request say about whether, and how often, it is to be carried out.
 *
 * Idempotency-Key is a draft of the IETF (draft-ietf-httpapi-idempotency-key-header), in which it is
 * a string in quotes; most clients send it bare. Both are read, as two different keys.
 */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
/** RFC 9110, section 13.1.1. */
const IF_MATCH = /^(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*)$/;

const idempotencyKey = z
  .string()
  .max(255)
  .regex(IDEMPOTENCY_KEY)
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
  .max(16_384)
  .regex(IF_MATCH)
  .optional()
  .describe(
    'ETags of the order, or `*`. The request is carried out only if the current one is among ' +
      'them; otherwise it is a 412 `precondition_failed`.',
  );

/** The headers of a request that creates something, and of one that changes what is there. */
export const CreateHeaders = z.object({ 'Idempotency-Key': idempotencyKey });
export const ChangeHeaders = z.object({ 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch });

/** The name under which the request may be sent again. Throws a 400 where it cannot be one. */
export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.headers['idempotency-key'] as string | undefined;
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) {
    const wrong = 'Idempotency-Key: must be 1 to 255 visible ASCII characters, given once';
    throw new ApiError('invalid_request', wrong);
  }
  // It would be kept for good, and in the clear.
  if (holdsKey(key)) {
    throw new ApiError('invalid_request', 'Idempotency-Key: must not have an API key in it');
  }
  return key;
}

/** An order's ETag: its version, in this log. */
export function orderTag(logName: string, version: number): string {
  return `"${logName}-${version}"`;
}

/**
 * The versions of the order that If-Match names; `undefined` where any will do. Tags are compared
 * strongly, so a weak one names none. Throws a 400 for what is no list of tags.
 */
export function versionsOf(req: Request, logName: string): readonly number[] | undefined {
  const value = req.headers['if-match'];
  if (value === undefined || value === '*') return undefined;
  if (!IF_MATCH.test(value)) {
    throw new ApiError('invalid_request', 'If-Match: must be * or a list of ETags');
  }
  return value.split(',').flatMap((tag) => {
    const version = Number(tag.slice(tag.lastIndexOf('-') + 1, tag.lastIndexOf('"')));
    return tag.trim() === orderTag(logName, version) ? [version] : [];
  });
}
