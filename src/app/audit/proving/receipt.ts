/** Receipts and proofs, in the forms in which they are handed out. */

import { base64Of } from '../proofs/bytes.ts';

/**
 * Returns a receipt: everything, beside the log's public key, that proves years later and without
 * the service that an event is in the log. The event's position is in its record and the log's size
 * is in the checkpoint, so neither is stated twice.
 */
export function receiptOf(
  record: string,
  proof: readonly Uint8Array[],
  checkpoint: string,
): string {
  return JSON.stringify({
    format: 'store-orders/receipt/v1',
    record,
    proof: proof.map(base64Of),
    checkpoint,
  });
}

/** The forms of a receipt: JSON with the record as a text, and C2SP tlog-proof with it as extra data. */
export const RECEIPT_FORMATS = ['json', 'tlog-proof'] as const;

export type ReceiptFormat = (typeof RECEIPT_FORMATS)[number];

/** Returns the same as {@link receiptOf}, as C2SP tlog-proof. The record is in its extra data. */
export function tlogProofOf(
  record: string,
  index: number,
  proof: readonly Uint8Array[],
  checkpoint: string,
): string {
  const extra = Buffer.from(record).toString('base64');
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${extra}`,
    `index ${index}`,
    ...proof.map(base64Of),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Returns only the proof that an event is in the log of a size. */
export function inclusionJson(position: number, size: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ position, size, proof: proof.map(base64Of) });
}

/** Returns only the proof that the log of one size begins with that of another. */
export function consistencyJson(from: number, to: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ from, to, proof: proof.map(base64Of) });
}
