import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as verifier from '../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { breakStatement } from '../../src/app/log/epochs.ts';
import { forgeries, type Verifier } from '../support/forgeries.ts';
import { isNightly } from '../support/nightly.ts';
import { recordAt } from '../support/proof-log.ts';
import { mth, proof } from '../support/reference-tree.ts';
import { type Mistakes, testMistakes, verifierInPages } from './verifiers.ts';

/**
 * docs/succession.md contains a verifier that was written from the specification alone. It and the
 * published verifier must agree on every two checkpoints and all that is said to be between them.
 */

/** By day each of so many forgeries is tried: a prime number, for all kinds of them. */
const TRIED_BY_DAY = 11;

type Head = verifier.TreeHead;

/** The verifier in the page: each function throws unless it holds. */
interface OfThePage {
  verifyConsistency(older: Head, newer: Head, hashes: readonly Uint8Array[]): void;
  verifySuccession(
    older: string,
    newer: string,
    statements: readonly string[],
    hashes: readonly Uint8Array[],
    ...vkeys: readonly string[]
  ): void;
}

const verifierOfThePage = () => verifierInPages<OfThePage>('verify-succession.mjs');

function holds(verify: () => void): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

/** All that an auditor has. */
interface Case {
  readonly older: string;
  readonly newer: string;
  readonly statements: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

const signer = new NoteSigner('log.example', Buffer.alloc(32, 7));
const RECORDS = Array.from({ length: 12 }, (_, index) => recordAt(index + 1));
const rootAt = (size: number) => mth(RECORDS, 0, size);

function byThePage(page: OfThePage, { older, newer, statements, hashes }: Case): boolean {
  return holds(() => page.verifySuccession(older, newer, statements, hashes, signer.verifierKey));
}

function byThePublished({ older, newer, statements, hashes }: Case): boolean {
  const key = signer.verifierKey;
  const [before, after] = [older, newer].map((note) => verifier.verifyCheckpoint(note, key));
  const breaks = statements.map((note) => verifier.verifyBreak(note, key));
  if (!before?.ok || !after?.ok) return false;
  const cuts = breaks.flatMap((verdict) => (verdict.ok ? [verdict.value] : []));
  if (cuts.length < breaks.length) return false;
  return verifier.verifySuccession(before.value, after.value, cuts, hashes).ok;
}

/** Returns the statements of a log that was cut at each of the positions, and the epochs. */
function cutAt(positions: readonly number[], edit: (line: string, index: number) => string = same) {
  const epochs = ['0'];
  const lines = positions.map((position, index) => {
    const about = {
      epoch: index + 1,
      before: epochs[index] as string,
      store: 'fb4b0e07caf02b8d',
      at: '2026-03-01T12:00:00.000Z',
      reason: 'copy_continued',
      position,
      root: rootAt(position).toString('base64'),
      known: { epoch: '0', position: position + 1, root: null },
      positionsUpTo: null,
      idsUpTo: '9',
    } as const;
    const line = edit(breakStatement(about, `${index}`.repeat(16)), index);
    const epoch = Object(JSON.parse(line)).epoch;
    epochs.push(`${epoch}.${hash('sha256', line).slice(0, 32)}`);
    return line;
  });
  return { epochs, lines, statements: lines.map((line) => signer.sign(`${line}\n`)) };
}

function same(line: string): string {
  return line;
}

const note = (size: number, epoch: string) => signer.signCheckpoint(size, rootAt(size), epoch);

/** A log of twelve events that was cut at 5 and at 8. */
const CUT = cutAt([5, 8]);
const [FIRST = '', SECOND = '', THIRD = ''] = CUT.epochs;
const between = (from: number, to: number) => proof(from, RECORDS, to);
const genuine: Case = {
  older: note(4, FIRST),
  newer: note(12, THIRD),
  statements: CUT.statements,
  hashes: between(4, 12),
};
const empty: Case = { ...genuine, older: note(0, FIRST), hashes: [] };

/** Returns a case with a statement of another form, which the log has signed, in all that follows from it. */
function stated(from: string | RegExp, to: string): Case {
  const { epochs, statements } = cutAt([5], (line) => line.replace(from, to));
  return { ...genuine, newer: note(12, epochs[1] as string), statements };
}

const CASES: Readonly<Record<string, readonly [Case, boolean]>> = {
  'over two cuts': [genuine, true],
  'with the statements in any order': [
    { ...genuine, statements: CUT.statements.toReversed() },
    true,
  ],
  'up to the cut itself': [{ ...genuine, older: note(5, FIRST), hashes: between(5, 12) }, true],
  'beyond the cut': [{ ...genuine, older: note(6, FIRST), hashes: between(6, 12) }, false],
  'from the epoch between': [{ ...genuine, older: note(8, SECOND), hashes: between(8, 12) }, true],
  'beyond the cut of the epoch between': [
    { ...genuine, older: note(9, SECOND), hashes: between(9, 12) },
    false,
  ],
  'beyond an earlier cut alone': [
    { ...genuine, older: note(6, FIRST), newer: note(12, SECOND), hashes: between(6, 12) },
    false,
  ],
  'from an epoch to the one before': [
    { ...genuine, older: note(4, THIRD), newer: note(12, FIRST) },
    false,
  ],
  'without the first statement': [{ ...genuine, statements: CUT.statements.slice(1) }, false],
  'without the last statement': [{ ...genuine, statements: CUT.statements.slice(0, 1) }, false],
  'with a statement that nobody signed': [
    { ...genuine, statements: [...CUT.statements, 'nothing'] },
    false,
  ],
  'with the statement of another log': [
    { ...genuine, statements: cutAt([5, 9]).statements },
    false,
  ],
  'within an epoch': [{ ...genuine, older: note(4, THIRD), statements: [] }, true],
  'of equal sizes': [{ ...genuine, older: note(12, THIRD), hashes: [] }, true],
  'of equal sizes, with a hash': [
    { ...genuine, older: note(12, THIRD), hashes: [rootAt(12)] },
    false,
  ],
  'of one size with two roots': [
    { ...genuine, older: signer.signCheckpoint(12, rootAt(11), THIRD), hashes: [] },
    false,
  ],
  'from no events': [empty, true],
  'from no events, with a hash': [{ ...empty, hashes: [rootAt(1)] }, false],
  'from no events with another root': [
    { ...empty, older: signer.signCheckpoint(0, rootAt(1), FIRST) },
    false,
  ],
  'of two logs without events': [{ ...empty, newer: note(0, FIRST), statements: [] }, true],
  'from more events to fewer': [
    { older: note(12, THIRD), newer: note(4, THIRD), statements: [], hashes: between(4, 12) },
    false,
  ],
  'with a hash too many': [{ ...genuine, hashes: [...between(4, 12), rootAt(1)] }, false],
  'with a hash too many before the others': [
    { ...genuine, hashes: [rootAt(1), ...between(4, 12)] },
    false,
  ],
  'without the last hash': [{ ...genuine, hashes: between(4, 12).slice(0, -1) }, false],
  'without a hash': [{ ...genuine, hashes: [] }, false],
  'to another root': [{ ...genuine, newer: signer.signCheckpoint(12, rootAt(11), THIRD) }, false],
  'from another root': [{ ...genuine, older: signer.signCheckpoint(4, rootAt(3), FIRST) }, false],
  'from another root, of events that are no subtree': [
    { ...genuine, older: signer.signCheckpoint(5, rootAt(3), FIRST), hashes: between(5, 12) },
    false,
  ],
  'by a statement as it is': [stated('', ''), true],
  'by a statement of another format': [stated('break/v1', 'break/v2'), false],
  'by a statement with a member too many': [stated(/\}$/, ',"zero":0}'), false],
  'by a statement without a member': [stated('"nonce":"0000000000000000",', ''), false],
  'by a statement with a blank': [stated(',', ', '), false],
  'by a statement with a position in another spelling': [stated(':5,', ':5.0,'), false],
  'by a statement with a position that is a text': [stated(':5,', ':"5",'), false],
  'by a statement with a position below 0': [stated(':5,', ':-5,'), false],
  'by a statement with an epoch that is a text': [stated('"epoch":1', '"epoch":"1"'), false],
  'by a statement of epoch 0': [stated('"epoch":1', '"epoch":0'), false],
  'by a statement of an epoch with ten digits': [stated('"epoch":1', '"epoch":1000000000'), false],
  'by a statement with a time that is a number': [stated(/"at":"[^"]*"/, '"at":1'), false],
  'by a statement with a reason that is null': [stated('"copy_continued"', 'null'), false],
  'by a statement with a root that is too short': [stated(/"root":"..../, '"root":"'), false],
};

describe('Two checkpoints', () => {
  test.for(Object.entries(CASES))('%s', async ([, [given, isGenuine]]) => {
    const page = await verifierOfThePage();
    expect([byThePage(page, given), byThePublished(given)]).toStrictEqual([isGenuine, isGenuine]);
  });
});

/** Mistakes of a verifier, planted in that of the page. */
const MISTAKES: Mistakes = {
  'stops at the first statement': ['epoch = cut.before;', 'epoch = epochOf(before);'],
  'compares with the last cut only': [
    'need(before.size <= cut.position, ',
    'need(cut.id !== epochOf(after) || before.size <= cut.position, ',
  ],
  'looks for no statements': [
    'for (let epoch = epochOf(after); epoch',
    'for (let epoch = epochOf(before); epoch',
  ],
  'accepts events that were lost': ['before.size <= cut.position', 'true'],
  'loses the last event before a cut': [
    'before.size <= cut.position',
    'before.size < cut.position',
  ],
  'accepts any format': ["statement.format === 'store-orders/break/v1'", 'true'],
  'accepts any members': ['needMembers(statement, MEMBERS);', ''],
  'accepts any serialization': ['canonical(statement) === line', 'true'],
  'accepts a position of any type': ['Number.isSafeInteger(position) && ', ''],
  'accepts an epoch of any type': ['Number.isSafeInteger(epoch) && ', ''],
  'accepts any other member': [
    "[at, before, reason].every((text) => typeof text === 'string')",
    'true',
  ],
  'does not read the root of a cut': ['fromBase64(statement.root, 32);', ''],
  'accepts any root of no events': ['size > 0 || root.equals(sha256())', 'true'],
  'accepts any proof from no events': ["need(proof.length === 0, 'too many hashes')", 'undefined'],
  'compares the older root only': [' && after.equals(newer.root)', ''],
  'compares the newer root only': ['before.equals(older.root) && ', ''],
  'ignores hashes that are left': [
    'proof.length === (root ? 0 : 1)',
    'proof.length >= (root ? 0 : 1)',
  ],
  'divides the tree elsewhere': ['while (k * 2 < to)', 'while (k * 2 <= to)'],
};

describe('A case', () => {
  testMistakes<OfThePage>('verify-succession.mjs', MISTAKES, (page) =>
    Object.values(CASES).some(([given, isGenuine]) => byThePage(page, given) !== isGenuine),
  );
});

test('The verifier in the page takes the keys of before and after a new signing key', async () => {
  const page = await verifierOfThePage();
  const renewed = new NoteSigner('log.example', Buffer.alloc(32, 8));
  const strange = new NoteSigner('other.example', Buffer.alloc(32, 8));
  const newer = renewed.signCheckpoint(12, rootAt(12), THIRD);
  const { older, hashes } = genuine;
  const statements = CUT.lines.map((line) => renewed.sign(`${line}\n`));
  const isHeld = (...keys: readonly NoteSigner[]) =>
    holds(() => {
      const vkeys = keys.map(({ verifierKey }) => verifierKey);
      page.verifySuccession(older, newer, statements, hashes, ...vkeys);
    });
  expect([isHeld(signer, renewed), isHeld(renewed, signer)]).toEqual([true, true]);
  expect([isHeld(signer), isHeld(renewed), isHeld(strange, signer, renewed)]).toEqual([
    false,
    false,
    false,
  ]);
});

test('The verifier in the page refuses all forged proofs of consistency', async () => {
  const page = await verifierOfThePage();
  let [tried, seen] = [0, 0];
  const asked: Verifier = {
    ...verifier,
    verifyConsistency(older, newer, hashes) {
      tried += 1;
      expect(holds(() => page.verifyConsistency(older, newer, hashes))).toBe(false);
      return verifier.verifyConsistency(older, newer, hashes);
    },
  };
  for await (const { kind, what, accepted } of forgeries()) {
    if (kind !== 'consistency') continue;
    seen += 1;
    if (isNightly || seen % TRIED_BY_DAY === 0) expect(accepted(asked), what).toBe(false);
  }
  expect(seen).toBeGreaterThan(5_000);
  expect(tried).toBeGreaterThan(isNightly ? 5_000 : 5_000 / TRIED_BY_DAY);
});

test('The verifier in the page and the published one agree on any log that was cut', async () => {
  const page = await verifierOfThePage();
  const piece = fc.constantFrom(
    '',
    ' ',
    '"',
    '0',
    '1',
    '-',
    '5',
    'null',
    ',',
    '{',
    '}',
    '\\u0030',
    '1e0',
  );
  const edit = fc.tuple(fc.nat(400), fc.nat(3), piece);
  await fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 3 }),
      fc.nat(3),
      fc.nat(3),
      fc.nat(12),
      fc.nat(12),
      fc.option(edit, { freq: 1 }),
      (positions, from, to, size, newSize, changed) => {
        const edited = (line: string, index: number) => {
          if (changed === null || index > 0) return line;
          const [at, cut, put] = changed;
          const text = line.slice(0, at) + put + line.slice(at + cut);
          return holds(() => JSON.parse(text)) ? text : line;
        };
        const { epochs, statements } = cutAt(positions, edited);
        const [older, newer] = [epochs[from % epochs.length], epochs[to % epochs.length]];
        const given = {
          older: note(size, older as string),
          newer: note(newSize, newer as string),
          statements,
          hashes: size > 0 && size <= newSize ? between(size, newSize) : [],
        };
        expect(byThePage(page, given)).toBe(byThePublished(given));
      },
    ),
    { numRuns: isNightly ? 20_000 : 400 },
  );
});
