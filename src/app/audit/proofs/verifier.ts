/**
 * The verifier of checkpoints, proofs and receipts of a Store Orders log, with the log's public key
 * and nothing else. It is published, and it is one file on purpose, longer than any other: it needs
 * SHA-256 and Ed25519 from `crypto.ts` and shares no other code with the service, so an auditor can
 * read all the code that has to be trusted from top to bottom. It runs in Node and in browsers, where
 * another file stands in for `crypto.ts`. The rules are those of
 *
 *   RFC 9162, section 2.1   the tree (SHA-256), inclusion proofs and consistency proofs
 *   c2sp.org/signed-note    signatures (Ed25519) and public keys
 *   c2sp.org/tlog-checkpoint  the signed text: the log's origin, its size, the root of its tree
 *
 * Input is parsed strictly: only the canonical form of a text is accepted. Each function returns a
 * verdict; none throws, whatever the text.
 */

import { isSignedBy, sha256 } from './crypto.ts';

/** The verified value, or the reason for a refusal, in plain words. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

/** A tree at one size: the number of its leaves, and its root, 32 bytes. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * The state of a log that it signs. The origin is its key's name; in a later epoch, `name+epoch`.
 */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
  /** `0`, or the id of the epoch that began when the log was last cut. */
  readonly epoch: string;
}

/**
 * The signed statement of a log that has lost its end: from then on its checkpoints are of the
 * epoch with this id, which is made of the epoch's number and a hash of the whole statement.
 */
export interface Break {
  readonly id: string;
  /** The id of the epoch that ended. */
  readonly before: string;
  /** The time of the cut, and its reason: `copy_continued` or `loss_accepted`. */
  readonly at: string;
  readonly reason: string;
  /**
   * The last position before the cut, and the root there: later events are no longer in the log.
   */
  readonly position: number;
  readonly root: Uint8Array;
}

/** A receipt that holds: the event that is in the log, and the signed state that it is part of. */
export interface VerifiedReceipt {
  /** Everything that is stored of the event, as JSON. */
  readonly record: string;
  /** The event's place in the log, from 1: its leaf's index, plus 1. */
  readonly position: number;
  readonly checkpoint: Checkpoint;
  /** The checkpoint as a signed note: others may have signed it, too, which is not verified. */
  readonly note: string;
}

// --- What a log signs ----------------------------------------------------------------------------

/** Returns the name of the log that a public key is of. */
export function verifyKey(vkey: string): Verdict<string> {
  return verdict(() => need(readNoteKey(vkey)).name);
}

/** Returns the text of a note that the key has signed. Signatures by other keys do not count. */
export function verifyNote(note: string, vkey: string): Verdict<string> {
  return verdict(() => noteText(note, need(readNoteKey(vkey))));
}

const CHECKPOINT = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;

/**
 * Returns the contents of a checkpoint, if the key has signed it and it is of the log that the key
 * is named for. It has three lines: origin, size, root. Store Orders never adds another.
 */
export function verifyCheckpoint(note: string, vkey: string): Verdict<Checkpoint> {
  return verdict(() => {
    const key = need(readNoteKey(vkey));
    const [, origin = '', size, root] =
      CHECKPOINT.exec(noteText(note, key)) ?? refuse('the note is not a checkpoint of three lines');
    const epoch = epochIn(origin, key.name);
    const checkpoint = { origin, epoch, size: Number(size), root: fromBase64(root, 'the root') };
    checkHead(checkpoint);
    return checkpoint;
  });
}

const EPOCH = /^[1-9][0-9]{0,8}\.[0-9a-f]{32}$/;

/** Returns the epoch of an origin: the part after the plus sign, which is in no name. */
function epochIn(origin: string, name: string): string {
  if (origin === name) return '0';
  const epoch = origin.slice(name.length + 1);
  if (origin === `${name}+${epoch}` && EPOCH.test(epoch)) return epoch;
  return refuse('the checkpoint is of another log than the public key');
}

/** Returns the contents of the statement of a break, if the key has signed it. */
export function verifyBreak(note: string, vkey: string): Verdict<Break> {
  return verdict(() => {
    const statement = noteText(note, need(readNoteKey(vkey))).slice(0, -1);
    const { format, epoch, ...rest } = parseJson(statement, BREAK);
    if (format !== 'store-orders/break/v1') refuse('the format is not store-orders/break/v1');
    const [before, at, reason, position] = [rest.before, rest.at, rest.reason, rest.position];
    if (![before, at, reason].every((text) => typeof text === 'string')) {
      refuse('the epoch before, the time and the reason are not texts');
    }
    if (![epoch, position].every(Number.isSafeInteger)) {
      refuse('the epoch and the position are not whole numbers');
    }
    const root = fromBase64(rest.root, 'the root');
    checkHead({ size: Number(position), root });
    const id = `${epoch}.${hex(sha256(statement)).slice(0, 32)}`;
    if (!EPOCH.test(id)) refuse('the epoch is not a whole number from 1');
    const told = { before: `${before}`, at: `${at}`, reason: `${reason}` };
    return { id, ...told, position: Number(position), root };
  });
}

/**
 * Verifies that the log of a newer checkpoint begins with that of an older one, over all breaks in
 * between. Refuses an older one that reaches beyond a break: events that it had are lost.
 * @param breaks The breaks of the log, in any order.
 * @param proof The proof of consistency; empty if both have the same size.
 */
export function verifySuccession(
  older: Checkpoint,
  newer: Checkpoint,
  breaks: readonly Break[],
  proof: readonly Uint8Array[],
): Verdict<void> {
  return verdict(() => {
    for (let { epoch } = newer; epoch !== older.epoch; ) {
      const cut =
        breaks.find(({ id }) => id === epoch) ??
        refuse(`no signed break leads from epoch ${older.epoch} to epoch ${newer.epoch}`);
      if (older.size > cut.position) {
        refuse(`the log was cut at position ${cut.position} on ${cut.at}, into epoch ${cut.id}`);
      }
      epoch = cut.before;
    }
    need(verifyConsistency(older, newer, proof));
  });
}

/** A public key of signed notes. */
export interface NoteKey {
  readonly name: string;
  /** 4 bytes: the start of a hash over the name, the type and the key. */
  readonly id: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A line of a note's signatures, not verified. */
export interface NoteSignature {
  readonly name: string;
  readonly id: Uint8Array;
  readonly signature: Uint8Array;
}

// A name has no white space, no plus sign and no control characters.
const KEY = /^([^\p{White_Space}\p{Cc}\p{Cs}+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u;
const NOT_IN_NAME = /[\p{White_Space}+]/u;
const SIGNATURE = /^[A-Za-z0-9+/]+=*$/;
const ED25519_TYPE = 1;

/** The most signatures of a note. */
export const MAX_SIGNATURES = 100;

/**
 * Parses a public key for Ed25519: `name+id+key`.
 * @param type The first byte of the key, which states what it signs: 1 stands for notes.
 */
export function readNoteKey(vkey: string, type = ED25519_TYPE): Verdict<NoteKey> {
  return verdict(() => {
    const [, name = '', id, text = ''] =
      KEY.exec(vkey) ?? refuse('the public key is not name+id+key');
    const key = bytesIn(text); // 33 bytes: one for the type, 32 for the key
    if (key[0] !== type) refuse(`the public key has the type ${key[0]}, not ${type} for Ed25519`);
    const named = [...new TextEncoder().encode(`${name}\n`), ...key];
    const hashed = sha256(Uint8Array.from(named)).subarray(0, 4);
    if (hex(hashed) !== id) refuse('the id in the public key is not that of name and key');
    const publicKey = key.subarray(1);
    if (isOfSmallOrder(publicKey)) refuse('the public key is a point of small order');
    return { name, id: hashed, publicKey };
  });
}

/**
 * The points of small order of edwards25519, as bytes in hex without the sign. Under such a key, a
 * signature that nobody has made holds on some texts or on all of them, and libraries disagree about it.
 * They disagree about a signature that begins with such a point as well, as OpenSSL 3.0 and 3.5 do.
 */
const SMALL_ORDER = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

function isOfSmallOrder(point: Uint8Array): boolean {
  const y = Uint8Array.from(point);
  y[31] = Number(y[31]) % 128;
  return SMALL_ORDER.has(hex(y));
}

/** Returns the text of a note, and its signatures, which are not verified. */
export function readNote(note: string): Verdict<{
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}> {
  return verdict(() => {
    if (!note.isWellFormed() || /[^\P{Cc}\n]/u.test(note)) {
      refuse('the note has control characters');
    }
    const blank = note.lastIndexOf('\n\n');
    if (blank < 0 || !note.endsWith('\n')) refuse('the note has no signatures');
    const lines = note.slice(blank + 2, -1).split('\n');
    if (lines.length > MAX_SIGNATURES) {
      refuse(`the note has more than ${MAX_SIGNATURES} signatures`);
    }
    const signatures = lines.map((line) => {
      // Not by one expression: its stack would not suffice for a name of millions of characters.
      const end = line.indexOf(' ', 2);
      const [name, base64] = [line.slice(2, end), line.slice(end + 1)];
      const isNamed = line.startsWith('— ') && end > 2 && !NOT_IN_NAME.test(name);
      if (!isNamed || !SIGNATURE.test(base64)) refuse('a line is not a signature');
      const bytes = fromBase64(base64, 'a signature');
      if (bytes.length < 5) refuse('a signature is shorter than the id of its key');
      return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
    });
    return { text: note.slice(0, blank + 1), signatures };
  });
}

/** Returns true for a signature in the name of a key, which is not verified. */
export function isInNameOf({ name, id }: NoteSignature, key: NoteKey): boolean {
  return name === key.name && equal(id, key.id);
}

/** Returns true for a signature by a key on a text. */
export function holdsUnder({ publicKey }: NoteKey, text: string, signature: Uint8Array): boolean {
  return !isOfSmallOrder(signature.subarray(0, 32)) && isSignedBy(publicKey, text, signature);
}

/** Returns the text of a note that the key has signed. */
function noteText(note: string, key: NoteKey): string {
  const { text, signatures } = need(readNote(note));
  let signed = false;
  for (const each of signatures) {
    if (!isInNameOf(each, key)) continue;
    if (!holdsUnder(key, text, each.signature))
      refuse('the signature is not that of the public key on this text');
    signed = true;
  }
  return signed ? text : refuse('the note is not signed with the public key');
}

// --- Proofs --------------------------------------------------------------------------------------

/** Verifies that a record is the leaf at `index`, from 0, of a tree: RFC 9162, section 2.1.3.2. */
export function verifyInclusion(
  record: string,
  index: number,
  head: TreeHead,
  proof: readonly Uint8Array[],
): Verdict<void> {
  return verdict(() => {
    checkHead(head);
    checkHashes(proof);
    if (!Number.isSafeInteger(index) || index < 0) refuse('the index is not a whole number from 0');
    if (!record.isWellFormed()) refuse('the record is not Unicode text');
    if (index >= head.size) refuse('the record is beyond the size of the tree');
    // At each level: the place of our node, and that of the level's last node.
    let [at, last] = [index, head.size - 1];
    let result = leafHash(record);
    for (const sibling of proof) {
      if (last === 0) refuse('the proof is longer than the way to the root');
      if (isOdd(at) || at === last) {
        result = nodeHash(sibling, result);
        // A last node without a neighbour stands for itself, level after level: no copy joins it.
        while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
      } else {
        result = nodeHash(result, sibling);
      }
      [at, last] = [half(at), half(last)];
    }
    if (last !== 0) refuse('the proof is shorter than the way to the root');
    if (!equal(result, head.root)) refuse('the proof does not lead from the record to the root');
  });
}

/**
 * Verifies that the newer tree begins with the older one, so that nothing in it was rewritten: RFC
 * 9162, section 2.1.4.2. Every tree begins with the empty one, and with itself.
 */
export function verifyConsistency(
  older: TreeHead,
  newer: TreeHead,
  proof: readonly Uint8Array[],
): Verdict<void> {
  return verdict(() => {
    checkHead(older);
    checkHead(newer);
    checkHashes(proof);
    if (older.size > newer.size) refuse('the older tree is larger than the newer one');
    if (older.size === 0 || older.size === newer.size) {
      if (proof.length > 0) refuse('there is nothing to prove, and the proof is not empty');
      if (older.size !== 0 && !equal(older.root, newer.root)) refuse('one size has two roots');
      return;
    }
    let [at, last] = [older.size - 1, newer.size - 1];
    while (isOdd(at)) [at, last] = [half(at), half(last)];
    // For an older tree that is complete, both ways begin at its root, which is not in the proof.
    const path = at === 0 ? [older.root, ...proof] : proof;
    const [first = refuse('the proof is empty'), ...others] = path;
    let [olderResult, newerResult] = [first, first];
    for (const sibling of others) {
      if (last === 0) refuse('the proof is longer than the way to the root');
      if (isOdd(at) || at === last) {
        olderResult = nodeHash(sibling, olderResult);
        newerResult = nodeHash(sibling, newerResult);
        while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
      } else {
        newerResult = nodeHash(newerResult, sibling);
      }
      [at, last] = [half(at), half(last)];
    }
    if (last !== 0) refuse('the proof is shorter than the way to the root');
    if (!equal(olderResult, older.root)) refuse('the proof does not lead to the older root');
    if (!equal(newerResult, newer.root)) refuse('the proof does not lead to the newer root');
  });
}

/** The tree of a whole log, built from the records of all its events, in order from the first. */
export class RecordTree {
  #size = 0;
  // The roots of the complete subtrees so far, the largest first.
  readonly #roots: Uint8Array[] = [];

  add(record: string): void {
    let top = leafHash(record);
    // Two neighbours of one height become one, as long as there are any.
    for (let rest = this.#size; isOdd(rest); rest = half(rest)) {
      top = nodeHash(this.#roots.pop() as Uint8Array, top);
    }
    this.#roots.push(top);
    this.#size += 1;
  }

  /** Returns the head so far, to be compared with a checkpoint of the same size. */
  head(): TreeHead {
    const [last = sha256(''), ...others] = this.#roots.toReversed();
    return { size: this.#size, root: others.reduce((right, left) => nodeHash(left, right), last) };
  }
}

// --- Receipts ------------------------------------------------------------------------------------

/**
 * Verifies a receipt: its checkpoint is signed with the key, and its record is in the tree that the
 * checkpoint is of, at the position that the record names.
 */
export function verifyReceipt(receipt: string, vkey: string): Verdict<VerifiedReceipt> {
  return verdict(() => {
    const { format, record, proof, checkpoint: note } = parseJson(withoutBlanks(receipt), RECEIPT);
    if (format !== 'store-orders/receipt/v1') refuse('the format is not store-orders/receipt/v1');
    if (typeof record !== 'string' || typeof note !== 'string' || !Array.isArray(proof)) {
      return refuse('a receipt has two texts, the record and the checkpoint, and a list of hashes');
    }
    const position = need(positionOf(record));
    const checkpoint = need(verifyCheckpoint(note, vkey));
    const hashes = proof.map((hash) => fromBase64(hash, 'a hash'));
    need(verifyInclusion(record, position - 1, checkpoint, hashes));
    return { record, position, checkpoint, note };
  });
}

/**
 * Returns the position that a record names. Only a receipt or a root proves that it is in a log.
 */
export function positionOf(record: string): Verdict<number> {
  return verdict(() => {
    const { position } = parseJson(record, RECORD);
    if (Number.isSafeInteger(position) && Number(position) > 0) return Number(position);
    return refuse('the position is not a whole number from 1');
  });
}

/**
 * Verifies that a text is canonical JSON (RFC 8785), which has one text for each value: members by
 * the UTF-16 code units of their names at every depth, none of them twice, no blanks, numbers and
 * characters as ECMAScript writes them, and no half of a surrogate pair.
 *
 * The JSON.parse of Node 24.21 misreads some names that are written with escapes. Such a text is
 * then refused, and never accepted for another. No name in a record has an escape.
 */
export function verifyCanonicalJson(text: string): Verdict<void> {
  return verdict(() => {
    if (canonical(parsed(text, 'the text')) !== text) refuse('the text is not canonical JSON');
  });
}

interface JsonForm {
  readonly name: string;
  /** All members, in this order. */
  readonly members: readonly string[];
  readonly write: (value: unknown) => string;
}

const RECEIPT: JsonForm = {
  name: 'the receipt',
  members: ['format', 'record', 'proof', 'checkpoint'],
  write: flat,
};
const BREAK: JsonForm = {
  name: 'the statement',
  members: [
    'at',
    'before',
    'epoch',
    'format',
    'idsUpTo',
    'known',
    'nonce',
    'position',
    'positionsUpTo',
    'reason',
    'root',
    'store',
  ],
  write: (value) => canonical(value),
};
const RECORD: JsonForm = {
  name: 'the record',
  members: ['data', 'metadata', 'position', 'schemaVersion', 'type', 'version'],
  write: (value) => canonical(value),
};

/** Records are not nested nearly as deeply: they have values in an object in an object. */
const MAX_DEPTH = 100;

/** Parses an object, and refuses a text that is not its canonical form. */
function parseJson(
  text: string,
  { name, members, write }: JsonForm,
): Readonly<Record<string, unknown>> {
  const value = parsed(text, name);
  const object = Object(value);
  // Not joined to one text: a name may have a comma in it.
  const names = Object.keys(object);
  const isSame = names.length === members.length && names.every((each, at) => each === members[at]);
  if (!isSame) refuse(`${name} must have the members ${members}`);
  // Of two members with one name the parser keeps the last: then this is shorter.
  const isOneForm = write(value) === text;
  return isOneForm ? object : refuse(`${name} is not in the one form that it can have`);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`${name} is not JSON`);
  }
}

function flat(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return refuse('the JSON is nested too deeply');
  }
}

function canonical(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) refuse('the JSON is nested too deeply');
  if (typeof value === 'string' && !value.isWellFormed()) refuse('the JSON has half a character');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = (each: unknown) => canonical(each, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  // By code units, which is how strings are compared.
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, each]) => `${inner(key)}:${inner(each)}`).join()}}`;
}

// --- Small parts ---------------------------------------------------------------------------------

class Refusal extends Error {}

function refuse(reason: string): never {
  throw new Refusal(reason);
}

function verdict<Value>(verified: () => Value): Verdict<Value> {
  try {
    return { ok: true, value: verified() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    throw error;
  }
}

function need<Value>(verdict: Verdict<Value>): Value {
  return verdict.ok ? verdict.value : refuse(verdict.reason);
}

/** Hashes a leaf with 0x00 in front, and a node with 0x01: neither can pass for the other. */
function leafHash(record: string): Uint8Array {
  return sha256(`\0${record}`); // a string is hashed as UTF-8
}

/**
 * The bytes of all nodes: the byte 0x01 and room for two hashes, both of which are always filled.
 */
const node = new Uint8Array(65).fill(1);

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1);
  node.set(right, 33);
  return sha256(node);
}

function checkHead({ size, root }: TreeHead): void {
  if (!Number.isSafeInteger(size) || size < 0) refuse('the size is not a whole number from 0');
  checkHashes([root]);
  if (size === 0 && !equal(root, sha256(''))) refuse('the root is not that of an empty tree');
}

function checkHashes(hashes: readonly Uint8Array[]): void {
  if (hashes.some((hash) => hash.length !== 32)) refuse('a hash does not have 32 bytes');
}

/**
 * Removes the white space of JSON around a text, as an editor may leave it at the end of a file.
 */
function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && ' \t\r\n'.includes(text.charAt(from))) from += 1;
  while (from < to && ' \t\r\n'.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Decodes base64, and refuses texts that are read leniently: those that are written otherwise. */
function fromBase64(text: unknown, what: string): Uint8Array {
  if (typeof text !== 'string') return refuse(`${what} is no text`);
  const isReadable = text.length % 4 === 0 && BASE64.test(text);
  const isBase64 = isReadable && btoa(atob(text)) === text;
  return isBase64 ? bytesIn(text) : refuse(`${what} is not base64`);
}

/** Decoding a text of this form in whole groups of four characters throws nothing. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesIn(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

// Bit operators know 32 bits only, and sizes may have 53.
const isOdd = (value: number) => value % 2 === 1;
const half = (value: number) => Math.floor(value / 2);
