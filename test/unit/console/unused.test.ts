import { expect, test } from 'vitest';
import type { Material } from '../../../src/console/state/material.ts';
import { isVerified } from '../../../src/console/state/proof-steps.ts';
import { unusedIn } from '../../../src/console/state/unused.ts';
import { ProofLog } from '../../support/proof-log.ts';

const policy: Material = { kind: 'policy', text: 'quorum none\n' };
const consistency: Material = { kind: 'consistency', from: 2, to: 5, proof: [] };
const breaks: Material = { kind: 'breaks', notes: [] };
const receipt: Material = { kind: 'receipt', text: '{}' };
const exported: Material = { kind: 'export', file: new Blob([]), name: 'trail' };
const checkpoint = (size: number): Material => {
  return { kind: 'checkpoint', text: `log\n${size}\nroot\n\n— log signature\n` };
};

const kindsIn = (...given: readonly Material[]) => unusedIn(given).map(({ kind }) => kind);

test('Material that no verdict uses is not verified, and says what is missing', () => {
  const unused = unusedIn([policy, consistency, breaks]);
  expect(unused.map(({ kind }) => kind)).toEqual(['policy', 'consistency', 'breaks']);
  expect(unused.some(isVerified)).toBe(false);
  for (const { steps } of unused)
    expect(steps).toEqual([
      {
        outcome: 'not checked',
        what: expect.any(String),
        reason: expect.stringMatching(/beside it$/),
      },
    ]);
});

test('A policy is used by what it is for, and named in the verdict on an export', () => {
  for (const other of [receipt, checkpoint(2), exported])
    expect(kindsIn(policy, other)).toEqual([]);
  expect(kindsIn(policy, consistency, checkpoint(2))).toEqual(['consistency']);
});

test('Of two proofs of the same sizes the first is used, and the other is named', () => {
  const other: Material = { kind: 'consistency', from: 2, to: 5, proof: ['AAAA'] };
  const given = [consistency, other, checkpoint(5), checkpoint(2)];
  expect(unusedIn(given).map(({ material }) => material)).toEqual([other]);
});

test('Of two proofs of the same sizes the one that holds is used, in either order', async () => {
  const note = (size: number) => new ProofLog(size).checkpoint();
  const notes = [2, 5].map((size): Material => ({ kind: 'checkpoint', text: note(size) }));
  const hashes = await new ProofLog(5).tree.consistency(2);
  const proof = hashes.map((hash) => Buffer.from(hash).toString('base64'));
  const genuine: Material = { ...consistency, from: 2, to: 5, proof } as Material;
  for (const proofs of [
    [consistency, genuine],
    [genuine, consistency],
  ]) {
    const unused = unusedIn([...proofs, ...notes], new ProofLog(5).vkey);
    expect(unused.map(({ material }) => material)).toEqual([consistency]);
  }
});

test('A proof that no two checkpoints need is named', () => {
  for (const [from, to] of [
    [0, 5],
    [5, 5],
    [5, 2],
  ] as const) {
    const needless: Material = { kind: 'consistency', from, to, proof: [] };
    expect(kindsIn(needless, checkpoint(from), checkpoint(to))).toEqual(['consistency']);
  }
});

test('Of three checkpoints each is compared with the next, and with all that proofs lead to', () => {
  const from5: Material = { kind: 'consistency', from: 5, to: 9, proof: [] };
  const from2: Material = { kind: 'consistency', from: 2, to: 9, proof: [] };
  const three = [checkpoint(9), checkpoint(2), checkpoint(5)];
  expect(kindsIn(consistency, from5, breaks, ...three)).toEqual([]);
  expect(kindsIn(from2, ...three)).toEqual([]);
  const from3: Material = { kind: 'consistency', from: 3, to: 9, proof: [] };
  expect(kindsIn(from3, ...three)).toEqual(['consistency']);
});

test('A checkpoint is named unless it is compared or witnessed', () => {
  expect(kindsIn(checkpoint(2))).toEqual(['checkpoint']);
  expect(kindsIn(checkpoint(2), receipt)).toEqual(['checkpoint']);
  for (const other of [checkpoint(5), exported, policy]) {
    expect(kindsIn(checkpoint(2), other)).toEqual([]);
  }
});

test('A public key is named unless all is verified with it', () => {
  const [own, other] = ['log+12345678+own', 'log+87654321+other'];
  const given: Material[] = [receipt, { kind: 'key', text: other }];
  expect(unusedIn(given, other)).toEqual([]);
  const [unused] = unusedIn(given, own);
  expect(unused?.kind).toBe('key');
  expect(unused?.steps[0]).toEqual({
    outcome: 'not checked',
    what: 'The signatures are those of the public key log+87654321.',
    reason: 'another one is in the field of the public key',
  });
});

test('What leads from one checkpoint to another is used between those alone', () => {
  expect(kindsIn(consistency, breaks, checkpoint(5), checkpoint(2))).toEqual([]);
  expect(kindsIn(consistency, breaks, checkpoint(5), checkpoint(3))).toEqual(['consistency']);
  expect(kindsIn(consistency, breaks, checkpoint(5), exported)).toEqual(['consistency', 'breaks']);
  expect(kindsIn(consistency, breaks, receipt)).toEqual(['consistency', 'breaks']);
});
