import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cloudEventOf,
  sourceOf,
  storedFieldsOf,
} from '../../../../../src/app/audit/proofs/cloud-event.ts';
import { MAX_POSITION } from '../../../../../src/app/log/positions.ts';
import { recordOf, type StoredFields } from '../../../../../src/app/log/recorded-event.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { anyText } from '../../../../support/any-text.ts';
import { cancelled, placed, recorded, shipped, TRACEPARENT } from '../../../../support/events.ts';
import { MEANINGS, storedEvents } from '../../../../support/golden-events.ts';

const STORE = 'fb4b0e07caf02b8d';
const noNames = () => undefined;

const CANCELLED: StoredFields = {
  position: 17,
  version: 2,
  type: 'OrderCancelled',
  schemaVersion: 1,
  data: '{"orderId":"42"}',
  metadata: '{"at":"2026-01-01T12:00:00.000Z","by":"k0Aa1Bb2Cc","commandId":"c-1"}',
};

describe('A stored event as a CloudEvent', () => {
  it('contains all stored fields, and the name of the key', () => {
    const names = new Map([['k0Aa1Bb2Cc', 'the shop’s "own" key']]);
    const text = cloudEventOf(CANCELLED, STORE, (id) => names.get(id));
    expect(JSON.parse(text)).toStrictEqual({
      specversion: '1.0',
      id: '17',
      source: '/store-orders/fb4b0e07caf02b8d',
      type: 'OrderCancelled',
      subject: '42',
      time: '2026-01-01T12:00:00.000Z',
      datacontenttype: 'application/json',
      position: 17,
      version: 2,
      schemaversion: 1,
      by: 'k0Aa1Bb2Cc',
      keyname: 'the shop’s "own" key',
      commandid: 'c-1',
      data: { orderId: '42' },
    });
    expect(text).not.toContain('\n');
    expect(storedFieldsOf(text)).toStrictEqual(CANCELLED);
  });

  it('has no name if its author is not a key', () => {
    const text = cloudEventOf(CANCELLED, STORE, noNames);
    expect(JSON.parse(text)).not.toHaveProperty('keyname');
    expect(storedFieldsOf(text)).toStrictEqual(CANCELLED);
  });

  it('has the stored trace, but no malformed one', () => {
    const text = cloudEventOf(CANCELLED, STORE, noNames, TRACEPARENT);
    expect(JSON.parse(text)).toMatchObject({ commandid: 'c-1', traceparent: TRACEPARENT });
    expect(storedFieldsOf(text)).toStrictEqual(CANCELLED);
    // Only an id of zeros is none.
    const small = `00-0${'1'.repeat(31)}-0${'1'.repeat(15)}-00`;
    expect(JSON.parse(cloudEventOf(CANCELLED, STORE, noNames, small)).traceparent).toBe(small);
    const malformed = [
      '',
      'planted',
      `${TRACEPARENT}\n`,
      `00${TRACEPARENT}`,
      TRACEPARENT.toUpperCase(),
    ];
    for (const other of [undefined, ...malformed]) {
      const without = cloudEventOf(CANCELLED, STORE, noNames, other);
      expect(without).toBe(cloudEventOf(CANCELLED, STORE, noNames));
    }
  });

  it('ends with the data as it is stored, to the byte', () => {
    const data = '{ "orderId" : "42" , "petId": 1.0, "x": "\\u0041,\\"data\\":" }';
    const text = cloudEventOf({ ...CANCELLED, data }, STORE, noNames);
    expect(text.endsWith(`,"data":${data}}`)).toBe(true);
    expect(storedFieldsOf(text).data).toBe(data);
  });

  it('carries the metadata as text if its attributes do not determine it', () => {
    const metadata = '{"by":"x","at":"2026-01-01T12:00:00.000Z","commandId":"c-1","more":1}';
    const text = cloudEventOf({ ...CANCELLED, metadata }, STORE, noNames);
    expect(JSON.parse(text)).toMatchObject({ by: 'x', commandid: 'c-1', metadata });
    expect(storedFieldsOf(text).metadata).toBe(metadata);
  });

  test.each(Object.keys(MEANINGS))('leads back to what was ever stored: %s', (file) => {
    for (const golden of storedEvents(file)) {
      const stored = { position: 1, version: 1, ...golden };
      const text = cloudEventOf(stored, STORE, noNames);
      expect(storedFieldsOf(text)).toStrictEqual(stored);
      expect(JSON.parse(text)).not.toHaveProperty('metadata');
    }
  });

  it('can be converted back to the record, for any stored event', () => {
    const count = fc.integer({ min: 1, max: MAX_POSITION });
    const json = fc.oneof(
      fc.json(),
      fc.dictionary(fc.constantFrom('at', 'by', 'commandId', 'orderId'), fc.string()).map(text),
      fc.record({ at: fc.string(), by: fc.string(), commandId: fc.string() }).map(text),
    );
    const events = fc.record({
      position: count,
      version: count,
      type: anyText(),
      schemaVersion: count,
      data: json,
      metadata: json,
    });
    fc.assert(
      fc.property(events, fc.option(fc.string(), { nil: undefined }), (stored, name) => {
        const event = cloudEventOf(stored, STORE, () => name);
        expect(recordOf(storedFieldsOf(event))).toBe(recordOf(stored));
        expect(storedFieldsOf(event)).toEqual(stored);
      }),
    );
  });
});

test('two stores have two sources', () => {
  expect(sourceOf('a')).not.toBe(sourceOf('b'));
});

describe('What is no event in its one form is refused:', () => {
  const text = cloudEventOf(CANCELLED, STORE, () => 'shop');

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['no object', '17'],
    ['another order of members', JSON.stringify({ position: 17, ...JSON.parse(text) })],
    ['a blank', text.replace(':', ': ')],
    ['a position as a text', text.replace('"position":17', '"position":"17"')],
    ['another id than the position', text.replace('"id":"17"', '"id":"18"')],
    ['position 0', text.replaceAll('17', '0')],
    ['a version that is no number', text.replace('"version":2', '"version":"2"')],
    ['a fraction of a schema version', text.replace('"schemaversion":1', '"schemaversion":1.5')],
    ['a type that is no text', text.replace('"OrderCancelled"', '1')],
    ['metadata that is no text', text.replace('"data"', '"metadata":{},"data"')],
    ['metadata that is said twice', text.replace('"data"', '"metadata":"{}","data"')],
    ['another subject than the data', text.replace('"subject":"42"', '"subject":"43"')],
    ['a member that no event has', text.replace('"data"', '"more":1,"data"')],
    ['a member twice', text.replace('"version"', '"version":1,"version"')],
    ['a source of another form', text.replace('/store-orders/', '/other/')],
    ['something behind it', `${text} `],
    ['a name that is no text', text.replace('"keyname":"shop"', '"keyname":{"a":1}')],
    ['a name that is no Unicode text', text.replace('"shop"', '"\\ud800"')],
    ['a trace that is none', text.replace('"data"', '"traceparent":"00-0-0-00","data"')],
    ['a trace that is no text', text.replace('"data"', '"traceparent":["x"],"data"')],
    ['a name of the prototype', text.replace('"data"', '"__proto__":{},"data"')],
  ])('%s', (_what, changed) => {
    expect(changed).not.toBe(text);
    expect(() => storedFieldsOf(changed)).toThrow();
  });

  it('and is told so', () => {
    for (const [from, to] of [
      [':', ': '],
      ['"shop"', '1'],
      ['"shop"', 'null'],
      [/}$/, ',"more":1}'],
      ['"data"', '"metadata":"none","data"'],
    ] as const) {
      expect(() => storedFieldsOf(text.replace(from, to))).toThrow('not in the one form');
    }
  });

  it('every event with one character changed, unless that makes another event', () => {
    const events = recorded(placed(1n), shipped(1n), placed(2n), cancelled(2n)).map(encode);
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (stored, at, character) => {
          const event = cloudEventOf(stored, STORE, () => 'shop', TRACEPARENT);
          const place = at % event.length;
          const changed = event.slice(0, place) + character + event.slice(place + 1);
          let read: StoredFields;
          try {
            read = storedFieldsOf(changed);
          } catch {
            return;
          }
          const { source, keyname, traceparent } = JSON.parse(changed);
          const storeId = source.slice(sourceOf('').length);
          expect(cloudEventOf(read, storeId, () => keyname, traceparent)).toBe(changed);
        },
      ),
    );
  });
});

function text(value: unknown): string {
  return JSON.stringify(value);
}
