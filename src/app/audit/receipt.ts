/**
 * A receipt: all that it takes, beside the log's public key, to see years later and far from here
 * that an event is in the log. The event's place is in its record and the log's size is in the
 * checkpoint, so that neither is said twice.
 */
export function receiptOf(
  record: string,
  proof: readonly Uint8Array[],
  checkpoint: string,
): string {
  return JSON.stringify({
    format: 'store-orders/receipt/v1',
    record,
    proof: proof.map((hash) => Buffer.from(hash).toString('base64')),
    checkpoint,
  });
}
