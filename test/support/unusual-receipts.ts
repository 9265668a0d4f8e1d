import { hash } from 'node:crypto';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { leafHash, nodeHash } from '../../src/app/log/merkle-tree.ts';
import {
  mixedKey,
  mixedSignature,
  signatureWithoutNonce,
  torsionedSignature,
} from './torsioned.ts';
import { keyIdOf, lineOf, logOf, records, SEED, signer, type Vector } from './vector-log.ts';

/**
 * Receipts at the limits of the specification, on both sides of each: genuine ones that a verifier
 * might refuse by mistake, and false ones that the log's key has signed all the same.
 */

const [placed, , , cancelled] = records as [string, string, string, string];
const witness = new NoteSigner('witness.example', Buffer.alloc(32, 9));
const GARBAGE = Buffer.alloc(64, 5);
const EPOCH = '0f'.repeat(16);
/** A public key for notes that is not in the group of the base point. */
const MIXED = Buffer.of(1, ...mixedKey(SEED));

/** Returns receipts that a verifier might refuse by mistake, each with the record that it proves. */
export async function unusualReceipts(): Promise<Vector[]> {
  const log = logOf(5);
  const of = async (what: string, note: string) => {
    return {
      what,
      key: signer.verifierKey,
      receipt: await log.receipt(4, note),
      record: cancelled,
    };
  };
  const withRecord = async (what: string, record: string) => {
    const receipt = await logOf(1, [record]).receipt(1);
    return { what, key: signer.verifierKey, receipt, record };
  };
  const withData = (what: string, data: string) => withRecord(what, dataIn(placed, data));
  const [text, own] = partsOf(log.note);
  const ownId = bytesIn(own).subarray(0, 4);
  const mixed = `${text}\n${lineUnder(MIXED, mixedSignature(SEED, text, true))}`;
  const cosignature = partsOf(witness.sign(text))[1];
  return [
    await of('the signature of another key before its own', `${text}\n${cosignature}${own}`),
    await of('a line of another key with its name', log.note + lineOf(signer.name, GARBAGE)),
    await of('a line of another key with its id', log.note + lineOf('other', ownId, GARBAGE)),
    await of('a hundred lines of signatures', log.note + cosignature.repeat(99)),
    await of('its own signature twice', log.note + own),
    {
      ...(await of('a public key with a component of small order that does no harm', mixed)),
      key: keyOf(MIXED),
    },
    await withData(
      'members sorted by UTF-16 code units, not by code points',
      '{"orderId":"7","\u{1f436}":1,"\ufb33":2}',
    ),
    await withData('upper case before lower case', '{"B":1,"a":2,"orderId":"7"}'),
    await withData('members with numbers as names, sorted as text', '{"10":1,"9":2,"orderId":"7"}'),
    await withData('a member named __proto__', '{"__proto__":{"orderId":"8"},"orderId":"7"}'),
    await withData(
      'numbers as ECMAScript writes them',
      '{"numbers":[1e+21,100000000000000000000,10000000000000000,1e-7,0.000001,0.1,-1.5,5e-324,1.7976931348623157e+308],"orderId":"7"}',
    ),
    await withData(
      'characters that other libraries escape',
      JSON.stringify({
        characters: '<&>/\u2028\u2029\u007f\u0080\ufeff\ufffd\u0000\u001f\b\t\f',
        orderId: '7',
      }),
    ),
    await withData('two spellings of one letter', '{"e\u0301":1,"orderId":"7","\u00e9":2}'),
    await withData('JSON nested a hundred deep', nested(99)),
    largeLog('position 1 of 9007199254740991 events', 1, Number.MAX_SAFE_INTEGER),
    largeLog(
      'the last of 9007199254740991 events',
      Number.MAX_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    ),
    largeLog('position 4294967298 of 6442450946 events', 2 ** 32 + 2, 6442450946),
  ];
}

/** Returns receipts that prove nothing, although all of the log's signatures in them are its own. */
export async function signedForgeries(): Promise<Vector[]> {
  const log = logOf(5);
  const proof = await log.proofOf(4);
  const withNote = (note: string) => receiptOf(cancelled, proof, note);
  const [text, own] = partsOf(log.note);
  const signed = (from: string | RegExp, to: string) =>
    withNote(signer.sign(text.replace(from, to)));
  const withLine = (line: string) => withNote(log.note + line);
  const cosignature = partsOf(witness.sign(text))[1];
  const dataOf = (data: string) => logOf(1, [dataIn(placed, data)]).receipt(1);
  const recordOf = (from: string | RegExp, to: string) =>
    logOf(1, [placed.replace(from, to)]).receipt(1);
  const genuine = await log.receipt(4);
  const first = proof[0] as Uint8Array;
  const oneLeaf = logOf(1);
  const members = (change: object) => JSON.stringify({ ...JSON.parse(genuine), ...change });
  const vectors: readonly (readonly [what: string, receipt: string, key?: string])[] = [
    ['a hash too many before the others', receiptOf(cancelled, [first, ...proof], log.note)],
    ['a hash too many in a log of one event', receiptOf(placed, [first], oneLeaf.note)],
    [
      'a hash too many that leads to the signed root',
      rootedAt(placed, [first], 1, nodeHash(leafHash(placed), first)),
    ],
    ['too few hashes that lead to the signed root', rootedAt(placed, [], 2, leafHash(placed))],
    ['a root that is too short', signed(/.*\n$/, `${Buffer.alloc(31).toString('base64')}\n`)],
    ['a signed position 0', await recordOf('"position":1', '"position":0')],
    ['a signed position beyond the tree', await recordOf('"position":1', '"position":2')],
    ['a signed position below 0', await recordOf('"position":1', '"position":-1')],
    ['a signed position between two', await recordOf('"position":1', '"position":1.5')],
    ['a signed position that is a text', await recordOf('"position":1', '"position":"1"')],
    ['a signed position that is true', await recordOf('"position":1', '"position":true')],
    ['a signed position that is null', await recordOf('"position":1', '"position":null')],
    ['a signed position that is a list', await recordOf('"position":1', '"position":[1]')],
    ['a signed record with a member too many', await recordOf(/\}$/, ',"zero":0}')],
    ['a signed record without a member', await recordOf(',"version":1', '')],
    ['a signed record that is a list', await logOf(1, [`[${placed}]`]).receipt(1)],
    ['a signed record that is a number', await logOf(1, ['1']).receipt(1)],
    ['a signed record with a blank behind it', await logOf(1, [`${placed} `]).receipt(1)],
    ['a signed record with a byte order mark', await logOf(1, [`\ufeff${placed}`]).receipt(1)],
    ['a signed record with NaN', await dataOf('{"number":NaN,"orderId":"7"}')],
    [
      'a signed record with more digits than a number has',
      await dataOf('{"number":9007199254740993,"orderId":"7"}'),
    ],
    [
      'a signed record with a number that is too large',
      await dataOf('{"number":1e400,"orderId":"7"}'),
    ],
    [
      'a signed record with members sorted by code points',
      await dataOf('{"orderId":"7","\ufb33":2,"\u{1f436}":1}'),
    ],
    ['a signed record with a name twice', await dataOf('{"orderId":"7","orderId":"7"}')],
    [
      'a signed record with raw half of a surrogate pair',
      await dataOf('{"half":"\ud83d","orderId":"7"}'),
    ],
    [
      'a signed record with a raw control character',
      await dataOf('{"control":"\u0001","orderId":"7"}'),
    ],
    ['a signed record nested too deeply', await dataOf(nested(100))],
    ['a record that is not a text', members({ record: JSON.parse(cancelled) })],
    ['a proof that is not a list', members({ proof: { length: 0 } })],
    ['a hash that is not a text', members({ proof: [null] })],
    ['a checkpoint that is not a text', members({ checkpoint: [log.note] })],
    ['no checkpoint', JSON.stringify({ ...JSON.parse(genuine), checkpoint: undefined })],
    ['a comma behind the last member', genuine.replace(/\}$/, ',}')],
    ['a comment', genuine.replace('{', '{/**/')],
    ['a no-break space around it', `\u00a0${genuine}\u00a0`],
    ['a form feed behind it', `${genuine}\f`],
    ['a signed size in other digits', signed('\n5\n', '\n\uff15\n')],
    ['a signed size with a plus sign', signed('\n5\n', '\n+5\n')],
    ['a signed size with a blank', signed('\n5\n', '\n5 \n')],
    ['a signed size with a separator', signed('\n5\n', '\n0_5\n')],
    ['a signed size that is empty', signed('\n5\n', '\n\n')],
    ['a signed size of 9007199254740992', largeLog('', 1, 2 ** 53).receipt],
    ['a signed epoch with too many digits', signed('\n', `+1234567890.${EPOCH}\n`)],
    ['a signed epoch in upper case', signed('\n', `+1.${EPOCH.toUpperCase()}\n`)],
    ['a signed epoch that is too short', signed('\n', `+1.${EPOCH.slice(1)}\n`)],
    ['a signed epoch that is too long', signed('\n', `+1.${EPOCH}0\n`)],
    ['a signed origin with a blank behind it', signed('\n', ' \n')],
    ['a signed checkpoint with a blank line', signed(/$/, '\n')],
    ['a signed checkpoint without a size', signed('\n5\n', '\n')],
    ['the log of which the name begins with this one', signed('\n', '0\n')],
    ['no end of the last line', withNote(log.note.slice(0, -1))],
    ['an empty line behind the signature', withLine('\n')],
    ['a line that is not a signature', withLine('signed by a witness\n')],
    ['a signature with another dash', withLine(cosignature.replace('—', '-'))],
    ['a signature with two blanks', withLine(cosignature.replace(' ', '  '))],
    ['a signature with a blank behind it', withLine(cosignature.replace('\n', ' \n'))],
    ['a signature by a name with a plus sign', withLine(lineOf('wit+ness', GARBAGE))],
    ['a signature by a name with a blank', withLine(lineOf('wit\u2003ness', GARBAGE))],
    ['a signature by a name with a control character', withLine(lineOf('wit\u0001ness', GARBAGE))],
    [
      'a signature by a name with half of a surrogate pair',
      withLine(lineOf('wit\ud83dness', GARBAGE)),
    ],
    ['two signatures in one line', withLine(cosignature.replace('\n', '\u2028') + cosignature)],
    ['a signature by another key in loose base64', withLine(loose(cosignature))],
    ['a signature by another key that is not base64', withLine('— witness.example AAA\n')],
    [
      'a signature without bytes behind the id',
      withLine(lineOf('witness.example', GARBAGE.subarray(60))),
    ],
    ['more than a hundred lines of signatures', withNote(log.note + cosignature.repeat(100))],
    ['a signature that is too short', withNote(`${text}\n${cut(own)}`)],
    ['a signature whose second half is not reduced', withNote(`${text}\n${unreduced(own)}`)],
    [
      'a signature over the empty line as well',
      withNote(`${text}\n${partsOf(signer.sign(`${text}\n`))[1]}`),
    ],
    ...otherKeys(text, withNote),
  ];
  return vectors.map(([what, receipt, key = signer.verifierKey]) => ({ what, key, receipt }));
}

/** Returns notes that are signed as their public keys say, by keys that no verifier may accept. */
function otherKeys(
  text: string,
  withNote: (note: string) => string,
): readonly (readonly [what: string, receipt: string, key: string])[] {
  const signature = bytesIn(partsOf(signer.sign(text))[1]).subarray(4);
  const publicKey = Buffer.from(
    signer.verifierKey.split('+').slice(2).join('+'),
    'base64',
  ).subarray(1);
  const underKey = (
    what: string,
    bytes: Uint8Array,
    made: Uint8Array = signature,
    id = keyIdOf(signer.name, bytes),
  ) => {
    return [what, withNote(`${text}\n${lineUnder(bytes, made, id)}`), keyOf(bytes, id)] as const;
  };
  const identity = Buffer.from([1, ...Buffer.alloc(31)]);
  const everything = Buffer.concat([identity, Buffer.alloc(32)]);
  // The same point: its y is written as 1 + 2^255 - 19, or its x of 0 has the sign of a negative number.
  const plusPrime = Buffer.of(0xee, ...Buffer.alloc(30, 0xff), 0x7f);
  const minusZero = identity.with(31, 0x80);
  return [
    underKey('a public key of another type', Buffer.of(2, ...publicKey)),
    underKey(
      'a public key whose id is that of its note alone',
      Buffer.of(1, ...publicKey),
      signature,
      Buffer.alloc(4),
    ),
    underKey('a public key under which each text is signed', Buffer.of(1, ...identity), everything),
    underKey('the same public key in a second form', Buffer.of(1, ...plusPrime), everything),
    underKey('the same public key with a sign', Buffer.of(1, ...minusZero), everything),
    underKey('a public key that is no point', Buffer.of(1, 2, ...Buffer.alloc(31))),
    underKey(
      'a public key with a component of small order, which the cofactor removes',
      MIXED,
      mixedSignature(SEED, text, false),
    ),
    underKey(
      'a signature with a component of small order, which the cofactor removes',
      Buffer.of(1, ...publicKey),
      torsionedSignature(SEED, text),
    ),
    underKey(
      'a signature whose first half is a point of small order',
      Buffer.of(1, ...publicKey),
      signatureWithoutNonce(SEED, text),
    ),
  ];
}

/** Returns a line of a note by a key of the log's name: the bytes are its type and the point. */
function lineUnder(bytes: Uint8Array, made: Uint8Array, id = keyIdOf(signer.name, bytes)): string {
  return lineOf(signer.name, id, made);
}

/** Returns the public key of such a key. */
function keyOf(bytes: Uint8Array, id = keyIdOf(signer.name, bytes)): string {
  return [signer.name, id.toString('hex'), Buffer.from(bytes).toString('base64')].join('+');
}

/** Returns data with lists in lists. */
function nested(lists: number): string {
  return `{"nested":${'['.repeat(lists)}${']'.repeat(lists)},"orderId":"7"}`;
}

/** Returns a record with other data. */
function dataIn(record: string, data: string): string {
  return record.replace(/"data":\{.*?\}/, () => `"data":${data}`);
}

/** Returns the text and the lines of signatures of a note. */
function partsOf(note: string): [text: string, lines: string] {
  const blank = note.lastIndexOf('\n\n');
  return [note.slice(0, blank + 1), note.slice(blank + 2)];
}

/** Returns the receipt of a record in a tree of a size with a root, both of which the log has signed. */
function rootedAt(
  record: string,
  proof: readonly Uint8Array[],
  size: number,
  root: Uint8Array,
): string {
  return receiptOf(
    record,
    proof,
    signer.sign(`${signer.name}\n${size}\n${Buffer.from(root).toString('base64')}\n`),
  );
}

/** Returns the vector of an event in a log that is too large to be built: the other hashes are made up. */
function largeLog(what: string, position: number, size: number): Vector & { record: string } {
  const record = placed.replace('"position":1', `"position":${position}`);
  const proof: Uint8Array[] = [];
  const sibling = () => {
    const made = hash('sha256', `sibling ${proof.length}`, 'buffer');
    proof.push(made);
    return made;
  };
  const rootOf = (index: number, leaves: number): Uint8Array => {
    if (leaves === 1) return leafHash(record);
    let left = 1;
    while (left * 2 < leaves) left *= 2;
    const below = index < left ? rootOf(index, left) : rootOf(index - left, leaves - left);
    return index < left ? nodeHash(below, sibling()) : nodeHash(sibling(), below);
  };
  const root = rootOf(position - 1, size);
  return { what, key: signer.verifierKey, receipt: rootedAt(record, proof, size, root), record };
}

/** Returns the bytes of a line: an id and a signature. */
function bytesIn(line: string): Buffer {
  return Buffer.from(line.split(' ')[2] ?? '', 'base64');
}

/** Returns a line with the same bytes, whose base64 has bits that are no part of them. */
function loose(line: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return line.replace(/(.)(=+)\n$/, (_, last: string, end: string) => {
    return `${digits[digits.indexOf(last) + 1]}${end}\n`;
  });
}

/** Returns a line without the last byte of its signature. */
function cut(line: string): string {
  return lineOf(signer.name, bytesIn(line).subarray(0, -1));
}

/**
 * Returns a line with the same signature, to whose second half the order of the group is added. RFC
 * 8032, section 5.1.7, refuses it; without that rule, each signature would have a second form.
 */
function unreduced(line: string): string {
  const bytes = bytesIn(line);
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const half = BigInt(`0x${Buffer.from(bytes.subarray(36)).reverse().toString('hex')}`) + order;
  const other = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
  return lineOf(signer.name, bytes.subarray(0, 36), other);
}
