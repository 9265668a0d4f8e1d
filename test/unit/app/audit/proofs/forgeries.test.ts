import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as verifier from '../../../../../src/app/audit/proofs/verifier.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { type Forgery, forgeries, type Verifier } from '../../../../support/forgeries.ts';
import { partByDay } from '../../../../support/nightly.ts';

const ALL = await Array.fromAsync(forgeries());

describe('the verifier', () => {
  it('refuses every one of more than 50,000 forgeries, of which each eleventh is tried by day', () => {
    expect(ALL.length).toBeGreaterThan(50_000);
    const accepted = partByDay(ALL, 11).filter((forgery) => forgery.accepted(verifier));
    expect(accepted.map(({ what }) => what)).toStrictEqual([]);
  });
});

/** What is replaced, by what, and how often the same stands before it. */
type Change = readonly [rule: string, instead: string, before?: number];

/** Leaves a refusal out, the first of those with this reason or a later one. */
function without(reason: string, before = 0): Change {
  return [`refuse('${reason}')`, 'undefined', before];
}

/** As in CVE-2012-2459: a node without a neighbour is joined with itself. */
const DOUBLING: readonly Change[] = [
  ['let top = leafHash(record);', 'let top = leafHash(record); (this.leaves ??= []).push(top);'],
  [
    "const [last = sha256(''), ...others] =",
    `let row = this.leaves ?? [];
     const parent = (_, i) => nodeHash(row[2 * i], row[2 * i + 1] ?? row[2 * i]);
     while (row.length > 1) row = Array.from({ length: Math.ceil(row.length / 2) }, parent);
     if (row.length === 1) return { size: this.#size, root: row[0] };
     const [last = sha256(''), ...others] =`,
  ],
];

/**
 * One rule of the verifier left out, or a mistake that others have made. If the forgeries did not
 * show it, they would prove nothing.
 */
const MUTANTS: readonly [kind: Forgery['kind'], what: string, ...changes: Change[]][] = [
  ['root', 'doubles the last node', ...DOUBLING],
  [
    'inclusion',
    'takes the size for granted',
    without('the proof is shorter than the way to the root'),
  ],
  [
    'inclusion',
    'walks on beyond the root',
    without('the proof is longer than the way to the root'),
  ],
  [
    'inclusion',
    'takes an index beyond the size',
    without('the record is beyond the size of the tree'),
  ],
  ['inclusion', 'forgets the root', without('the proof does not lead from the record to the root')],
  [
    'consistency',
    'takes the sizes for granted',
    without('the proof is shorter than the way to the root', 1),
  ],
  ['consistency', 'forgets the older root', without('the proof does not lead to the older root')],
  ['consistency', 'forgets the newer root', without('the proof does not lead to the newer root')],
  ['consistency', 'takes two roots of one size', without('one size has two roots')],
  [
    'consistency',
    'takes a proof of nothing',
    without('there is nothing to prove, and the proof is not empty'),
  ],
  [
    'checkpoint',
    'forgets the signature',
    without('the signature is not that of the public key on this text'),
  ],
  [
    'checkpoint',
    'takes any key',
    ["signed ? text : refuse('the note is not signed with the public key')", 'text'],
  ],
  ['checkpoint', 'takes any name', ['name === key.name && ', '']],
  ['checkpoint', 'takes any id', ['&& equal(id, key.id)', '']],
  [
    'checkpoint',
    'takes any origin',
    without('the checkpoint is of another log than the public key'),
  ],
  ['checkpoint', 'reads a size with leading zeros', ['0|[1-9][0-9]{0,15}', '[0-9]{1,16}']],
  [
    'checkpoint',
    'reads a size that it cannot count to',
    without('the size is not a whole number from 0'),
  ],
  [
    'checkpoint',
    'takes any root for the empty tree',
    without('the root is not that of an empty tree'),
  ],
  ['checkpoint', 'overlooks lines in a checkpoint', ['{43}=)\\n$/', '{43}=)\\n/']],
  ['checkpoint', 'reads loose base64', ['isReadable && btoa(atob(text)) === text', 'isReadable']],
  ['receipt', 'reads JSON in any spelling', ['isOneForm ? object', 'object ? object']],
  ['receipt', 'overlooks members', ['!isSame', 'false']],
  ['receipt', 'takes any format', without('the format is not store-orders/receipt/v1')],
  [
    'receipt',
    'takes a receipt without its proof',
    ['need(verifyInclusion(', '((record) => record)(('],
  ],
];

describe('the forgeries', () => {
  it.each(MUTANTS)('of kind %s show a verifier that %s', async (kind, _, ...changes) => {
    const mutant = await mutated(changes);
    const accepted = ALL.some((forgery) => forgery.kind === kind && forgery.accepted(mutant));
    expect(accepted).toBe(true);
  });
});

const SOURCE_MAP = /^\/\/# source.*$/m;

/** The verifier as it is published, with pieces of it replaced. */
async function mutated(changes: readonly Change[]): Promise<Verifier> {
  let code = readFileSync('dist/app/audit/proofs/verifier.js', 'utf8').replace(SOURCE_MAP, '');
  for (const [rule, instead, before = 0] of changes) {
    let at = code.indexOf(rule);
    for (let skipped = 0; skipped < before; skipped += 1) at = code.indexOf(rule, at + 1);
    expect(at, rule).toBeGreaterThan(-1);
    code = code.slice(0, at) + instead + code.slice(at + rule.length);
  }
  const folder = temporaryFolder();
  const cryptography = readFileSync('dist/app/audit/proofs/crypto.js', 'utf8').replace(
    SOURCE_MAP,
    '',
  );
  writeFileSync(join(folder, 'crypto.js'), cryptography);
  const file = join(folder, 'verifier.mjs');
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}
