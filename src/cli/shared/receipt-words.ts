/** The statement of a receipt, in words. */

import { knownEventIn } from '../../app/audit/proofs/known-event.ts';
import type { DecodeStrictly } from '../../app/ports/evidence.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { statusAfter } from '../../domain/order-lives.ts';
import { receiptWords } from './event-words.ts';
import { visible } from './print.ts';

/** The statement of a receipt that is known to be genuine. */
export interface Said {
  readonly order: string;
  readonly event: OrderEvent['type'];
  readonly at: string;
  readonly by: string;
  readonly commandId: string;
  /** The statement as a sentence, without its capital and its full stop. */
  readonly words: string;
}

/** The limits of every receipt. */
export const NOT_SHOWN =
  "It does not show what else happened to the order, before or after, who held the key, nor that the service's clock was right.";

/**
 * Returns the statement of the record in a genuine receipt; `undefined` if this version cannot read
 * it.
 */
export function saidBy(record: string, decode: DecodeStrictly): Said | undefined {
  const recorded = knownEventIn(record, decode);
  if (recorded === undefined) return undefined;
  const { event } = recorded;
  const { at, by, commandId } = recorded.metadata;
  const order = String(event.orderId);
  const what = receiptWords(event, `${timeWords(at)}, by ${authorOf(by)}`);
  return { order, event: event.type, at, by, commandId, words: `order ${order} was ${what}` };
}

/** Returns true for a statement that says that its order was cancelled. */
export function showsCancellation(says: Said | undefined): says is Said {
  return says !== undefined && statusAfter(says.event) === 'cancelled';
}

/** Returns a time in words, such as `on 2026-03-01 at 09:00:00.000 UTC`. */
export function timeWords(at: string): string {
  const [day, time = ''] = at.split('T');
  return `on ${day} at ${time.replace('Z', ' UTC')}`;
}

/** Returns the id of a key, or the name of a tool, quoted if it has unusual characters. */
function authorOf(by: string): string {
  if (/^[0-9A-Za-z]{10}$/.test(by)) return `the API key ${by}`;
  return /^[\w.-]+$/.test(by) ? by : JSON.stringify(visible(by));
}
