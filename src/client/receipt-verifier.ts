/**
 * Verifies receipts with the Web Cryptography API, so also in browsers. The client loads it when it is
 * needed, unless the caller has imported it. The rules are those of docs/receipts.md; tests hold the
 * verdicts to those of `store-orders/verifier`, which is for Node.js and checks more than receipts.
 */

import { hexOf, isOfSmallOrder } from './small-order.ts';

/** The event that a receipt proves, or the reason for a refusal, in plain words. */
export type Verdict =
  | { readonly ok: true; readonly value: ProvenEvent }
  | { readonly ok: false; readonly reason: string };

/** An event that is in the log. */
export interface ProvenEvent {
  /** Everything that is stored of it, as JSON: the text that was hashed. */
  readonly record: string;
  readonly type: string;
  readonly position: number;
  /** The number of events of its order, this one included. */
  readonly version: number;
  readonly data: { readonly orderId: string } & Readonly<Record<string, unknown>>;
  /** The time of recording, the id of the API key or the name of the tool, and the command. */
  readonly metadata: { readonly at: string; readonly by: string; readonly commandId: string };
}

type Bytes = Uint8Array<ArrayBuffer>;

class Refusal extends Error {}

/**
 * Verifies that the key has signed a log with the event in it.
 * @param of If given: the order of which it must be the cancellation, or the position of the event.
 */
export async function verifyReceipt(
  receipt: string,
  publicKey: string,
  of?: string | number,
): Promise<Verdict> {
  try {
    return { ok: true, value: await provenBy(receipt, publicKey, of) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    throw error;
  }
}

async function provenBy(
  receipt: string,
  publicKey: string,
  of?: string | number,
): Promise<ProvenEvent> {
  // Up to the last character that is no blank: a search for blanks at the end takes quadratic time.
  const [upToLast = ''] = /^[\s\S]*[^ \t\r\n]/.exec(receipt) ?? [];
  const text = upToLast.replace(/^[ \t\r\n]+/, '');
  const members = ['format', 'record', 'proof', 'checkpoint'];
  const { format, record, proof, checkpoint } = parse(text, 'the receipt', members, flat);
  need(format === 'store-orders/receipt/v1', 'the format is not store-orders/receipt/v1');
  if (typeof record !== 'string' || typeof checkpoint !== 'string' || !Array.isArray(proof)) {
    return refuse('a receipt has two texts, the record and the checkpoint, and a list of hashes');
  }
  const stored = ['data', 'metadata', 'position', 'schemaVersion', 'type', 'version'];
  const event = parse(record, 'the record', stored, canonical) as unknown as ProvenEvent;
  need(isEvent(event), 'the record is not that of an event');
  const { size, root } = await checkpointIn(checkpoint, publicKey);
  const isIn =
    Number.isSafeInteger(event.position) && event.position >= 1 && event.position <= size;
  need(isIn, 'the position is not one of the log');
  const hashes = proof.map((hash) => hashIn(hash));
  const leaf = await sha256(Uint8Array.of(0), utf8(record));
  const computed = await rootOf(leaf, event.position - 1, size, hashes);
  need(isEqual(computed, root), 'the proof does not lead from the record to the root');
  if (typeof of === 'number') {
    need(event.position === of, `the receipt is of position ${event.position}`);
  } else if (of !== undefined) {
    need(event.type === 'OrderCancelled', `the receipt is of an ${event.type}, not a cancellation`);
    need(event.data.orderId === of, `the receipt is of order ${event.data.orderId}`);
  }
  return { ...event, record };
}

/** Returns true for a record with the members that an event has, whatever its type is. */
function isEvent({ type, version, data, metadata }: ProvenEvent): boolean {
  const { at, by, commandId } = Object(metadata);
  const texts = [type, Object(data).orderId, at, by, commandId];
  return Number.isSafeInteger(version) && texts.every((text) => typeof text === 'string');
}

/** Returns the size and the root in a checkpoint: a note of three lines that the key has signed. */
async function checkpointIn(note: string, publicKey: string) {
  const key = await keyIn(publicKey);
  const text = await signedText(note, key);
  const found = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text);
  const [, origin = '', size, root] =
    found ?? refuse('the note is not a checkpoint of three lines');
  const epoch = origin.slice(key.name.length);
  const isOfLog = origin.startsWith(key.name) && /^(?:\+[1-9]\d{0,8}\.[\da-f]{32})?$/.test(epoch);
  need(isOfLog, 'the checkpoint is of another log than the public key');
  need(Number.isSafeInteger(Number(size)), 'the size is not a whole number from 0');
  return { size: Number(size), root: hashIn(root) };
}

interface Key {
  readonly name: string;
  readonly id: Bytes;
  readonly bytes: Bytes;
}

/** Parses a public key: `name+id+key`. The id is the start of a hash over the name and the key. */
async function keyIn(publicKey: string): Promise<Key> {
  const form = /^([^\p{White_Space}\p{Cc}\p{Cs}+]+)\+([\da-f]{8})\+([A-Za-z\d+/]{44})$/u;
  const [, name = '', id, base64] =
    form.exec(publicKey) ?? refuse('the public key is not name+id+key');
  const bytes = bytesIn(base64);
  need(bytes[0] === 1, 'the public key is not one for Ed25519');
  const hashed = (await sha256(utf8(`${name}\n`), bytes)).slice(0, 4);
  need(hexOf(hashed) === id, 'the id in the public key is not that of name and key');
  need(!isOfSmallOrder(bytes.slice(1)), 'the public key is a point of small order');
  return { name, id: hashed, bytes: bytes.slice(1) };
}

/** Returns the text of a note. Signatures by other keys do not count. */
async function signedText(note: string, { name, id, bytes }: Key): Promise<string> {
  need(!/[\p{Cs}]|[^\P{Cc}\n]/u.test(note), 'the note has control characters');
  const blank = note.lastIndexOf('\n\n');
  need(blank >= 0 && note.endsWith('\n'), 'the note has no signatures');
  const text = note.slice(0, blank + 1);
  const lines = note.slice(blank + 2, -1).split('\n');
  need(lines.length <= 100, 'the note has more than 100 signatures');
  const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  let isSigned = false;
  for (const line of lines) {
    // Not by one expression: its stack would not suffice for a long line.
    const end = line.indexOf(' ', 2);
    const [signer, base64] = [line.slice(2, end), line.slice(end + 1)];
    const isNamed = line.startsWith('— ') && end > 2 && !/[\p{White_Space}+]/u.test(signer);
    need(isNamed && /^[A-Za-z\d+/]+=*$/.test(base64), 'a line is not a signature');
    const signature = bytesIn(base64);
    need(signature.length >= 5, 'a signature is shorter than the id of its key');
    if (signer !== name || !isEqual(signature.slice(0, 4), id)) continue;
    const made = signature.slice(4);
    const isValid = await crypto.subtle.verify('Ed25519', key, made, utf8(text));
    const holds = isValid && !isOfSmallOrder(made.slice(0, 32));
    need(holds, 'the signature is not that of the public key on this text');
    isSigned = true;
  }
  need(isSigned, 'the note is not signed with the public key');
  return text;
}

/** Computes the root from a leaf and its proof (RFC 9162): the last hash is the highest sibling. */
async function rootOf(
  hash: Bytes,
  index: number,
  size: number,
  proof: readonly Bytes[],
): Promise<Bytes> {
  if (size === 1) {
    need(proof.length === 0, 'the proof has too many hashes');
    return hash;
  }
  const last = proof.at(-1) ?? refuse('the proof has too few hashes');
  let left = 1;
  while (left * 2 < size) left *= 2;
  const rest = proof.slice(0, -1);
  const mark = Uint8Array.of(1);
  if (index < left) return sha256(mark, await rootOf(hash, index, left, rest), last);
  return sha256(mark, last, await rootOf(hash, index - left, size - left, rest));
}

/** Parses an object with exactly these members, and refuses a text that is not its one form. */
function parse(
  text: string,
  name: string,
  members: readonly string[],
  write: (value: unknown) => string,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse(`${name} is not JSON`);
  }
  const names = Object.keys(Object(value));
  const isSame = names.length === members.length && names.every((each, at) => each === members[at]);
  need(isSame, `${name} must have the members ${members}`);
  need(write(value) === text, `${name} is not in the one form that it can have`);
  return value as Readonly<Record<string, unknown>>;
}

function flat(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return refuse('the JSON is nested too deeply');
  }
}

/** Writes canonical JSON (RFC 8785). */
function canonical(value: unknown, depth = 0): string {
  need(depth <= 100, 'the JSON is nested too deeply');
  if (typeof value === 'string') need(!/\p{Cs}/u.test(value), 'the JSON has half a character');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = (each: unknown) => canonical(each, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${inner(key)}:${inner(each)}`).join()}}`;
}

/** Decodes base64, and refuses what `atob` reads leniently: loose bits, blanks, missing padding. */
function bytesIn(text: unknown): Bytes {
  if (typeof text !== 'string' || !/^[A-Za-z\d+/]*={0,2}$/.test(text))
    return refuse('a text is not base64');
  try {
    const binary = atob(text);
    if (btoa(binary) === text) return Uint8Array.from(binary, (each) => each.charCodeAt(0));
  } catch {
    // Not base64 at all.
  }
  return refuse('a text is not base64');
}

function hashIn(text: unknown): Bytes {
  const bytes = bytesIn(text);
  need(bytes.length === 32, 'a hash does not have 32 bytes');
  return bytes;
}

async function sha256(...parts: readonly Bytes[]): Promise<Bytes> {
  const bytes = await new Blob([...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}

function isEqual(one: Bytes, other: Bytes): boolean {
  return hexOf(one) === hexOf(other);
}

function need(isSo: boolean, reason: string): void {
  if (!isSo) refuse(reason);
}

function refuse(reason: string): never {
  throw new Refusal(reason);
}
