import { expect, it } from 'vitest';
import {
  type AcknowledgedHead,
  breakAfter,
  type ComparedLog,
  contradictionOf,
  givenBefore,
  isLossAccepted,
  knownBefore,
} from '../../../../src/app/log/acknowledged-head.ts';
import { type BreakReason, Epochs, UNKNOWN_IDS } from '../../../../src/app/log/epochs.ts';
import { highestOf } from '../../../../src/app/log/recorded-event.ts';
import { MAX_INT64 } from '../../../../src/domain/order-id.ts';
import { NOON } from '../../../support/events.ts';

const [ROOT, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];
const FIRST = new Epochs('s');
const acknowledged: AcknowledgedHead = {
  storeId: 's',
  epoch: '0',
  position: 54,
  root: ROOT,
  reached: 54,
  highestId: 40n,
};

function cut(position: number, positionsUpTo: number | null, idsUpTo: string): Epochs {
  const root = Buffer.alloc(32).toString('base64');
  const about = { at: NOON, reason: 'loss_accepted', root, known: null } as const;
  return new Epochs('s', [FIRST.statementOf({ ...about, position, positionsUpTo, idsUpTo })]);
}

it.each<[string, Partial<AcknowledgedHead>, Partial<ComparedLog>, RegExp | undefined]>([
  ['as long', {}, { position: 54, root: ROOT }, undefined],
  ['longer', {}, { position: 99, root: ROOT }, undefined],
  ['without a root', {}, { position: 99, root: undefined }, undefined],
  ['without a root to compare', { root: undefined }, { position: 99, root: OTHER }, undefined],
  ['shorter', {}, { position: 53 }, /^ends at position 53, but position 54 was acknowledged$/],
  ['another', {}, { position: 99, root: OTHER }, /^is not the log whose position 54 was/],
  ['of another store', { storeId: 'x' }, { position: 99 }, /^is not the log whose/],
  ['none at all', {}, { storeId: undefined, position: 0 }, /^ends at position 0, but/],
  [
    'of no such epoch',
    { epoch: '1.x' },
    { position: 99 },
    /^is not the log whose position 54 was acknowledged: it was in epoch 1\.x by then$/,
  ],
  [
    'none at all, after another epoch',
    { epoch: '1.x' },
    { storeId: undefined, position: 0 },
    /^ends at position 0, but position 54 was acknowledged$/,
  ],
  ['cut', {}, { epochs: cut(50, 54, '40'), position: 52 }, undefined],
  ['cut, without a bound', {}, { epochs: cut(50, null, '40'), position: 52 }, undefined],
  [
    'cut behind it',
    {},
    { epochs: cut(54, 60, '0'), position: 54, root: OTHER },
    /is not the log whose/,
  ],
  ['cut, and gives ids again', {}, { epochs: cut(50, 54, '39'), position: 52 }, /^lacks position/],
  [
    'cut, and gives positions again',
    {},
    { epochs: cut(50, 53, '40'), position: 60 },
    /^lacks position 54, which was acknowledged, and more than was given up when the log was cut at/,
  ],
  ['cut, and no ids known', { highestId: undefined }, { epochs: cut(50, 54, '0') }, undefined],
])('a log that is %s contradicts its acknowledged head', (_, seen, log, said) => {
  const there = { storeId: 's', epochs: FIRST, position: 60, root: undefined, ...log };
  const wrong = contradictionOf({ ...acknowledged, ...seen }, there);
  if (said === undefined) expect(wrong).toBeUndefined();
  else expect(wrong).toMatch(said);
});

it('the bounds of assigned ids come from the acknowledged head, or are estimated generously', () => {
  expect(givenBefore(acknowledged, [30n])).toStrictEqual({ positionsUpTo: 54, idsUpTo: 40n });
  expect(givenBefore(acknowledged, [41n])).toStrictEqual({ positionsUpTo: 54, idsUpTo: 41n });
  expect(givenBefore(undefined, [30n, 7n])).toStrictEqual({
    positionsUpTo: null,
    idsUpTo: 30n + UNKNOWN_IDS,
  });
  const older = { ...acknowledged, highestId: undefined };
  expect(givenBefore(older, [])).toStrictEqual({ positionsUpTo: 54, idsUpTo: UNKNOWN_IDS });
  expect(givenBefore(undefined, [MAX_INT64 - 1n]).idsUpTo).toBe(MAX_INT64);
  expect(highestOf([])).toBe(0n);
});

it('a statement contains the known part of an acknowledged head', () => {
  const root = Buffer.from(ROOT, 'hex').toString('base64');
  expect(knownBefore(acknowledged)).toStrictEqual({ epoch: '0', position: 54, root });
  expect(knownBefore({ ...acknowledged, root: undefined })).toMatchObject({ root: null });
  expect(knownBefore(undefined)).toBeNull();
});

it('a break goes by an acknowledged head of the same store, as far as that covers what was acknowledged', () => {
  const root = Buffer.from(OTHER, 'hex');
  const about = { at: NOON, reason: 'loss_accepted', position: 50, root, highestId: 7n } as const;
  const cutWith = (more: { acknowledged: AcknowledgedHead | undefined; isExact: boolean }) => {
    const { statement, acknowledged: next } = breakAfter(FIRST, { ...about, ...more });
    const epochs = new Epochs('s', [statement]);
    expect(next).toMatchObject({ storeId: 's', epoch: epochs.id, position: 50, root: OTHER });
    const [{ positionsUpTo, idsUpTo, known } = {} as never] = epochs.breaks;
    expect(next.highestId).toBe(BigInt(idsUpTo));
    return { positionsUpTo, idsUpTo, known: known?.position, reached: next.reached };
  };
  const unknown = { positionsUpTo: null, idsUpTo: String(40n + UNKNOWN_IDS) };
  expect(cutWith({ acknowledged, isExact: true })).toStrictEqual({
    positionsUpTo: 54,
    idsUpTo: '40',
    known: 54,
    reached: 54,
  });
  expect(cutWith({ acknowledged, isExact: false })).toStrictEqual({
    ...unknown,
    known: 54,
    reached: 54,
  });
  const none = { ...unknown, idsUpTo: String(7n + UNKNOWN_IDS), known: undefined, reached: 50 };
  expect(cutWith({ acknowledged: undefined, isExact: true })).toStrictEqual(none);
  expect(cutWith({ acknowledged: { ...acknowledged, storeId: 'x' }, isExact: true })).toStrictEqual(
    none,
  );
  const older = { ...acknowledged, highestId: undefined };
  expect(cutWith({ acknowledged: older, isExact: false }).idsUpTo).toBe(String(7n + UNKNOWN_IDS));
});

it('is known to be accepted as lost in the very epoch that began with that', () => {
  const broken = (before: Epochs, lost: AcknowledgedHead, reason: BreakReason) => {
    const about = { at: NOON, position: 50, root: Buffer.alloc(32), highestId: 1n };
    const begun = breakAfter(before, { ...about, reason, acknowledged: lost, isExact: false });
    return new Epochs('s', [...before.statements, begun.statement]);
  };
  const lost = { ...acknowledged, root: undefined };
  const accepted = broken(FIRST, lost, 'loss_accepted');
  expect(isLossAccepted(lost, accepted)).toBe(true);
  expect(isLossAccepted(acknowledged, accepted)).toBe(false);
  expect(isLossAccepted(lost, FIRST)).toBe(false);
  expect(isLossAccepted(lost, broken(FIRST, lost, 'copy_continued'))).toBe(false);
  const later = { ...lost, epoch: accepted.id };
  expect(isLossAccepted(lost, broken(accepted, later, 'loss_accepted'))).toBe(false);
});
