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
    proof: inBase64(proof),
    checkpoint,
  });
}

/** Returns only the proof that an event is in the log of a size. */
export function inclusionJson(position: number, size: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ position, size, proof: inBase64(proof) });
}

/** Returns only the proof that the log of one size begins with that of another. */
export function consistencyJson(from: number, to: number, proof: readonly Uint8Array[]) {
  return JSON.stringify({ from, to, proof: inBase64(proof) });
}

function inBase64(hashes: readonly Uint8Array[]): readonly string[] {
  return hashes.map((hash) => Buffer.from(hash).toString('base64'));
}
