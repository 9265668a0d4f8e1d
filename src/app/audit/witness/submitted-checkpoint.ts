/**
 * The checks of a submitted checkpoint that need no memory: its form, its log, and the log's
 * signature (C2SP tlog-witness, `add-checkpoint`). They come before anything is read from a disk.
 */

import { base64Of, bytesOf, isExactBase64 } from '../proofs/bytes.ts';
import {
  isInNameOf,
  type NoteKey,
  type NoteSignature,
  readNote,
  readNoteKey,
  type TreeHead,
  type Verdict,
  verifyNote,
} from '../proofs/verifier.ts';
import { parseWitnessRequest } from './witness-request.ts';

interface LogKey extends NoteKey {
  readonly vkey: string;
}

/** The logs of a witness: by the origin of their checkpoints, the keys that may sign these. */
export type KnownLogs = ReadonlyMap<string, readonly LogKey[]>;

/** A checkpoint that its log has signed. */
export interface SubmittedCheckpoint {
  readonly kind: 'submitted';
  readonly origin: string;
  readonly head: TreeHead;
  /** The signed text. */
  readonly text: string;
  /** The lines of the log's own signatures. Those of others are left out: they are not verified. */
  readonly signatureLines: string;
  /** The size from which the proof leads to the checkpoint. */
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
}

/** The refusal to cosign a submitted checkpoint. */
export interface Refused {
  readonly kind: 'refused';
  readonly fault: 'malformed' | 'unknown_log' | 'unsigned' | 'inconsistent';
  readonly reason: string;
}

/** An origin in a later epoch: the name of the log, a plus sign, and the epoch (docs/adr/0020). */
const EPOCH_ORIGIN = /^([^+]+)\+[1-9]\d{0,8}\.[0-9a-f]{32}$/;

/**
 * Returns the logs of some public keys, each under the name of its key. A name may have several keys.
 * @param epochOrigins Origins of the same logs in later epochs, each of which is a log of its own.
 */
export function knownLogs(
  vkeys: readonly string[],
  epochOrigins: readonly string[] = [],
): Verdict<KnownLogs> {
  const logs = new Map<string, readonly LogKey[]>();
  for (const vkey of vkeys) {
    const key = readNoteKey(vkey);
    if (!key.ok) return key;
    const { name } = key.value;
    logs.set(name, [...(logs.get(name) ?? []), { ...key.value, vkey }]);
  }
  for (const origin of epochOrigins) {
    const [, name = ''] = EPOCH_ORIGIN.exec(origin) ?? [];
    const keys = logs.get(name);
    if (keys === undefined) {
      const reason = `${origin} is not the name of one of the logs, a plus sign, and an epoch`;
      return { ok: false, reason };
    }
    logs.set(origin, keys);
  }
  return { ok: true, value: logs };
}

/** Parses the body of a request, and verifies the signature of its log. */
export function readSubmittedCheckpoint(
  body: string,
  logs: KnownLogs,
): SubmittedCheckpoint | Refused {
  const request = parseWitnessRequest(body);
  if (!request.ok) return refused('malformed', request.reason);
  const { oldSize, proof, note } = request.value;
  const read = readNote(note);
  if (!read.ok) return refused('malformed', read.reason);
  const { text, signatures } = read.value;
  const checkpoint = readCheckpoint(text);
  if (checkpoint === undefined) return refused('malformed', 'the note is not a checkpoint');
  const { origin, head } = checkpoint;
  const keys = logs.get(origin);
  if (keys === undefined) return refused('unknown_log', 'the log is not known to this witness');
  const signed = signedBy(keys, note, signatures);
  if (!signed.ok) return refused('unsigned', signed.reason);
  if (oldSize > head.size) {
    return refused('malformed', 'the old size is larger than the checkpoint');
  }
  return { kind: 'submitted', origin, head, text, signatureLines: signed.value, oldSize, proof };
}

/** A checkpoint of any log: extension lines may follow the three that are read. */
const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*$/;

/** Returns the contents of a checkpoint's text; `undefined` if it is none. */
export function readCheckpoint(
  text: string,
): { readonly origin: string; readonly head: TreeHead } | undefined {
  const [, origin = '', size, base64 = ''] = CHECKPOINT.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(size)) || !isExactBase64(base64)) return undefined;
  return { origin, head: { size: Number(size), root: bytesOf(base64) } };
}

export function refused(fault: Refused['fault'], reason: string): Refused {
  return { kind: 'refused', fault, reason };
}

/**
 * Returns the lines of the signatures by some keys. Refuses a note that none of them has signed, and one
 * with a signature by any of them that is not valid.
 */
function signedBy(
  keys: readonly LogKey[],
  note: string,
  signatures: readonly NoteSignature[],
): Verdict<string> {
  let lines = '';
  for (const key of keys) {
    const line = signatures.find((each) => isInNameOf(each, key));
    if (line === undefined) continue;
    const verified = verifyNote(note, key.vkey);
    if (!verified.ok) return verified;
    const bytes = Uint8Array.from([...line.id, ...line.signature]);
    lines += `— ${line.name} ${base64Of(bytes)}\n`;
  }
  if (lines !== '') return { ok: true, value: lines };
  return { ok: false, reason: 'the checkpoint is not signed with a key of its log' };
}
