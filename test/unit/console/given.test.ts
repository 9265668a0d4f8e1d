import { expect, test } from 'vitest';
import { besideOf, pairsOf } from '../../../src/console/state/checkpoint-order.ts';
import { textsOf, withMaterial } from '../../../src/console/state/given.ts';
import type { Material } from '../../../src/console/state/material.ts';

const all = (...added: readonly Material[]) =>
  added.reduce(withMaterial, [] as readonly Material[]);
const exported = (name: string): Material => ({ kind: 'export', file: new Blob([]), name });

test('No material takes the place of another', () => {
  const given: readonly Material[] = [
    ...['one', 'two', 'three'].map((text): Material => ({ kind: 'checkpoint', text })),
    ...(['key', 'receipt', 'policy'] as const).flatMap((kind): Material[] => [
      { kind, text: 'one' },
      { kind, text: 'two' },
    ]),
    { kind: 'consistency', from: 1, to: 2, proof: [] },
    { kind: 'consistency', from: 1, to: 2, proof: ['AAAA'] },
    { kind: 'breaks', notes: [] },
    { kind: 'breaks', notes: ['one'] },
    ...[exported('trail'), exported('trail')],
    { kind: 'tiles', folder: new Map(), name: 'tiles' },
    { kind: 'tiles', folder: new Map(), name: 'tiles' },
  ];
  expect(all(...given)).toEqual(given);
  expect(textsOf(given, 'policy')).toEqual(['one', 'two']);
});

test('A text that is given twice, in files of any name, is there once', () => {
  const policy: Material = { kind: 'policy', text: 'quorum none', name: 'policy' };
  expect(all(policy, { ...policy, name: 'again' })).toEqual([policy]);
});

const note = (size: number | string, epoch = '') =>
  `a/log${epoch}\n${size}\nroot\n\n\u2014 a/log x\n`;

test('Checkpoints are compared in the order of their epochs and sizes, each with the next', () => {
  const [older, newer] = [note(7), note(5, '+1.aa')];
  const last = note(5, '+10.aa');
  const sorted = [note(2), older, newer, last];
  const pairs = [
    [note(2), older],
    [older, newer],
    [newer, last],
  ];
  expect(pairsOf(sorted)).toEqual(pairs);
  expect(pairsOf(sorted.toReversed())).toEqual(pairs);
  expect(pairsOf([older])).toEqual([]);
  // Each is in a pair, even where it is no checkpoint.
  const broken = pairsOf([note(3), note('x'), note(1), 'none']);
  expect(new Set(broken.flat()).size).toBe(4);
});

test('Two checkpoints that a proof connects are compared, also with others between them', () => {
  const [two, five, nine] = [note(2), note(5), note(9)];
  const cut = note(9, '+1.aa');
  const proof = (from: number, to: number): Material => ({
    kind: 'consistency',
    from,
    to,
    proof: [],
  });
  const next = [
    [two, five],
    [five, nine],
    [nine, cut],
  ];
  const all = [five, cut, two, nine];
  const pairs = pairsOf(all, [proof(2, 9), proof(5, 9)]);
  expect(pairs).toHaveLength(6);
  expect(pairs).toEqual(expect.arrayContaining([...next, [two, nine], [two, cut], [five, cut]]));
  // None of these leads from an older to a newer one.
  expect(pairsOf(all, [proof(9, 2), proof(0, 9), proof(9, 9), proof(2, 8)])).toEqual(next);
});

test('The checkpoints of years are paired, and not each tried with all others', () => {
  const notes = Array.from({ length: 20_000 }, (_, at) => note(at + 1));
  const proof: Material = { kind: 'consistency', from: 1, to: notes.length, proof: [] };
  const before = process.cpuUsage();
  const pairs = pairsOf(notes, [proof]);
  // A fifth of a second; the squared number takes a hundred times that.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
  expect(pairs).toHaveLength(notes.length);
  expect(pairs.slice(0, 2)).toEqual([notes.slice(0, 2), [notes[0], notes.at(-1)]]);
});

test('Two checkpoints are compared with breaks, and with proofs of their sizes alone', () => {
  const breaks: Material = { kind: 'breaks', notes: ['one'] };
  const proof = (from: number, to: number): Material => ({
    kind: 'consistency',
    from,
    to,
    proof: [],
  });
  const used = [proof(2, 5), breaks];
  const others: readonly Material[] = [
    proof(2, 9),
    proof(5, 9),
    ...[2, 5, 9].map((size): Material => ({ kind: 'checkpoint', text: note(size) })),
    { kind: 'receipt', text: '{}' },
    exported('trail'),
  ];
  expect(besideOf([note(2), note(5)], [...used, ...others])).toEqual(used);
  expect(besideOf([note(5), note(2)], [...others, ...used])).toEqual(used);
});
