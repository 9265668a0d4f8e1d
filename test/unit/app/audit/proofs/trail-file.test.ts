import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cloudEventOf, noteLine } from '../../../../../src/app/audit/proofs/cloud-event.ts';
import {
  type ExpectedHead,
  type Finding,
  headUnder,
} from '../../../../../src/app/audit/proofs/trail-check.ts';
import { isFinding, TrailFileCheck } from '../../../../../src/app/audit/proofs/trail-file.ts';
import { sealText } from '../../../../../src/app/audit/proofs/trail-seal.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import type { StoredFields } from '../../../../../src/app/log/recorded-event.ts';
import type { OrderEvent } from '../../../../../src/domain/order.ts';
import { decodeStrictly, encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { cancelled, placed, recorded, shipped } from '../../../../support/events.ts';
import { plainHead } from '../../../../support/plain-head.ts';

const STORE = 'fb4b0e07caf02b8d';
const EVENTS = [placed(1n), shipped(1n), placed(2n), cancelled(2n)];
const signer = new NoteSigner('log.example', Buffer.alloc(32, 7));
const other = new NoteSigner('log.example', Buffer.alloc(32, 8));

/** The lines of a trail, and what it is of. */
async function trailOf(events: readonly OrderEvent[], storeId = STORE) {
  const stored = recorded(...events).map(encode);
  const trail = new MemoryTrail();
  for (const event of stored) trail.append(event);
  const head = await trail.treeHead();
  const note = signer.signCheckpoint(head.size, head.root);
  const first = noteLine('Checkpoint', storeId, head.size, note);
  const lines = stored.map((event) => cloudEventOf(event, storeId, () => 'shop'));
  const digest = createHash('sha256');
  for (const line of [first, ...lines]) digest.update(`${line}\n`);
  const said = { origin: signer.name, storeId, size: head.size, digest: digest.digest() };
  const seal = noteLine('Seal', storeId, head.size, signer.sign(sealText(said)));
  return { stored, head, note, first, lines, seal, said };
}

const whole = await trailOf(EVENTS);

function begin(
  line: string,
  keys: readonly string[] = [],
  others?: readonly ExpectedHead[],
): TrailFileCheck {
  const headsOf = others && (() => others);
  const check = TrailFileCheck.begin(line, decodeStrictly, keys, headsOf);
  return isFinding(check) ? expect.fail(check.problem) : check;
}

/** What becomes of each line, and what is wrong at the end. */
function told(first: string, lines: readonly string[], others?: readonly ExpectedHead[]) {
  const check = begin(first, [], others);
  const results = lines.map((line) => check.add(line));
  return { size: check.size, results, end: check.end() };
}

describe('A trail as a file', () => {
  it('begins with a self-describing line', () => {
    expect(JSON.parse(whole.first)).toStrictEqual({
      specversion: '1.0',
      id: 'checkpoint-4',
      source: `/store-orders/${STORE}`,
      type: 'Checkpoint',
      datacontenttype: 'text/plain',
      data: whole.note,
    });
  });

  it('can be converted back to the stored events', () => {
    const check = begin(whole.first, [signer.verifierKey]);
    expect(check.head).toEqual(plainHead(whole.head));
    const added = whole.lines.map((line, index) => {
      expect(check.size).toBe(index);
      return check.add(line);
    });
    expect(added).toStrictEqual(whole.stored);
    expect(check.add(whole.seal)).toBeUndefined();
    expect([check.size, check.end()]).toStrictEqual([4, undefined]);
    expect(check).toMatchObject({ origin: 'log.example', source: `/store-orders/${STORE}` });
  });

  it('may contain no events', async () => {
    const { first, head, seal } = await trailOf([]);
    const check = begin(first, [signer.verifierKey]);
    expect(check.head).toEqual(plainHead(head));
    expect(check.add(seal)).toBeUndefined();
    expect(check.end()).toBeUndefined();
  });

  it('may contain very many events', () => {
    const size = 999_999_999_999_999;
    const note = signer.signCheckpoint(size, Buffer.alloc(32, 1));
    expect(begin(noteLine('Checkpoint', STORE, size, note)).head.size).toBe(size);
  });

  it('is signed with one of the keys, or with any where none is named', () => {
    const [mine, others] = [signer.verifierKey, other.verifierKey];
    for (const keys of [[], [mine], [mine, others], [others, mine]]) begin(whole.first, keys);
    expect(TrailFileCheck.begin(whole.first, decodeStrictly, [others])).toStrictEqual({
      problem: 'the checkpoint: the note is not signed with the public key',
    });
  });

  it('is compared with heads from other sources', () => {
    const noted = [2, 4, 5].map((size) => ({
      name: `checkpoint-${size}`,
      size,
      root: size === 4 ? whole.head.root : Buffer.alloc(32),
    }));
    const { results, end } = told(whole.first, whole.lines, noted.slice(0, 2));
    expect(results).toStrictEqual(whole.stored);
    expect(end).toStrictEqual({
      from: 1,
      to: 2,
      problem: 'checkpoint-2 has another root for these 2 events',
    });
    expect(told(whole.first, whole.lines, noted.slice(1)).end).toStrictEqual({
      from: 5,
      to: 5,
      problem: 'the log ends at position 4, and checkpoint-5 is of 5 events',
    });
  });
});

describe('A checkpoint of another epoch than that of a trail', () => {
  const verified = (size: number, root: Uint8Array) => ({
    origin: `${signer.name}+1.${'0f'.repeat(16)}`,
    epoch: `1.${'0f'.repeat(16)}`,
    size,
    root,
  });
  const endWith = (size: number, root: Uint8Array) => {
    const head = headUnder(signer.name, 'checkpoint', verified(size, root));
    return told(whole.first, whole.lines, [head]).end;
  };

  it('holds where the trail has what it has', () => {
    expect(endWith(4, whole.head.root)).toBeUndefined();
  });

  it.each([
    ['has another root', 4, 1],
    ['has more events', 5, 1],
  ])('is not held against the log where it %s, but against the cut', (_, size, from) => {
    expect(endWith(size, Buffer.alloc(32))).toStrictEqual({
      from,
      to: size,
      problem: expect.stringMatching(
        /^checkpoint is of epoch 1\.\w+, and this log is log\.example: it was cut in between, and lacks/,
      ),
    });
  });
});

describe('The seal of a trail', () => {
  const { first, lines, seal, said } = whole;
  const sealedAs = (changed: Partial<typeof said>, key = signer) =>
    noteLine('Seal', STORE, 4, key.sign(sealText({ ...said, ...changed })));
  const resultsOf = (given: readonly string[], keys = [signer.verifierKey]) => {
    const check = begin(first, keys);
    return [...given.map((line) => check.add(line)).slice(lines.length), check.end()];
  };

  it('is one self-describing line', () => {
    expect(JSON.parse(seal)).toMatchObject({
      id: 'seal-4',
      source: `/store-orders/${STORE}`,
      type: 'Seal',
      data: expect.stringMatching(
        /^store-orders\/export\/v1\nlog\.example\n\/store-orders\/\w+\n4\n\S+=\n\n— log/,
      ),
    });
  });

  it('must be there, once, as the last line, where a key is named', () => {
    expect(resultsOf([...lines, seal])).toStrictEqual([undefined, undefined]);
    expect(resultsOf(lines)).toStrictEqual([
      { problem: expect.stringMatching(/^the seal, which is the last line, is missing: /) },
    ]);
    const behind = { problem: 'there are lines after the seal' };
    expect(resultsOf([...lines, seal, seal]).slice(1, 2)).toStrictEqual([behind]);
    expect(resultsOf([...lines, seal, lines[0] as string]).slice(1, 2)).toStrictEqual([behind]);
    expect(resultsOf([...lines.slice(1), seal]).at(-1)).toMatchObject({ from: 1 });
  });

  it('comes behind all events', () => {
    const check = begin(first, [signer.verifierKey]);
    check.add(lines[0] as string);
    expect(check.add(seal)).toStrictEqual({
      from: 2,
      to: 4,
      problem: 'the log ends at position 1, and the checkpoint in it is of 4 events',
    });
  });

  it('need not be there, nor be signed by anybody, where no key is named', () => {
    expect(resultsOf(lines, [])).toStrictEqual([undefined]);
    expect(resultsOf([...lines, sealedAs({ size: 3 }, other)], [])).toStrictEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['other lines', sealedAs({ digest: Buffer.alloc(32) }), 'it is of other lines'],
    ['another log', sealedAs({ origin: 'other' }), 'it is of other lines'],
    ['another store', sealedAs({ storeId: '0011223344556677' }), 'it is of other lines'],
    ['another size', sealedAs({ size: 3 }), 'it is of other lines'],
    ['another key', sealedAs({}, other), 'the note is not signed with the public key'],
    ['a checkpoint', noteLine('Seal', STORE, 4, whole.note), 'it is of other lines'],
    ['another form', seal.replace(/}$/, ',"more":1}'), 'it is not in the one form'],
    ['no text', seal.replace(/"data":.*/, '"data":1}'), 'it is not in the one form'],
    ['no JSON', seal.slice(0, -1), 'it is no JSON'],
  ])('is refused where it is of %s', (_, line, reason) => {
    expect(resultsOf([...lines, line])[0]).toEqual({ problem: expect.stringContaining(reason) });
  });
});

describe('What is no first line of a trail:', () => {
  const { first, note } = whole;
  const of = (changed: string, size = 4) => noteLine('Checkpoint', STORE, size, changed);

  it.each([
    ['no JSON', 'x'],
    ['nothing in it', 'null'],
    ['a note that is no text', first.replace(/"data":.*/, '"data":{"toString":1}}')],
    ['a source that is no text', first.replace(/"source":"[^"]*"/, '"source":[]')],
    ['an event', whole.lines[0] as string],
    ['another spelling', first.replace(':', ': ')],
    ['one member more', first.replace('"data"', '"more":1,"data"')],
    ['another size beside the note', of(note, 3)],
    ['a source of another form', first.replace('/store-orders/', '/other/')],
    ['no note', of('', 0)],
    ['a note without a name', of(note.replace('log.example', ''))],
    ['a line before the name', of(`one more\n${note}`)],
    ['an empty line before the name', of(`\n${note}`)],
    ['a size that is no number', of(note.replace('\n4\n', '\nx\n'), NaN)],
    ['a size with a zero before it', of(note.replace('\n4\n', '\n04\n'))],
    ['a size that may not be exact', of(note.replace('\n4\n', `\n1${'0'.repeat(15)}\n`), 1e15)],
    ['a root of other characters', of(note.replace(/\n4\n./, '\n4\n!'))],
    ['a root that is too long', of(note.replace('\n4\n', '\n4\nA'))],
    ['a root that is too short', of(note.replace(/\n4\n./, '\n4\n'))],
    ['a line behind the root', of(note.replace('=\n\n', '=\nmore\n\n'))],
    ['a note that is not signed', of(note.slice(0, note.indexOf('\n\n') + 1))],
  ])('%s', (_, line) => {
    expect(line).not.toBe(first);
    expect(TrailFileCheck.begin(line, decodeStrictly, [])).toStrictEqual({
      problem: 'the first line is no checkpoint',
    });
  });
});

describe('What is wrong with a line of a trail is told:', () => {
  const { first, lines, stored } = whole;
  const [line1, line2, line3] = lines as [string, string, string];

  it.each<[string, readonly string[], Finding]>([
    [
      'no event',
      [line1, 'x'],
      { from: 2, problem: expect.stringMatching(/^the line cannot be read: Unexpected token/) },
    ],
    [
      'an event of another store',
      [line1, line2.replace(STORE, STORE.replace('f', 'a'))],
      { from: 2, problem: 'it is of another store' },
    ],
    ['one is missing', [line1, line3], { from: 2, problem: 'it is missing' }],
    [
      'more than the checkpoint is of',
      [...lines, line1],
      { from: 5, problem: 'it is beyond the end of the checkpoint' },
    ],
  ])('%s', (_, given, finding) => {
    const { size, results } = told(first, given);
    expect(size).toBe(given.length - 1);
    expect(results).toEqual([...stored.slice(0, size), finding]);
  });

  it('the checkpoint is of others', async () => {
    const others = await trailOf([...EVENTS.slice(0, 3), shipped(2n)]);
    const { results, end } = told(first, others.lines);
    expect(results).toStrictEqual(others.stored);
    expect(end).toStrictEqual({
      from: 1,
      to: 4,
      problem: 'the checkpoint in it has another root for these 4 events',
    });
  });

  it('there are fewer than the checkpoint is of', () => {
    expect(told(first, [line1]).end).toStrictEqual({
      from: 2,
      to: 4,
      problem: 'the log ends at position 1, and the checkpoint in it is of 4 events',
    });
  });

  it('an event or a finding, and which it is', () => {
    expect(isFinding({ problem: 'x' })).toBe(true);
    expect(isFinding(stored[0] as StoredFields)).toBe(false);
  });
});
