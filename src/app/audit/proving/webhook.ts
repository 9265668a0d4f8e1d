/**
 * Posts of events, signed as Standard Webhooks has it (https://www.standardwebhooks.com), with the
 * signature scheme `v1a`: Ed25519 over "ID.TIMESTAMP.BODY".
 */

import { createHash } from 'node:crypto';
import type { NoteSigner } from './checkpoint.ts';

/** The digits of an id's hash: enough that no two events of one position share them. */
const ID_HASH_DIGITS = 16;
/** The algorithm's number before the key in a verifier key. */
const ALGORITHM_BYTES = 1;

/** The attributes of a CloudEvent by which it can be told from every other. */
interface EventNames {
  readonly source: string;
  readonly id: string;
  readonly time: string;
  readonly commandid: string;
}

/**
 * Returns the id of an event's posts: the same for each attempt, and another for an event that was
 * given the same position after the log was cut. It has no full stop, which separates.
 */
export function webhookIdOf({ source, id, time, commandid }: EventNames): string {
  const names = JSON.stringify([source, id, time, commandid]);
  const hash = createHash('sha256').update(names).digest('hex');
  return `evt_${id.replaceAll(/\W/g, '_')}_${hash.slice(0, ID_HASH_DIGITS)}`;
}

/**
 * Returns the headers of a post.
 * @param at The time of the attempt, in seconds of the Unix epoch.
 */
export function webhookHeaders(
  id: string,
  at: number,
  body: string,
  signer: NoteSigner | undefined,
): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(at) };
  if (signer === undefined) return headers;
  const signature = signer.signMessage(`${id}.${at}.${body}`).toString('base64');
  return { ...headers, 'webhook-signature': `v1a,${signature}` };
}

/** Returns a verifier key (`NAME+ID+BASE64`) in the form that libraries of Standard Webhooks take. */
export function webhookKeyOf(verifierKey: string): string {
  // The base64 text may have plus signs of its own.
  const key = verifierKey.replace(/^[^+]*\+[^+]*\+/, '');
  return `whpk_${Buffer.from(key, 'base64').subarray(ALGORITHM_BYTES).toString('base64')}`;
}
