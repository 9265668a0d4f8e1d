import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EVENT_TYPES,
  type NewEvent,
  type RecordedEvent,
  type StoredFields,
} from '../../../../src/app/log/recorded-event.ts';
import { UnreadableEvent } from '../../../../src/app/ports/event-log.ts';
import {
  decode,
  encodeData,
  encodeMetadata,
  schemaVersionOf,
} from '../../../../src/infra/events/codec.ts';
import { readEvent, readMetadataText } from '../../../../src/infra/events/schema.ts';
import { newEvents } from '../../../support/arbitraries.ts';
import { canonicalJson } from '../../../support/canonical-json.ts';
import { cancelled, newEvent, placed, shipped } from '../../../support/events.ts';
import { MEANINGS, storedEvents } from '../../../support/golden-events.ts';
import { mutations } from '../../../support/mutations.ts';
import { runs } from '../../../support/nightly.ts';

function stored({ event, version, metadata }: NewEvent): StoredFields {
  return {
    position: 5,
    version,
    type: event.type,
    schemaVersion: schemaVersionOf(event),
    data: encodeData(event),
    metadata: encodeMetadata(metadata),
  };
}

describe('an event that was stored by any version of the service', () => {
  it('is kept in a file for each type and schema version', () => {
    const files = readdirSync(new URL('../../../fixtures/events', import.meta.url));
    expect(files.toSorted()).toStrictEqual(Object.keys(MEANINGS).toSorted());
    const newestOnes = [placed(1n), shipped(1n), cancelled(1n, 'other')];
    expect(newestOnes.map(({ type }) => type)).toStrictEqual(EVENT_TYPES);
    for (const newest of newestOnes) {
      const { type } = newest;
      const versions = Array.from({ length: schemaVersionOf(newest) }, (_, index) => index + 1);
      expect(files.filter((file) => file.startsWith(`${type}.`)).toSorted()).toStrictEqual(
        versions.map((version) => `${type}.v${version}.ndjson`),
      );
    }
  });

  it.each(Object.entries(MEANINGS))('still means the same: %s', (file, meanings) => {
    const events = storedEvents(file).map((event) => decode({ ...event, position: 5, version: 2 }));
    expect(events).toStrictEqual(
      meanings.map((meaning) => ({ position: 5, version: 2, ...meaning })),
    );
  });

  it.each(Object.entries(MEANINGS))('is written the same today, if current: %s', (file) => {
    // A cancellation without a reason is still written as in version 1.
    const isCurrent = file !== 'OrderPlaced.v1.ndjson';
    for (const { data, metadata, ...event } of isCurrent ? storedEvents(file) : []) {
      const recorded = decode({ ...event, data, metadata, position: 5, version: 2 });
      expect(schemaVersionOf(recorded.event)).toBe(event.schemaVersion);
      expect(encodeData(recorded.event)).toBe(data);
      expect(encodeMetadata(recorded.metadata)).toBe(metadata);
    }
  });
});

describe('the text of an event', () => {
  it('is read back as the event that it was written from', () => {
    fc.assert(
      fc.property(newEvents, (event) => {
        expect(decode(stored(event))).toStrictEqual({ position: 5, ...event });
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is canonical JSON, with 64-bit numbers as strings', () => {
    fc.assert(
      fc.property(newEvents, ({ event, metadata }) => {
        const { type: _, ...data } = event;
        const plain = Object.entries(data).map(([name, value]) => {
          return [name, typeof value === 'bigint' ? String(value) : value];
        });
        expect(encodeData(event)).toBe(canonicalJson(Object.fromEntries(plain)));
        expect(encodeMetadata(metadata)).toBe(canonicalJson(metadata));
      }),
      { numRuns: runs(500) },
    );
  });
});

/** What reading comes to: the value, or that there is none. */
function readable(read: () => object): object | 'unreadable' {
  try {
    return read();
  } catch {
    return 'unreadable';
  }
}

describe('the fast way to read an event and the schema', () => {
  it('agree on any data', () => {
    const cases = newEvents.chain((event) => {
      const text = stored(event);
      const types = fc.constantFrom(...EVENT_TYPES);
      return fc.record({
        type: fc.oneof({ weight: 9, arbitrary: fc.constant(text.type) }, types),
        schemaVersion: fc.oneof(
          { weight: 9, arbitrary: fc.constant(text.schemaVersion) },
          fc.constantFrom(1, 2),
        ),
        data: mutations(text.data),
        metadata: fc.constant(encodeMetadata(newEvent(cancelled(1n)).metadata)),
      });
    });
    fc.assert(
      fc.property(cases, ({ type, schemaVersion, data, metadata }) => {
        const text = { position: 1, version: 1, type, schemaVersion, data, metadata };
        expect(readable(() => decode(text).event)).toStrictEqual(
          readable(() => readEvent(type, schemaVersion, data)),
        );
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('agree on any metadata', () => {
    const cases = newEvents.chain((event) => {
      return fc.tuple(fc.constant(event), mutations(encodeMetadata(event.metadata)));
    });
    fc.assert(
      fc.property(cases, ([event, metadata]) => {
        expect(readable(() => decode({ ...stored(event), metadata }).metadata)).toStrictEqual(
          readable(() => readMetadataText(metadata)),
        );
      }),
      { numRuns: runs(3_000) },
    );
  });

  it.each([
    ['blanks', '{ "orderId": "1" }'],
    ['escapes', '{"\\u006frderId":"\\u0031"}'],
  ])('understand JSON that was not written by this service: %s', (_, data) => {
    const text = stored(newEvent(cancelled(1n)));
    expect(decode({ ...text, data }).event).toStrictEqual(cancelled(1n));
  });
});

describe('an event that cannot be understood', () => {
  const good = { placed: placed(1n), shipped: shipped(1n), cancelled: cancelled(1n) };

  it.each<[string, keyof typeof good, Partial<StoredFields>, RegExp]>([
    [
      'an unknown type',
      'placed',
      { type: 'OrderEaten' },
      /unknown event type "OrderEaten" \(a newer version of store-orders may have written it\)$/,
    ],
    ['a type named like a method', 'placed', { type: 'toString' }, /unknown event type/],
    [
      'a version that is not known yet',
      'placed',
      { schemaVersion: 3 },
      /unknown schema version 3 of OrderPlaced \(a newer version of store-orders may have written it\)$/,
    ],
    ['version 0', 'placed', { schemaVersion: 0 }, /unknown schema version 0/],
    ['broken JSON', 'cancelled', { data: '{"orderId":"1"' }, /JSON/],
    ['no JSON at all', 'cancelled', { data: '' }, /JSON/],
    ['a property too many', 'cancelled', { data: '{"orderId":"1","x":1}' }, /"x"/],
    ['a property too few', 'shipped', { data: '{"orderId":"1"}' }, /"shipDate"/],
    ['an id beyond 64 bits', 'cancelled', { data: '{"orderId":"9223372036854775808"}' }, /int64/],
    ['an id as a number', 'cancelled', { data: '{"orderId":1}' }, /orderId/],
    ['a reason in version 1', 'cancelled', { data: '{"orderId":"1","reason":"other"}' }, /reason/],
    ['no reason in version 2', 'cancelled', { schemaVersion: 2 }, /reason/],
    [
      'a reason that is not in the list',
      'cancelled',
      { schemaVersion: 2, data: '{"orderId":"1","reason":"whim"}' },
      /reason/,
    ],
    ['a list', 'cancelled', { data: '["1"]' }, /orderId/],
    [
      'a day that does not exist',
      'shipped',
      {
        data: '{"orderId":"1","shipDate":"2023-02-29T00:00:00.000Z"}',
      },
      /UTC date-time/,
    ],
    [
      'version 1 with an id that JSON numbers cannot hold',
      'placed',
      {
        schemaVersion: 1,
        data: '{"orderId":"1","petId":9007199254740993,"quantity":1,"shipDate":null}',
      },
      /petId/,
    ],
    ['metadata without a time', 'placed', { metadata: '{"by":"a","commandId":"b"}' }, /"at"/],
    [
      'metadata with a property too many',
      'placed',
      {
        metadata: '{"at":"2026-01-01T12:00:00.000Z","by":"a","commandId":"b","to":"c"}',
      },
      /"to"/,
    ],
  ])('is named by its position and the reason: %s', (_, name, change, reason) => {
    const read = () => decode({ ...stored(newEvent(good[name])), position: 4_711, ...change });
    const error = caught(read);
    expect(error).toBeInstanceOf(UnreadableEvent);
    expect(error).toMatchObject({ name: 'UnreadableEvent', position: 4_711 });
    expect((error as Error).message).toMatch(/^event at position 4711 cannot be read: /);
    expect((error as Error).message).toMatch(reason);
  });
});

function caught(read: () => RecordedEvent): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}
