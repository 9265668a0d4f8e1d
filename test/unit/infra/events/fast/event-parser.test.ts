import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EVENT_TYPES,
  type FoldInput,
  foldInputOf,
  type NewEvent,
  type StoredFields,
} from '../../../../../src/app/log/recorded-event.ts';
import type { Instant } from '../../../../../src/domain/instant.ts';
import type { OrderEvent } from '../../../../../src/domain/order.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { END, EventParser } from '../../../../../src/infra/events/fast/event-parser.ts';
import { readEvent, readMetadataText } from '../../../../../src/infra/events/schema.ts';
import { newEvents } from '../../../../support/arbitraries.ts';
import { cancelled, newEvent, placed } from '../../../../support/events.ts';
import { mutations } from '../../../../support/mutations.ts';
import { runs } from '../../../../support/nightly.ts';

/** As they stand in a log, each with the version that an event of its type has. */
function stored(events: readonly NewEvent[]): StoredFields[] {
  return events.map((event, index) => {
    const version = event.event.type === 'OrderPlaced' ? 1 : 2;
    return encode({ ...event, version, position: index + 1 });
  });
}

/** The bytes of events, as both engines return them. */
function bytesOf(events: readonly StoredFields[]): Buffer {
  return Buffer.from(
    events
      .map(({ type, schemaVersion, version, data, metadata }) => {
        return `${type} ${schemaVersion} ${version}${END}${data}${END}${metadata}${END}`;
      })
      .join(''),
  );
}

/** The events that the parser reads, up to the first that it leaves to the schema. */
function parsed(events: readonly StoredFields[]): FoldInput[] {
  const parser = new EventParser(bytesOf(events));
  const all: FoldInput[] = [];
  for (const { position } of events) {
    if (!parser.read(position)) break;
    const { version, type, orderId, petId, quantity, shipDate, reason, at } = parser;
    all.push({ position, version, type, orderId, petId, quantity, shipDate, reason, at });
  }
  return all;
}

/** The events that the schema reads, up to the first that it does not know. */
function decoded(events: readonly StoredFields[]): FoldInput[] {
  const all: FoldInput[] = [];
  for (const { position, version, type, schemaVersion, data, metadata } of events) {
    try {
      const event = readEvent(type, schemaVersion, data);
      all.push(foldInputOf({ position, version, event, metadata: readMetadataText(metadata) }));
    } catch {
      break;
    }
  }
  return all;
}

const INSTANT = '2026-01-01T00:00:00.000Z' as Instant;

const isPlain = (text: string) => JSON.stringify(text) === `"${text}"`;

describe('the parser of many events', () => {
  it('reads every event like the schema, unless its text has an escape', () => {
    const plain = newEvents.filter(({ metadata: { by, commandId } }) => {
      return isPlain(by) && isPlain(commandId);
    });
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 20 }), (events) => {
        expect(parsed(stored(events))).toStrictEqual(decoded(stored(events)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('never accepts a text that the schema refuses or reads differently', () => {
    const cases = newEvents.chain((event) => {
      const [text] = stored([event]) as [StoredFields];
      return fc.oneof(
        mutations(text.data).map((data) => ({ ...text, data })),
        mutations(text.metadata).map((metadata) => ({ ...text, metadata })),
        fc
          .constantFrom(...EVENT_TYPES, `${text.type} `, 'x', '')
          .map((type) => ({ ...text, type })),
        fc.integer({ min: -1, max: 21 }).map((schemaVersion) => ({ ...text, schemaVersion })),
        fc.integer({ min: 1, max: 21 }).map((version) => ({ ...text, version })),
      );
    });
    fc.assert(
      fc.property(cases, fc.boolean(), (event, isFollowed) => {
        // What comes behind must not be taken for the end of what was spoilt.
        const events = isFollowed ? [event, ...stored([newEvent(placed(1n))])] : [event];
        const [first] = parsed(events);
        if (first !== undefined) expect(first).toStrictEqual(decoded([event])[0]);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it.each([
    ['"orderId":"1"', '"orderId":"00"'],
    ['"orderId":"1"', '"orderId":"-0"'],
    ['"orderId":"1"', '"orderId":"-"'],
    ['"orderId":"1"', '"orderId":""'],
    ['"orderId":"1"', '"orderId":"9223372036854775808"'],
    ['"orderId":"1"', '"orderId":"000000000000000001"'],
    ['"orderId":"1"', `"orderId":"${'9'.repeat(400)}"`],
    ['"quantity":1', '"quantity":01'],
    ['"quantity":1', '"quantity":0'],
    ['"quantity":1', '"quantity":2147483648'],
    ['"quantity":1', '"quantity":'],
    ['"quantity":1', `"quantity":${'1'.repeat(40)}`],
    ['}', ',"shipDate":"2026-02-29T00:00:00.000Z"}'],
    ['}', ',"shipDate":"2026-01-01T24:00:00.000Z"}'],
    ['}', ',"shipDate":"2026-01-01T00:60:00.000Z"}'],
    ['}', ',"shipDate":"2026-01-01T00:00:60.000Z"}'],
    ['}', ',"shipDate":"2026-01-01T00:00:00.00xZ"}'],
    ['}', ',"shipDate":"2026-01-01T00:00:00.00:Z"}'],
    ['}', ',"shipDate":"2026-01-01T00:00:00.000z"}'],
    ['}', ',"shipDate":""}'],
    ['}', ''],
    ['}', '} '],
  ])('leaves texts in another form to the schema: %s, %s', (from, to) => {
    const [event] = stored([newEvent(placed(1n))]) as [StoredFields];
    const spoilt = { ...event, data: event.data.replace(from, to) };
    expect(spoilt.data).not.toBe(event.data);
    expect(parsed([event])).toHaveLength(1);
    expect(parsed([spoilt])).toEqual([]);
  });

  it.each<[string, Partial<StoredFields>]>([
    ['into the type', { type: 'OrderCancelled 1 2', schemaVersion: 1, version: 2 }],
    [
      'into the data',
      { type: 'OrderCancelled', schemaVersion: 1, version: '2{"orderId":"1' as never },
    ],
    ['out of the type', { type: 'OrderCancelled 1', schemaVersion: 2, version: '' as never }],
    ['out of the schema version', { schemaVersion: '' as never, version: '1 2' as never }],
    ['with two digits', { version: 12 }],
    ['with none', { version: 0 }],
  ])('leaves texts moved between columns to the schema: %s', (_, change) => {
    const [event] = stored([newEvent(cancelled(1n))]) as [StoredFields];
    expect(parsed([event])).toHaveLength(1);
    expect(parsed([{ ...event, ...change }])).toEqual([]);
  });

  it('leaves truncated texts to the schema, wherever they are cut', () => {
    const [event] = stored([
      newEvent(placed(1n, { shipDate: '2026-01-01T00:00:00.000Z' as never })),
    ]) as [StoredFields];
    expect(parsed([event])).toHaveLength(1);
    for (const part of ['data', 'metadata'] as const) {
      for (let length = 0; length < event[part].length; length++) {
        expect(parsed([{ ...event, [part]: event[part].slice(0, length) }])).toEqual([]);
      }
    }
  });

  it.each([
    ['a placement', placed(-1n, { petId: (10n ** 18n) as never, shipDate: INSTANT })],
    ['a shipment', { type: 'OrderShipped', orderId: 7n, shipDate: INSTANT }],
    ['a cancellation', { type: 'OrderCancelled', orderId: 7n, reason: 'duplicate' }],
  ] as [string, OrderEvent][])(
    'reads the texts of %s with any one character as another like the schema, or not at all',
    (_, its) => {
      const [event] = stored([newEvent(its)]) as [StoredFields];
      expect(parsed([event])).toStrictEqual(decoded([event]));
      let read = 0;
      for (const part of ['data', 'metadata'] as const) {
        const text = event[part];
        for (let at = 0; at < text.length; at++) {
          for (let code = 0; code < 128; code++) {
            const other = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
            const changed = { ...event, [part]: other };
            const [first] = parsed([changed]);
            if (first === undefined) continue;
            read += 1;
            expect(first).toStrictEqual(decoded([changed])[0]);
          }
        }
      }
      expect(read).toBeGreaterThan(500);
    },
  );

  it('finds nothing after the last text', () => {
    expect(new EventParser(Buffer.alloc(0)).read(1)).toBe(false);
  });

  it('reads the ends of int64, and dates of every year', () => {
    const ids = [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 10n ** 15n, 10n ** 15n - 1n];
    const dates = ['0000-01-01', '0099-12-31', '2024-02-29', '9999-12-31'];
    const events = ids.flatMap((id) =>
      dates.map((date) =>
        newEvent(
          placed(id, { shipDate: `${date}T23:59:59.999Z` as never, quantity: 2_147_483_647 }),
        ),
      ),
    );
    expect(parsed(stored(events))).toStrictEqual(decoded(stored(events)));
    expect(parsed(stored(events))).toHaveLength(events.length);
  });
});
