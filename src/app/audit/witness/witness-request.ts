/**
 * The body of a request for a cosignature (C2SP tlog-witness, `add-checkpoint`): the size that the
 * witness has seen, the proof that the new checkpoint is consistent with it, and the checkpoint.
 */

import { base64Of, bytesOf, isExactBase64 } from '../proofs/bytes.ts';
import type { Verdict } from '../proofs/verifier.ts';

interface WitnessRequest {
  /** The size of the checkpoint that the witness cosigned last; 0 if there is none. */
  readonly oldSize: number;
  /** At most 63 hashes. */
  readonly proof: readonly Uint8Array[];
  /** The checkpoint as a signed note. */
  readonly note: string;
}

/** Returns the body of a request. */
export function witnessRequestText({ oldSize, proof, note }: WitnessRequest): string {
  return [`old ${oldSize}`, ...proof.map(base64Of), '', note].join('\n');
}

const REQUEST = /^old (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n/;

/** Parses the body of a request. The note is not verified. */
export function parseWitnessRequest(body: string): Verdict<WitnessRequest> {
  const [head = '', size, lines = ''] = REQUEST.exec(body) ?? [];
  const hashes = lines.split('\n').slice(0, -1);
  const oldSize = Number(size);
  if (head === '' || !hashes.every(isExactBase64) || !Number.isSafeInteger(oldSize)) {
    return { ok: false, reason: 'the body is not "old SIZE", at most 63 hashes, and a checkpoint' };
  }
  return {
    ok: true,
    value: { oldSize, proof: hashes.map(bytesOf), note: body.slice(head.length) },
  };
}
