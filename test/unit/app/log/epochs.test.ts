import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_IDS,
  type Break,
  breakStatement,
  DamagedEpochs,
  Epochs,
  epochNumberOf,
  UNKNOWN_IDS,
} from '../../../../src/app/log/epochs.ts';
import { MAX_INT64 } from '../../../../src/domain/order-id.ts';
import { NOON } from '../../../support/events.ts';

const ROOT = Buffer.alloc(32, 7).toString('base64');

/** Cuts a log at a position. */
function cutAt(epochs: Epochs, position: number, more: Partial<Break> = {}): Epochs {
  const about = { at: NOON, reason: 'loss_accepted', position, root: ROOT, known: null } as const;
  const given = { positionsUpTo: null, idsUpTo: '1000' };
  return new Epochs(epochs.storeId, [
    ...epochs.statements,
    epochs.statementOf({ ...about, ...given, ...more }),
  ]);
}

const FIRST = new Epochs('s');

const KNOWN = { epoch: '0', position: 50, root: ROOT };

/** Members that no version of the service has written. */
const OTHER_MEMBERS: readonly object[] = [
  { at: 'yesterday' },
  { at: `${NOON}\u001b[2J` },
  { at: 5 },
  { reason: 'other' },
  { reason: null },
  { root: 5 },
  { root: ROOT.slice(1) },
  { idsUpTo: 1000 },
  { positionsUpTo: '60' },
  { known: false },
  { known: { ...KNOWN, epoch: 'x\n' } },
  { known: { ...KNOWN, position: -1 } },
  { known: { ...KNOWN, root: '' } },
];

describe('the epochs of a log', () => {
  it('begin with one that has no name of its own', () => {
    const { number, id, tag, logName, ids, breaks } = FIRST;
    expect([number, id, tag, logName, ids, breaks]).toStrictEqual([0, '0', '0', 's', ALL_IDS, []]);
    expect([FIRST.write(7), FIRST.nameAt(7)]).toStrictEqual(['7', 's']);
    expect(FIRST.problemOf({ position: 7 })).toBeUndefined();
    expect(FIRST.problemOf({ epoch: '0', position: 7 })).toBeUndefined();
    expect([FIRST.has('0'), FIRST.has('1'), FIRST.endOf('0'), FIRST.endOf('x')]).toStrictEqual([
      true,
      false,
      undefined,
      undefined,
    ]);
  });

  it('have a number that their ids and tags begin with', () => {
    const { id, tag } = cutAt(FIRST, 50);
    expect([FIRST.id, id, tag].map(epochNumberOf)).toStrictEqual([0, 1, 1]);
  });

  it('each have a name that covers all that was stated before', () => {
    const [one, other] = [cutAt(FIRST, 50), cutAt(FIRST, 50)];
    expect(one.id).toMatch(/^1\.[0-9a-f]{32}$/);
    expect(one.id).not.toBe(other.id);
    expect([one.tag, one.logName]).toStrictEqual([one.id.slice(0, 10), `s.${one.id.slice(0, 10)}`]);
    const two = cutAt(one, 60);
    expect(two.id).toMatch(/^2\./);
    expect(two.breaks[1]).toMatchObject({ before: one.id, epoch: 2, position: 60 });
    expect([
      two.endOf('0')?.position,
      two.endOf(one.id)?.position,
      two.endOf(two.id),
    ]).toStrictEqual([50, 60, undefined]);
  });

  it.each([null, KNOWN, { ...KNOWN, root: null }])('may state what was known: %j', (known) => {
    expect(cutAt(FIRST, 50, { known }).breaks[0]?.known).toStrictEqual(known);
  });

  it('are refused if a statement is not as recorded', () => {
    const { statements, storeId } = cutAt(cutAt(FIRST, 50), 60);
    const [first = '', second = ''] = statements;
    const [about = expect.fail()] = cutAt(FIRST, 50).breaks;
    const wrong = [
      ['x'],
      ['null'],
      [`${first} `],
      [first.replace('"position":50', '"position":51'), second],
      [first.replace('"position":50', '"position":-1')],
      [first.replace('"idsUpTo":"1000"', '"idsUpTo":"x"')],
      [second],
      [second, first],
      [first, first],
      cutAt(new Epochs('other'), 50).statements,
      [first.replace('"position":50', '"position":50.5')],
      ...OTHER_MEMBERS.map((other) => [breakStatement({ ...about, ...other } as Break)]),
    ];
    for (const each of wrong)
      expect(() => new Epochs(storeId, each), each[0]).toThrow(DamagedEpochs);
    const back = [breakStatement(about), breakStatement({ ...about, epoch: 2, position: 40 })];
    expect(() => new Epochs('s', back)).toThrow('the statement of epoch 2 is not whole');
    expect(new DamagedEpochs().name).toBe('DamagedEpochs');
  });

  it('assign no id that may have been assigned, and go downwards after an import of the last id', () => {
    expect(cutAt(FIRST, 50).ids).toStrictEqual({ above: 1000n, top: MAX_INT64 });
    const last = { idsUpTo: String(MAX_INT64) };
    const two = cutAt(cutAt(FIRST, 50, last), 60, last);
    expect(two.ids).toStrictEqual({ above: MAX_INT64, top: MAX_INT64 - 2n * UNKNOWN_IDS });
  });
});

describe('a position that was given twice', () => {
  const one = cutAt(FIRST, 50, { positionsUpTo: 54 });
  const two = cutAt(one, 60);

  it('is written with its epoch, and all others without', () => {
    expect([50, 51, 54, 55].map((position) => one.write(position))).toStrictEqual([
      '50',
      `${one.tag}:51`,
      `${one.tag}:54`,
      '55',
    ]);
    expect([51, 60, 61, 5_000].map((position) => two.write(position))).toStrictEqual([
      `${one.tag}:51`,
      '60',
      `${two.tag}:61`,
      `${two.tag}:5000`,
    ]);
    expect([two.nameAt(50), two.nameAt(51)]).toStrictEqual(['s', `s.${one.tag}`]);
  });

  it('has the epoch in which it was assigned last, up to the position of the next cut', () => {
    const first = cutAt(FIRST, 50);
    const second = cutAt(first, 60);
    expect([50, 51, 60, 61].map((position) => second.write(position))).toStrictEqual([
      '50',
      `${first.tag}:51`,
      `${first.tag}:60`,
      `${second.tag}:61`,
    ]);
  });

  it('is refused without its epoch, and with one in which it is lost', () => {
    expect(one.problemOf({ position: 51 })).toBe(
      `position 51 was given twice: the log was cut at position 50 on ${NOON} and went on in epoch 1. ` +
        `That of now is ${one.tag}:51`,
    );
    expect(one.problemOf({ epoch: '0', position: 51 })).toBe(
      `position 51 of epoch 0 is lost: the log was cut at position 50 on ${NOON} and went on in epoch 1`,
    );
    expect(one.problemOf({ epoch: '0', position: 50 })).toBeUndefined();
    expect(one.problemOf({ epoch: one.tag, position: 51 })).toBeUndefined();
    expect(one.problemOf({ epoch: one.id, position: 51 })).toBeUndefined();
    const another = `${one.tag}${'0'.repeat(24)}`;
    expect(one.problemOf({ epoch: another, position: 1 })).toBe(
      `the log has never been in epoch ${another}`,
    );
    expect(one.problemOf({ epoch: '1.00000000', position: 1 })).toBe(
      'the log has never been in epoch 1.00000000',
    );
  });

  it('is always read back as the same position', () => {
    const cut = fc.record({
      at: fc.integer({ min: 0, max: 9 }),
      upTo: fc.option(fc.integer({ min: 0, max: 40 })),
    });
    fc.assert(
      fc.property(
        fc.array(cut, { maxLength: 4 }),
        fc.integer({ min: 1, max: 60 }),
        (cuts, position) => {
          let epochs = FIRST;
          let end = 0;
          const told: { text: string; lostAt: number }[] = [];
          for (const { at, upTo } of cuts) {
            end += at;
            told.push({ text: epochs.write(position), lostAt: end });
            const positionsUpTo = upTo === null ? null : Math.max(upTo + end, position);
            epochs = cutAt(epochs, end, { positionsUpTo });
          }
          expect(epochs.problemOf(placeIn(epochs.write(position)))).toBeUndefined();
          for (const [index, { text }] of told.entries()) {
            const isLost = told.slice(index).some(({ lostAt }) => position > lostAt);
            expect(epochs.problemOf(placeIn(text)) !== undefined).toBe(isLost);
          }
        },
      ),
    );
  });
});

function placeIn(text: string) {
  const [position, epoch] = text.split(':').reverse();
  return { epoch, position: Number(position) };
}
