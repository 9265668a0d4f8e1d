import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  positionOf,
  RecordTree,
  type Verdict,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyKey,
  verifyNote,
  verifyReceipt,
} from '../../../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { anyText } from '../../../../support/any-text.ts';
import {
  CONSISTENCY,
  EMPTY_ROOT,
  fromHex,
  INCLUSION,
  LEAVES,
  ROOTS,
} from '../../../../support/ct-vectors.ts';
import { plainHead } from '../../../../support/plain-head.ts';
import { ProofLog, recordAt } from '../../../../support/proof-log.ts';
import { mth, path, proof as proofOf } from '../../../../support/reference-tree.ts';
import { neighbourKey, smallOrderKeys } from '../../../../support/small-order-keys.ts';
import * as tessera from '../../../../support/tessera-vectors.ts';

const VALID = { ok: true, value: undefined };

function refused(reason: string): Verdict<never> {
  return { ok: false, reason };
}

const MANY = Array.from({ length: 40 }, (_, index) => recordAt(index + 1));

/** The test tree at one of its sizes. */
function headAt(size: number) {
  const [root] = fromHex([size === 0 ? EMPTY_ROOT : (ROOTS[size - 1] as string)]);
  return { size, root: root as Buffer };
}

// From the tests of golang.org/x/mod/sumdb/note.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const TEXT = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.
`;
const PETERS =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const ENOCHS =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';
const note = (...signatures: string[]) => `${TEXT}\n${signatures.join('')}`;

describe('a signed note', () => {
  it('is that of the specification', () => {
    const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    const signed = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
    expect(verifyNote(signed, vkey)).toEqual({ ok: true, value: 'This is an example message.\n' });
  });

  it.each([
    ['one', [PETERS]],
    ['its own first', [PETERS, ENOCHS]],
    ['its own last', [ENOCHS, PETERS]],
    ['its own twice', [PETERS, PETERS, ENOCHS]],
    ['as many as any verifier must take, and more', [...Array(99).fill(ENOCHS), PETERS]],
    [
      'others of other lengths',
      [66, 67]
        .map((length) => `— Other ${Buffer.alloc(length, 1).toString('base64')}\n`)
        .concat(PETERS),
    ],
    ['one by another key of its name', [PETERS.replace('x08g', 'xxxx'), PETERS]],
  ])('is valid with these signatures: %s', (_, signatures) => {
    expect(verifyNote(note(...signatures), PETER)).toEqual({ ok: true, value: TEXT });
  });

  it.each([
    ['nothing', '', 'the note has no signatures'],
    ['a text alone', TEXT, 'the note has no signatures'],
    ['a text and an empty line', `${TEXT}\n`, 'a line is not a signature'],
    ['an open end', note(PETERS).slice(0, -1), 'the note has no signatures'],
    ['a control character', `\x01${note(PETERS)}`, 'the note has control characters'],
    ['half a character', `\ud800${note(PETERS)}`, 'the note has control characters'],
    ['a line that is no signature', note(PETERS, 'More.\n'), 'a line is not a signature'],
    ['a word before a signature', note(PETERS, `x${PETERS}`), 'a line is not a signature'],
    ['a hyphen', note(PETERS.replace('—', '-')), 'a line is not a signature'],
    ['a name with a blank', note(PETERS.replace('PeterN', 'Peter N')), 'a line is not a signature'],
    [
      'a signature in loose base64',
      note(PETERS.replace('AM=', 'AN=')),
      'a signature is not base64',
    ],
    [
      'another text',
      note(PETERS).replace('you', 'we'),
      'the signature is not that of the public key on this text',
    ],
    [
      'a signature that is too long',
      note(PETERS.replace('G/S', 'G/ABCDS')),
      'the signature is not that of the public key on this text',
    ],
    [
      'a second signature that is wrong',
      note(PETERS, PETERS.replace('UG/', 'UH/')),
      'the signature is not that of the public key on this text',
    ],
    [
      'another name',
      note(PETERS.replace('Peter', 'Carmen')),
      'the note is not signed with the public key',
    ],
    [
      'another id',
      note(PETERS.replace('x08g', 'xxxx')),
      'the note is not signed with the public key',
    ],
    ['another key alone', note(ENOCHS), 'the note is not signed with the public key'],
    [
      'too many signatures',
      note(...Array(101).fill(PETERS)),
      'the note has more than 100 signatures',
    ],
    ['a name without a signature', note('— PeterNeumann\n'), 'a line is not a signature'],
    ['no name', note('—  AAAAAAAA\n'), 'a line is not a signature'],
    ['a plus sign in a name', note('— a+b AAAAAAAA\n'), 'a line is not a signature'],
    ['an unusual blank in a name', note('— a\u00a0b AAAAAAAA\n'), 'a line is not a signature'],
    ['two signatures in a line', note('— a AAAAAAAA AAAAAAAA\n'), 'a line is not a signature'],
    ['a blank at the end of a line', note('— a AAAAAAAA \n'), 'a line is not a signature'],
    [
      'a name of millions of characters',
      note(`— ${'Ü'.repeat(10_000_000)} AAAAAAAA\n`),
      'the note is not signed with the public key',
    ],
    [
      'a signature of millions of characters',
      note(`— PeterNeumann ${'A'.repeat(10_000_000)}\n`),
      'the note is not signed with the public key',
    ],
  ])('is refused with %s', (_, signed, reason) => {
    expect(verifyNote(signed, PETER)).toEqual(refused(reason));
  });

  it.each([
    ['nothing', '', 'the public key is not name+id+key'],
    [
      'a key that is too long',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
      'the public key is not name+id+key',
    ],
    [
      'an unknown algorithm',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
      'the public key has the type 101, not 1 for Ed25519',
    ],
    [
      'the id of another name',
      PETER.replace('Peter', 'Petra'),
      'the id in the public key is not that of name and key',
    ],
    [
      'an id in capitals',
      PETER.replace('c74f20a3', 'C74F20A3'),
      'the public key is not name+id+key',
    ],
    ['a private key', tessera.PRIVATE_KEY, 'the public key is not name+id+key'],
  ])('is refused where the public key is %s', (_, vkey, reason) => {
    expect(verifyNote(note(PETERS), vkey)).toEqual(refused(reason));
    expect(verifyKey(vkey)).toEqual(refused(reason));
  });

  it('is refused where the public key is a point of small order, however it is written', () => {
    const keys = smallOrderKeys();
    expect(keys.length).toBe(14);
    for (const key of keys) {
      expect(verifyKey(key), key).toEqual(refused('the public key is a point of small order'));
    }
    expect(verifyKey(neighbourKey()).ok).toBe(true);
  });

  it('is of the log that its public key is named for', () => {
    expect(verifyKey(PETER)).toEqual({ ok: true, value: 'PeterNeumann' });
  });

  it('may say nothing but an empty line', () => {
    const signer = new NoteSigner('log', Buffer.alloc(32, 1));
    const verdict = verifyNote(signer.sign('\n'), signer.verifierKey);
    expect(verdict).toEqual({ ok: true, value: '\n' });
  });

  it('is valid for each of those who signed it', () => {
    expect(verifyNote(note(PETERS, ENOCHS), ENOCH)).toEqual({ ok: true, value: TEXT });
  });

  it('is no matter of verdicts where there is none: a mistake in a program is thrown', () => {
    expect(() => verifyNote(undefined as unknown as string, PETER)).toThrow(TypeError);
  });

  it('is refused for every piece of its public key, and for every change in it', () => {
    for (let at = 0; at < PETER.length; at += 1) {
      const next = String.fromCharCode(PETER.charCodeAt(at) + 1);
      expect(verifyNote(note(PETERS), PETER.slice(0, at)).ok).toBe(false);
      expect(verifyNote(note(PETERS), PETER.slice(at + 1)).ok).toBe(false);
      const changed = PETER.slice(0, at) + next + PETER.slice(at + 1);
      expect(verifyNote(note(PETERS), changed).ok, changed).toBe(false);
    }
  });
});

describe('a checkpoint', () => {
  it("is each of Tessera's, and its root is that of the log's records", () => {
    const tree = new RecordTree();
    for (const [size, signed] of tessera.CHECKPOINTS.entries()) {
      if (size > 0) tree.add(tessera.LEAVES[size - 1] as string);
      const verdict = verifyCheckpoint(signed, tessera.VKEY);
      const origin = 'example.com/log/testdata';
      expect(verdict).toEqual({
        ok: true,
        value: { origin, epoch: '0', ...plainHead(tree.head()) },
      });
    }
  });

  const signer = new NoteSigner('log', Buffer.alloc(32, 1));
  const root = Buffer.alloc(32, 2).toString('base64');
  const [shape, spelled] = [
    'the note is not a checkpoint of three lines',
    'the root is not base64',
  ];

  // The key itself has signed these: it is not to be trusted with making sense.
  it.each([
    ['two lines', 'log\n1\n', shape],
    ['a line before', `more\nlog\n1\n${root}\n`, shape],
    ['a line more', `log\n1\n${root}\nmore\n`, shape],
    ['an empty line more', `log\n1\n${root}\n\n`, shape],
    ['no origin', `\n1\n${root}\n`, shape],
    [
      'another origin',
      `log2\n1\n${root}\n`,
      'the checkpoint is of another log than the public key',
    ],
    ['a leading zero', `log\n01\n${root}\n`, shape],
    ['a sign', `log\n+1\n${root}\n`, shape],
    ['a fraction', `log\n1.0\n${root}\n`, shape],
    ['a hexadecimal size', `log\n0x1\n${root}\n`, shape],
    ['other digits', `log\n١\n${root}\n`, shape],
    ['a blank', `log\n1 \n${root}\n`, shape],
    [
      'a size beyond all',
      `log\n9007199254740992\n${root}\n`,
      'the size is not a whole number from 0',
    ],
    ['a root of 31 bytes', `log\n1\n${Buffer.alloc(31).toString('base64')}\n`, shape],
    ['a root without padding', `log\n1\n${root.slice(0, -1)}\n`, shape],
    ['a root in loose base64', `log\n1\n${root.replace('I=', 'J=')}\n`, spelled],
    ['a root for URLs', `log\n1\n${'_'.repeat(42)}8=\n`, shape],
    ['leaves, but of size 0', `log\n0\n${root}\n`, 'the root is not that of an empty tree'],
  ])('is refused with %s, even if it is signed', (_, text, reason) => {
    expect(verifyCheckpoint(signer.sign(text), signer.verifierKey)).toEqual(refused(reason));
  });
});

describe('an inclusion proof', () => {
  it.each(INCLUSION)('is valid: leaf %i of the test tree at size %i', (index, size, proof) => {
    const record = LEAVES[index] as string;
    expect(verifyInclusion(record, index, headAt(size), fromHex(proof))).toEqual(VALID);
  });

  it('is valid for every leaf of every tree of up to 40', () => {
    for (let size = 1; size <= MANY.length; size += 1) {
      const head = { size, root: mth(MANY, 0, size) };
      for (const [index, record] of MANY.slice(0, size).entries()) {
        expect(verifyInclusion(record, index, head, path(index, MANY, size))).toEqual(VALID);
      }
    }
  });

  const proof = fromHex(INCLUSION[4]?.[2] as string[]);

  it.each([
    [
      'another record',
      '10',
      1,
      headAt(5),
      proof,
      'the proof does not lead from the record to the root',
    ],
    ['half a character', '\ud800', 1, headAt(5), proof, 'the record is not Unicode text'],
    [
      'another root',
      '\0',
      1,
      headAt(6),
      proof,
      'the proof does not lead from the record to the root',
    ],
    [
      'a hash too many',
      '\0',
      1,
      headAt(5),
      [...proof, Buffer.alloc(32)],
      'the proof is longer than the way to the root',
    ],
    [
      'a hash too few',
      '\0',
      1,
      headAt(5),
      proof.slice(1),
      'the proof is shorter than the way to the root',
    ],
    ['half a hash', '\0', 1, headAt(5), [Buffer.alloc(16)], 'a hash does not have 32 bytes'],
    [
      'half a root',
      '\0',
      1,
      { size: 5, root: Buffer.alloc(16) },
      proof,
      'a hash does not have 32 bytes',
    ],
    [
      'an index beyond the size',
      '\0',
      5,
      headAt(5),
      proof,
      'the record is beyond the size of the tree',
    ],
    [
      'an index in an empty tree',
      '\0',
      0,
      headAt(0),
      [],
      'the record is beyond the size of the tree',
    ],
    ['an index below 0', '\0', -1, headAt(5), proof, 'the index is not a whole number from 0'],
    ['half an index', '\0', 0.5, headAt(5), proof, 'the index is not a whole number from 0'],
    [
      'half a size',
      '\0',
      1,
      { ...headAt(5), size: 4.5 },
      proof,
      'the size is not a whole number from 0',
    ],
    [
      'a size below 0',
      '\0',
      1,
      { ...headAt(5), size: -1 },
      proof,
      'the size is not a whole number from 0',
    ],
  ])('is refused with %s', (_, record, index, head, hashes, reason) => {
    expect(verifyInclusion(record, index, head, hashes)).toEqual(refused(reason));
  });
});

describe('a consistency proof', () => {
  it.each(CONSISTENCY)('is valid: the test tree from %i to %i', (from, to, proof) => {
    expect(verifyConsistency(headAt(from), headAt(to), fromHex(proof))).toEqual(VALID);
  });

  it('is valid for every two sizes up to 40', () => {
    const heads = [...MANY.keys()].map((index) => {
      return { size: index + 1, root: mth(MANY, 0, index + 1) };
    });
    for (const newer of heads) {
      for (const older of heads.slice(0, newer.size)) {
        const proof = proofOf(older.size, MANY, newer.size);
        expect(verifyConsistency(older, newer, proof)).toEqual(VALID);
      }
    }
  });

  it('is empty from the empty tree on', () => {
    expect(verifyConsistency(headAt(0), headAt(0), [])).toEqual(VALID);
    expect(verifyConsistency(headAt(0), headAt(5), [])).toEqual(VALID);
  });

  const proof = fromHex(CONSISTENCY[2]?.[2] as string[]);
  const fork = { size: 8, root: mth(['other']) };

  it.each([
    [
      'the sizes the wrong way round',
      headAt(8),
      headAt(6),
      proof,
      'the older tree is larger than the newer one',
    ],
    [
      'another older root',
      { ...headAt(5), size: 6 },
      headAt(8),
      proof,
      'the proof does not lead to the older root',
    ],
    ['another newer root', headAt(6), fork, proof, 'the proof does not lead to the newer root'],
    [
      'a hash too many',
      headAt(6),
      headAt(8),
      [...proof, Buffer.alloc(32)],
      'the proof is longer than the way to the root',
    ],
    [
      'a hash too few',
      headAt(6),
      headAt(8),
      proof.slice(0, -1),
      'the proof is shorter than the way to the root',
    ],
    ['no hash', headAt(6), headAt(8), [], 'the proof is empty'],
    ['half a hash', headAt(6), headAt(8), [Buffer.alloc(16)], 'a hash does not have 32 bytes'],
    ['two roots of one size', headAt(8), fork, [], 'one size has two roots'],
    [
      'a proof of what needs none',
      headAt(8),
      headAt(8),
      proof,
      'there is nothing to prove, and the proof is not empty',
    ],
    [
      'a proof from nothing',
      headAt(0),
      headAt(8),
      proof,
      'there is nothing to prove, and the proof is not empty',
    ],
    [
      'a root for the empty tree',
      { size: 0, root: fork.root },
      headAt(8),
      [],
      'the root is not that of an empty tree',
    ],
    [
      'half a newer size',
      headAt(6),
      { ...headAt(8), size: 8.5 },
      proof,
      'the size is not a whole number from 0',
    ],
    [
      'half an older size',
      { ...headAt(6), size: 5.5 },
      headAt(8),
      proof,
      'the size is not a whole number from 0',
    ],
  ])('is refused with %s', (_, older, newer, hashes, reason) => {
    expect(verifyConsistency(older, newer, hashes)).toEqual(refused(reason));
  });
});

describe('a receipt', () => {
  it('is valid for every event of a log, and yields its contents', async () => {
    const log = new ProofLog(7);
    for (let position = 1; position <= 7; position += 1) {
      const verdict = verifyReceipt(await log.receipt(position), log.vkey);
      const checkpoint = { origin: 'orders.example/log', epoch: '0', ...plainHead(log.head) };
      expect(verdict).toEqual({
        ok: true,
        value: { record: recordAt(position), position, checkpoint, note: log.checkpoint() },
      });
    }
  });

  it('may end with a line end, as files do', async () => {
    const log = new ProofLog(1);
    expect(verifyReceipt(`${await log.receipt(1)}\n`, log.vkey).ok).toBe(true);
  });

  it('is refused unless it is exactly as the service writes it', async () => {
    const log = new ProofLog(3);
    const text = await log.receipt(2);
    const receipt = JSON.parse(text);
    const members = 'the receipt must have the members format,record,proof,checkpoint';
    const texts = 'a receipt has two texts, the record and the checkpoint, and a list of hashes';
    const form = 'the receipt is not in the one form that it can have';
    const loose = [...receipt.proof.slice(1), receipt.proof[0].replace(/.=$/, 'B=')];
    const cases: [text: string, reason: string][] = [
      ['', 'the receipt is not JSON'],
      ['null', members],
      ['[]', members],
      ['7', members],
      [text.slice(0, -1), 'the receipt is not JSON'],
      [JSON.stringify(receipt, null, 2), form],
      [text.replace('{', `{"format":"store-orders/receipt/v1",`), form],
      [text.replace('Ü', '\\u00dc'), form],
      [JSON.stringify({ ...receipt, more: 1 }), members],
      [JSON.stringify({ ...receipt, proof: undefined }), members],
      [JSON.stringify({ ...receipt, format: 'v2' }), 'the format is not store-orders/receipt/v1'],
      [JSON.stringify({ ...receipt, record: JSON.parse(receipt.record) }), texts],
      [JSON.stringify({ ...receipt, checkpoint: null }), texts],
      [JSON.stringify({ ...receipt, proof: {} }), texts],
      [JSON.stringify({ ...receipt, proof: [1] }), 'a hash is no text'],
      [JSON.stringify({ ...receipt, proof: loose }), 'a hash is not base64'],
      [
        JSON.stringify({ ...receipt, record: recordAt(4) }),
        'the record is beyond the size of the tree',
      ],
      [deep(100_000), members],
      [
        JSON.stringify({ ...receipt, proof: 'DEEP' }).replace('"DEEP"', deep(100_000)),
        'the JSON is nested too deeply',
      ],
      [`\ufeff${text}`, 'the receipt is not JSON'],
      [`\u00a0${text}`, 'the receipt is not JSON'],
      [`${text}\0`, 'the receipt is not JSON'],
      [`${text} {}`, 'the receipt is not JSON'],
      [JSON.stringify({ 'format,record': 1, 'proof,checkpoint': 2 }), members],
      [text.replace('{', '{"__proto__":{},'), members],
    ];
    for (const [each, reason] of cases) {
      expect(verifyReceipt(each, log.vkey), each.slice(0, 500)).toEqual(refused(reason));
    }
  });
});

function deep(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

describe('the position in a record', () => {
  const record = recordAt(41);

  it('is read', () => {
    expect(positionOf(record)).toEqual({ ok: true, value: 41 });
  });

  const members =
    'the record must have the members data,metadata,position,schemaVersion,type,version';
  const form = 'the record is not in the one form that it can have';
  const count = 'the position is not a whole number from 1';

  it.each([
    ['no JSON', record.slice(1), 'the record is not JSON'],
    ['a member more', record.replace('"position"', '"more":1,"position"'), members],
    ['a member less', record.replace('"schemaVersion":1,', ''), members],
    [
      'members in another order',
      `{"position":41,${record.slice(1).replace('"position":41,', '')}`,
      members,
    ],
    ['a member twice', record.replace('"position"', '"position":40,"position"'), form],
    ['a blank', record.replace(':41', ': 41'), form],
    ['another spelling', record.replace(':41', ':41.0'), form],
    ['half a character', record.replace('🐶', '\ud83d'), 'the JSON has half a character'],
    ['half a character escaped', record.replace('🐶', '\\ud83d'), 'the JSON has half a character'],
    [
      'a joined name',
      record.replace('{"data":', '{"data,metadata":').replace(/"metadata":.*?},/, ''),
      members,
    ],
    [
      'nested members in another order',
      record.replace(/"at":("[^"]*"),"by":("[^"]*")/, '"by":$2,"at":$1'),
      form,
    ],
    ['a nested member twice', record.replace('{"orderId"', '{"orderId":"40","orderId"'), form],
    [
      'a name of its prototype',
      record.replace('{"orderId"', '{"__proto__":1,"orderId"').replace('41"}', '41","a":1.0}'),
      form,
    ],
    ['a number with an exponent', record.replace(':41', ':41e0'), form],
    ['a number below zero that is none', record.replace('"version":3', '"version":-0'), form],
    ['a number that is none', record.replace('"version":3', '"version":1e400'), form],
    ['a NUL', `${record}\0`, 'the record is not JSON'],
    ['a byte order mark', `\ufeff${record}`, 'the record is not JSON'],
    ['something behind it', `${record}{}`, 'the record is not JSON'],
    [
      'a depth that no record has',
      record.replace(/\{"orderId":"41"\}/, deep(100_000)),
      'the JSON is nested too deeply',
    ],
    ['0', record.replace(':41', ':0'), count],
    ['a negative number', record.replace(':41', ':-41'), count],
    ['a fraction', record.replace(':41', ':4.1'), count],
    ['a text', record.replace(':41', ':"41"'), count],
    ['a number beyond all', record.replace(':41', ':9007199254740992'), count],
  ])('is refused where the record has %s', (_, text, reason) => {
    expect(text).not.toBe(record);
    expect(positionOf(text)).toEqual(refused(reason));
  });
});

describe('no text', () => {
  it('makes the verifier throw, or believe anything', async () => {
    const log = new ProofLog(4);
    const receipt = JSON.parse(await log.receipt(3));
    const parts = fc.oneof(anyText(), fc.jsonValue(), fc.constantFrom(...Object.values(receipt)));
    const members = fc.record({ format: fc.constant(receipt.format) });
    const receipts = fc
      .tuple(members, fc.tuple(parts, parts, parts))
      .filter(([, three]) => three.some((part, at) => part !== Object.values(receipt)[at + 1]))
      .map(([{ format }, [record, proof, checkpoint]]) => {
        return JSON.stringify({ format, record, proof, checkpoint });
      });
    const texts = fc.oneof(receipts, anyText(), fc.json());
    fc.assert(
      fc.property(texts, (text) => {
        expect(verifyReceipt(text, log.vkey).ok).toBe(false);
        expect(verifyCheckpoint(text, log.vkey).ok).toBe(false);
        expect(verifyCheckpoint(receipt.checkpoint, text).ok).toBe(false);
        expect(positionOf(text).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is signed by a signature of any other length', () => {
    const [, , base64 = ''] = PETERS.trim().split(' ');
    const signature = Buffer.from(base64, 'base64');
    for (let length = 4; length < 200; length += 1) {
      if (length === signature.length) continue;
      const bytes = Buffer.concat([signature, Buffer.alloc(200)]).subarray(0, length);
      const line = `— PeterNeumann ${bytes.toString('base64')}\n`;
      expect(verifyNote(note(line), PETER).ok, String(length)).toBe(false);
    }
  });
});

describe('the tree of all records', () => {
  it('has the root that the RFC defines, at every size', () => {
    const tree = new RecordTree();
    const records = Array.from({ length: 70 }, (_, index) => recordAt(index + 1));
    for (const [index, record] of records.entries()) {
      expect(tree.head()).toEqual({ size: index, root: mth(records, 0, index) });
      tree.add(record);
    }
  });
});
