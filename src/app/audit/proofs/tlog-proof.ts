/** Verifies receipts in the form of C2SP tlog-proof, which carry the record in their extra data. */

import { bytesOf, isExactBase64, textIn } from './bytes.ts';
import {
  positionOf,
  type Verdict,
  type VerifiedReceipt,
  verifyCheckpoint,
  verifyInclusion,
} from './verifier.ts';

const HEADER = 'c2sp.org/tlog-proof@v1\n';
// Each part is repeated either without a group or a few times: the stack of an expression is bounded.
const FORM =
  /^extra ([A-Za-z0-9+/]*={0,2})\nindex (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n/;

/** Returns true for a text that claims to be a tlog-proof. */
export function isTlogProof(text: string): boolean {
  return text.startsWith(HEADER);
}

/**
 * Verifies that the checkpoint is signed with the key, and that the record in the extra data is in
 * its tree, at the index that is stated and that the record names.
 */
export function verifyTlogProof(text: string, vkey: string): Verdict<VerifiedReceipt> {
  if (!isTlogProof(text)) return refused('it does not begin as a tlog-proof does');
  const body = text.slice(HEADER.length);
  const [head = '', extra = '', index, lines = ''] = FORM.exec(body) ?? [];
  if (head === '') return refused('it is not a tlog-proof with a record as its extra data');
  const proof = lines.split('\n').slice(0, -1);
  if (extra.length % 4 !== 0 || ![extra, ...proof].every(isExactBase64))
    return refused('a text is not base64');
  const note = body.slice(head.length);
  const checkpoint = verifyCheckpoint(note, vkey);
  if (!checkpoint.ok) return checkpoint;
  const record = textIn(bytesOf(extra));
  if (record === undefined) return refused('the extra data is not a text in UTF-8');
  const position = positionOf(record);
  if (!position.ok) return position;
  if (position.value - 1 !== Number(index)) return refused('the index is not that of the record');
  const hashes = proof.map(bytesOf);
  const held = verifyInclusion(record, position.value - 1, checkpoint.value, hashes);
  if (!held.ok) return held;
  const value = { record, position: position.value, checkpoint: checkpoint.value, note };
  return { ok: true, value };
}

function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
