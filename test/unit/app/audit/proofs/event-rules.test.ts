import { describe, expect, it } from 'vitest';
import { EventRules } from '../../../../../src/app/audit/proofs/event-rules.ts';
import { verifyStore } from '../../../../../src/app/audit/trail/verify-store.ts';
import { Epochs } from '../../../../../src/app/log/epochs.ts';
import { type RecordedEvent, recordOf } from '../../../../../src/app/log/recorded-event.ts';
import type { StoredRow } from '../../../../../src/app/ports/evidence.ts';
import { DamagedEvidence, type Evidence } from '../../../../../src/app/ports/evidence.ts';
import { OrderImage } from '../../../../../src/app/state/order-image.ts';
import type { OrderEvent } from '../../../../../src/domain/order.ts';
import { decodeStrictly, encode } from '../../../../../src/infra/events/codec.ts';
import { cancelled, LATER, NOON, placed, recorded, shipped } from '../../../../support/events.ts';

/** An id beyond 2^53, which a column has as a text. */
const BIG = 2n ** 60n + 1n;

/** Returns metadata with an id of so many characters. */
function metadataOf(length: number): string {
  return `{"at":"${NOON}","by":"test","commandId":"${'x'.repeat(length)}"}`;
}

/** What the rules say to each of these events in turn, as they would be stored. */
function told(...events: readonly OrderEvent[]): readonly (string | undefined)[] {
  const rules = new EventRules(decodeStrictly);
  return recorded(...events).map((event) => rules.problemOf(encode(event)));
}

describe('The rules', () => {
  it('go on behind events that were folded before, and have the last event', () => {
    const events = recorded(placed(1n), placed(2n), cancelled(1n), shipped(1n));
    const image = new OrderImage();
    for (const event of events.slice(0, 2)) image.fold(event);
    const rules = new EventRules(decodeStrictly, image);
    expect([rules.due, rules.last]).toEqual([3, undefined]);
    const [, , third, fourth] = events.map(encode) as [StoredRow, StoredRow, StoredRow, StoredRow];
    const early = { ...third, metadata: third.metadata.replace('2026', '2025') };
    expect(new EventRules(decodeStrictly, image).problemOf(early)).toContain('event before it at');
    expect(rules.problemOf(third)).toBeUndefined();
    expect(rules.last).toEqual(events[2]);
    expect(rules.problemOf(fourth)).toContain('order_cancelled');
    expect(rules.last).toEqual(events[2]);
  });
});

describe('By the rules', () => {
  it.each<[string, readonly OrderEvent[]]>([
    ['an order is placed', [placed(1n)]],
    ['an order is placed and shipped', [placed(1n), shipped(1n)]],
    ['an order is placed and cancelled', [placed(1n), cancelled(1n)]],
    ['orders come and go', [placed(1n), placed(-2n), shipped(-2n), placed(3n), cancelled(1n)]],
  ])('%s', (_, events) => {
    expect(told(...events)).toEqual(events.map(() => undefined));
  });

  it.each<[string, readonly OrderEvent[], string]>([
    ['shipped after it was cancelled', [placed(1n), cancelled(1n), shipped(1n)], 'order_cancelled'],
    [
      'cancelled after it shipped',
      [placed(1n), shipped(1n), cancelled(1n)],
      'order_already_shipped',
    ],
    [
      'shipped on two dates',
      [placed(1n), shipped(1n), shipped(1n, LATER)],
      'order_already_shipped',
    ],
    ['shipped twice', [placed(1n), shipped(1n), shipped(1n)], 'it is so already'],
    ['placed again', [placed(1n), placed(1n)], 'order_exists'],
    ['cancelled before it was placed', [cancelled(1n)], 'order_not_found'],
  ])('no order is %s', (_, events, reason) => {
    const { type } = events.at(-1) ?? expect.fail();
    expect(told(...events).at(-1)).toBe(`no command leads to ${type} of order 1 here: ${reason}`);
  });

  const [first, second] = recorded(placed(1n), placed(BIG)).map(encode) as [StoredRow, StoredRow];
  const later = {
    ...recorded(placed(1n))[0],
    metadata: { at: LATER, by: 'test', commandId: 'c-1' },
  };

  it.each<[string, readonly StoredRow[], string | undefined]>([
    ['there is no gap', [second], 'it is missing'],
    ['there is no other position', [first, first], 'position 1 stands in its place'],
    ['the texts can be read', [{ ...first, data: '{' }], 'it cannot be read: '],
    ['the column says the same', [{ ...first, orderId: 1 }], undefined],
    ['the column says the same as a text', [first, { ...second, orderId: String(BIG) }], undefined],
    [
      'the column says nothing else',
      [{ ...first, orderId: 2 }],
      'its column order_id says 2, and its data is of order 1',
    ],
    [
      'its record fits into an entry bundle',
      [
        {
          ...first,
          metadata: metadataOf(65_535 - recordOf({ ...first, metadata: metadataOf(0) }).length),
        },
      ],
      undefined,
    ],
    [
      'its record is no longer than that',
      [
        {
          ...first,
          metadata: metadataOf(65_536 - recordOf({ ...first, metadata: metadataOf(0) }).length),
        },
      ],
      'its record has 65536 bytes, more than 65535',
    ],
    [
      'the versions count up',
      [{ ...first, version: 2 }],
      'its version is 2, and order 1 has 0 events before it',
    ],
    [
      'time does not go back',
      [encode(later as RecordedEvent), second],
      `it was recorded at ${NOON}, and the event before it at ${LATER}`,
    ],
  ])('%s', (_, rows, problem) => {
    const rules = new EventRules(decodeStrictly);
    const last = rows.map((row) => rules.problemOf(row)).at(-1);
    expect(problem === undefined ? last : last?.slice(0, problem.length)).toBe(problem);
  });

  it.each(['data', 'metadata'] as const)('%s is a text', (column) => {
    const stored = encode(recorded(placed(1n))[0] ?? expect.fail());
    const bytes = { ...stored, [column]: Buffer.from(stored[column]) } as unknown as StoredRow;
    expect(new EventRules(decodeStrictly).problemOf(bytes)).toBe('it is not made of texts');
  });

  it.each([
    ['version', '1'],
    ['version', null],
    ['schemaVersion', '2'],
    ['schemaVersion', 1.5],
    ['type', Buffer.from('OrderPlaced')],
  ])('%s is of its type, and not %j', (column, value) => {
    const stored = encode(recorded(placed(1n))[0] ?? expect.fail());
    const row = { ...stored, [column]: value } as unknown as StoredRow;
    expect(new EventRules(decodeStrictly).problemOf(row)).toBe(
      'a column of it has a value of another type',
    );
  });

  it('a failure of the program is no finding', () => {
    const rules = new EventRules(() => {
      throw new TypeError('a mistake of ours');
    });
    const stored = encode(recorded(placed(1n))[0] ?? expect.fail());
    expect(() => rules.problemOf(stored)).toThrow('a mistake of ours');
  });
});

describe('What lies there', () => {
  function evidence(error: Error, rows = recorded(placed(1n)).map(encode)): Evidence {
    return {
      storeId: 'x',
      epochs: new Epochs('x'),
      decode: decodeStrictly,
      last: 2,
      *events() {
        yield rows;
        throw error;
      },
      tree: undefined,
      acknowledged: { name: 'a head of an older version', size: 1, root: undefined },
      flaws: ['it has a flaw'],
      close: () => {},
    };
  }

  it('may be damaged from some event on', async () => {
    const { size, findings } = await verifyStore(evidence(new DamagedEvidence('torn')), [], noWait);
    expect(size).toBe(1);
    expect(findings).toEqual([
      { from: 2, problem: 'it cannot be read: torn' },
      { problem: 'it has a flaw' },
    ]);
  });

  it('is read up to the first wrong event only', async () => {
    const wrong = recorded(placed(1n), placed(1n)).map(encode);
    const unread = evidence(new TypeError('a mistake of ours'), wrong);
    const { size, findings } = await verifyStore(unread, [], noWait);
    expect(size).toBe(1);
    expect(findings.map(({ from }) => from)).toEqual([2, undefined]);
  });

  it('is not to blame for a failure of the program', async () => {
    const failing = verifyStore(evidence(new TypeError('a mistake of ours')), [], noWait);
    await expect(failing).rejects.toThrow('a mistake of ours');
  });
});

async function noWait(): Promise<void> {}
