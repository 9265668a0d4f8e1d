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
    proof: inBase64(proof),
    checkpoint,
  });
}

/** The proof that an event is in the log of a size, by itself. */
export function inclusionJson(position: number, size: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ position, size, proof: inBase64(proof) });
}

/** The proof that the log of one size begins with that of another, by itself. */
export function consistencyJson(from: number, to: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ from, to, proof: inBase64(proof) });
}

function inBase64(hashes: readonly Uint8Array[]): readonly string[] {
  return hashes.map((hash) => Buffer.from(hash).toString('base64'));
}
