import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { ProofLog, recordAt } from './proof-log.ts';
import { mth, path, pathShape, proof, proofShape } from './reference-tree.ts';

/** The verifier, or a mutant of it. */
export type Verifier = typeof import('../../src/app/audit/proofs/verifier.ts');

/** A forgery, its kind, and a function that returns whether a verifier accepts it. */
export interface Forgery {
  readonly kind: 'root' | 'inclusion' | 'consistency' | 'checkpoint' | 'receipt';
  readonly what: string;
  readonly accepted: (verifier: Verifier) => boolean;
}

/**
 * Yields all forgeries of a log's proofs, checkpoints and receipts, without its key, and in part
 * with it. They are generated deterministically, so that a failure can be reproduced.
 */
export async function* forgeries(): AsyncGenerator<Forgery> {
  yield* treesWithCopies();
  yield* signedNonsense();
  yield* forgedInclusion();
  yield* forgedConsistency();
  yield* forgedCheckpoints();
  yield* forgedReceipts();
}

/**
 * CVE-2012-2459: if last nodes are duplicated, a list and the list with its end repeated collide.
 */
function* treesWithCopies(): Generator<Forgery> {
  for (let size = 1; size <= 16; size += 1) {
    const records = Array.from({ length: size }, (_, index) => recordAt(index + 1));
    for (let copies = 1; copies <= size; copies += 1) {
      yield {
        kind: 'root',
        what: `a log of ${size} events and one with the last ${copies} doubled have one root`,
        accepted: (verifier) => {
          const [honest, doubled] = [new verifier.RecordTree(), new verifier.RecordTree()];
          for (const record of records) honest.add(record);
          for (const record of [...records, ...records.slice(size - copies)]) doubled.add(record);
          return Buffer.from(honest.head().root).equals(doubled.head().root);
        },
      };
    }
  }
}

/** Yields malformed texts that are signed with the log's own key. */
function* signedNonsense(): Generator<Forgery> {
  const { signer, vkey } = new ProofLog(0);
  const root = Buffer.alloc(32, 0xa5).toString('base64');
  const spare = root.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`);
  const name = signer.name;
  const texts = [
    ...[
      '01',
      '00',
      '+1',
      '-1',
      '1.0',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '',
      '٣',
      '9007199254740992',
      '0',
    ].map((size) => `${name}\n${size}\n${root}\n`),
    ...['', `${root}=`, root.slice(0, -1), root.slice(4), spare, root.replaceAll('p', '-')].map(
      (each) => `${name}\n1\n${each}\n`,
    ),
    ...['more', '', ' ', '— more'].map((line) => `${name}\n1\n${root}\n${line}\n`),
    ...['', 'other', `${name}/`, name.toUpperCase(), ` ${name}`].map(
      (origin) => `${origin}\n1\n${root}\n`,
    ),
  ];
  for (const text of texts) {
    const note = signer.sign(text);
    yield {
      kind: 'checkpoint',
      what: `a checkpoint with the text ${JSON.stringify(text)}`,
      accepted: (verifier) => verifier.verifyCheckpoint(note, vkey).ok,
    };
  }
}

/** Yields genuine inclusion proofs, presented for other claims. */
function* forgedInclusion(): Generator<Forgery> {
  const records = Array.from({ length: 14 }, (_, index) => recordAt(index + 1));
  for (let size = 1; size <= records.length; size += 1) {
    const then = records.slice(0, size);
    const head = { size, root: mth(then) };
    for (const [index, record] of then.entries()) {
      const genuine = path(index, then);
      const shape = pathShape(index, size);
      const claim = (what: string, ...[text, at, of, hashes]: Inclusion): Forgery => ({
        kind: 'inclusion',
        what: `leaf ${index} of ${size}, ${what}`,
        accepted: (verifier) => verifier.verifyInclusion(text, at, of, hashes).ok,
      });
      for (let otherSize = 1; otherSize <= 2 * size + 1; otherSize += 1) {
        for (let other = 0; other < otherSize; other += 1) {
          if (pathShape(other, otherSize) === shape) continue;
          const what = `as leaf ${other} of ${otherSize}`;
          yield claim(what, record, other, { ...head, size: otherSize }, genuine);
        }
      }
      for (const beyond of [size, size + index, 2 * size, 2 ** 40 + index]) {
        yield claim(`as leaf ${beyond}`, record, beyond, head, genuine);
      }
      yield claim('of another record', recordAt(99), index, head, genuine);
      yield claim('under another root', record, index, { size, root: mth(['x']) }, genuine);
      for (const [what, hashes] of variants(genuine))
        yield claim(what, record, index, head, hashes);
    }
  }
}

type Inclusion = Parameters<Verifier['verifyInclusion']>;

/** Yields genuine consistency proofs, presented for other claims. */
function* forgedConsistency(): Generator<Forgery> {
  const records = Array.from({ length: 12 }, (_, index) => recordAt(index + 1));
  const rewritten = records.with(0, recordAt(77));
  const roots = records.map((_, index) => mth(records, 0, index + 1));
  for (let to = 1; to <= records.length; to += 1) {
    for (let from = 1; from <= to; from += 1) {
      const genuine = proof(from, records, to);
      const older = { size: from, root: roots[from - 1] as Buffer };
      const newer = { size: to, root: roots[to - 1] as Buffer };
      const claim = (what: string, ...[before, after, hashes]: Consistency): Forgery => ({
        kind: 'consistency',
        what: `from ${from} to ${to}, ${what}`,
        accepted: (verifier) => verifier.verifyConsistency(before, after, hashes).ok,
      });
      const shape = proofShape(from, to);
      for (let otherTo = 1; otherTo <= 2 * to + 1; otherTo += 1) {
        for (let other = 1; other <= otherTo; other += 1) {
          // For equal sizes only the roots are compared.
          if (proofShape(other, otherTo) === shape || (from === to && other === otherTo)) continue;
          const sizes = [
            { ...older, size: other },
            { ...newer, size: otherTo },
          ] as const;
          yield claim(`as from ${other} to ${otherTo}`, ...sizes, genuine);
        }
      }
      const forkedOlder = { size: from, root: mth(rewritten, 0, from) };
      const forkedNewer = { size: to, root: mth(rewritten, 0, to) };
      const forged = proof(from, rewritten, to);
      yield claim('with a rewritten past', older, forkedNewer, genuine);
      yield claim('with a rewritten past and its proof', older, forkedNewer, forged);
      yield claim('from a past that never was', forkedOlder, newer, genuine);
      yield claim('from a past that never was, and its proof', forkedOlder, newer, forged);
      if (from < to) yield claim('backwards', newer, older, genuine);
      for (const [what, hashes] of variants(genuine)) yield claim(what, older, newer, hashes);
    }
  }
}

type Consistency = Parameters<Verifier['verifyConsistency']>;

/**
 * Yields a proof with a hash removed, added, repeated, truncated or changed, or two hashes swapped.
 */
function* variants(genuine: readonly Buffer[]): Generator<[what: string, proof: Buffer[]]> {
  const strange = mth(['strange']);
  yield ['with a hash at the end', [...genuine, strange]];
  yield ['with a hash at the beginning', [strange, ...genuine]];
  for (const [at, one] of genuine.entries()) {
    yield [`without hash ${at}`, genuine.toSpliced(at, 1)];
    yield [`with hash ${at} doubled`, genuine.toSpliced(at, 0, one)];
    yield [`with hash ${at} cut`, genuine.with(at, one.subarray(0, 31))];
    yield [`with hash ${at} empty`, genuine.with(at, Buffer.alloc(0))];
    for (const bit of [0, 97, 255])
      yield [`with a bit of hash ${at}`, genuine.with(at, flip(one, bit))];
    const next = genuine[at + 1];
    if (next === undefined) continue;
    yield [`with hash ${at} swapped`, genuine.with(at, next).with(at + 1, one)];
    yield [`with hash ${at} joined`, genuine.toSpliced(at, 2, Buffer.concat([one, next]))];
  }
}

/** Yields checkpoints that the key did not sign. */
function* forgedCheckpoints(): Generator<Forgery> {
  const log = new ProofLog(13);
  const note = log.checkpoint();
  const other = new ProofLog(12).checkpoint();
  const stranger = new NoteSigner(log.signer.name, Buffer.alloc(32, 8));
  const [text = '', signature = ''] = note.split('\n\n');
  const forged: [what: string, note: string][] = [
    ["with another key's signature", log.checkpoint(stranger)],
    ["with another name's signature", log.checkpoint(new NoteSigner('other', Buffer.alloc(32, 7)))],
    ['with the signature of another size', `${other.split('\n\n')[0]}\n\n${signature}`],
    ['without its signature', `${text}\n\n`],
    ['with its signature in the text', `${text}\n${signature}`],
    ['with another text before it', `${other}\n${note}`],
    ['with line ends of another system', note.replaceAll('\n', '\r\n')],
    ['with an extension', note.replace('\n\n', '\nmore\n\n')],
    ['said twice', note + note],
    ["with another key's signature under the key's own id", mixed(log, stranger)],
    ['with its signature in other numbers', respelled(note)],
  ];
  for (const [what, each] of [...forged, ...broken(note)]) {
    yield {
      kind: 'checkpoint',
      what: `a checkpoint ${what}`,
      accepted: (verifier) => verifier.verifyCheckpoint(each, log.vkey).ok,
    };
  }
}

function mixed(log: ProofLog, stranger: NoteSigner): string {
  const [ours, theirs] = [log.checkpoint(), log.checkpoint(stranger)].map((note) => {
    return Buffer.from(note.split(' ').at(-1) as string, 'base64');
  }) as [Buffer, Buffer];
  const signature = Buffer.concat([ours.subarray(0, 4), theirs.subarray(4)]).toString('base64');
  return log.checkpoint().replace(ours.toString('base64'), signature);
}

/**
 * Returns an Ed25519 signature with the order of the group added to S. It would satisfy the
 * equation as a second signature of the same text, so RFC 8032, section 5.1.7, requires a check of
 * S.
 */
function respelled(note: string): string {
  const base64 = note.split(' ').at(-1) as string;
  const signature = Buffer.from(base64, 'base64');
  const s = BigInt(`0x${Buffer.from(signature.subarray(36).toReversed()).toString('hex')}`);
  const sum = s + 2n ** 252n + 27742317777372353535851937790883648493n;
  signature.set(Buffer.from(sum.toString(16).padStart(64, '0'), 'hex').toReversed(), 36);
  return note.replace(base64.trim(), signature.toString('base64'));
}

/** Yields receipts that are incomplete or contradict the log. */
async function* forgedReceipts(): AsyncGenerator<Forgery> {
  const log = new ProofLog(13);
  const genuine = await log.receipt(6);
  const { record, proof, checkpoint } = JSON.parse(genuine);
  const hashes: Buffer[] = proof.map((text: string) => Buffer.from(text, 'base64'));
  const forged: [what: string, receipt: string][] = [];
  for (let position = 1; position <= log.size; position += 1) {
    const other = JSON.parse(await log.receipt(position));
    if (position === 6) continue;
    forged.push(
      [`with record ${position}`, JSON.stringify({ ...JSON.parse(genuine), record: other.record })],
      [`with proof ${position}`, JSON.stringify({ ...JSON.parse(genuine), proof: other.proof })],
      [
        `moved to ${position}`,
        receiptOf(record.replace(':6,', `:${position},`), hashes, checkpoint),
      ],
      [`moved to ${position}, with its proof`, JSON.stringify({ ...other, record })],
    );
  }
  for (const [what, each] of variants(hashes))
    forged.push([what, receiptOf(record, each, checkpoint)]);
  for (let size = 1; size <= 30; size += 1) {
    if (size === 13) continue;
    const other = new ProofLog(size).checkpoint();
    forged.push([`with the checkpoint of size ${size}`, receiptOf(record, hashes, other)]);
    const resized = checkpoint.replace('\n13\n', `\n${size}\n`);
    forged.push([`with the size ${size} written in`, receiptOf(record, hashes, resized)]);
  }
  const stranger = new NoteSigner(log.signer.name, Buffer.alloc(32, 8));
  forged.push(
    ['by another key', receiptOf(record, hashes, log.checkpoint(stranger))],
    ['with a member more', genuine.replace('{', '{"more":1,')],
    ['with two records', genuine.replace('{', `{"record":${JSON.stringify(recordAt(5))},`)],
    ['with two checkpoints', genuine.replace(/}$/, `,"checkpoint":${JSON.stringify(checkpoint)}}`)],
    [
      'with two positions',
      receiptOf(record.replace('"position"', '"position":5,"position"'), hashes, checkpoint),
    ],
    ['of another format', genuine.replace('/v1"', '/v2"')],
    [
      'with the record of another order',
      receiptOf(record.replace('"6"}', '"7"}'), hashes, checkpoint),
    ],
  );
  for (const [what, each] of [...forged, ...broken(genuine)]) {
    yield {
      kind: 'receipt',
      what: `a receipt ${what}`,
      accepted: (verifier) => verifier.verifyReceipt(each, log.vkey).ok,
    };
  }
}

/**
 * Yields a text with each bit flipped, each byte removed or repeated, and truncated at each byte.
 */
function* broken(text: string): Generator<[what: string, text: string]> {
  const bytes = Buffer.from(text);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    yield [`with bit ${bit} flipped`, flip(bytes, bit).toString()];
  }
  for (let at = 0; at < bytes.length; at += 1) {
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    yield [`cut at ${at}`, before.toString()];
    if (at > 0) yield [`without its first ${at} bytes`, after.toString()];
    yield [`without byte ${at}`, Buffer.concat([before, after.subarray(1)]).toString()];
    yield [
      `with byte ${at} doubled`,
      Buffer.concat([before, after.subarray(0, 1), after]).toString(),
    ];
  }
}

function flip(bytes: Buffer, bit: number): Buffer {
  const at = bit >> 3;
  return Buffer.from(bytes.with(at, (bytes[at] as number) ^ (1 << (bit & 7))));
}
