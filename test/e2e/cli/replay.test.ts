import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import type { RecordedEvent } from '../../../src/app/log/recorded-event.ts';
import { encodeChunk } from '../../../src/http/answers/list-chunk.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { Place } from '../../support/command-line.ts';
import { readAll } from '../../support/events.ts';
import { naiveOrders } from '../../support/naive-orders.ts';

/** A store with an order in every state, with ids beyond the precision of a double. */
async function filled(): Promise<Place> {
  const place = new Place();
  const lines = [
    'id,petId,quantity,shipDate,status,cancelReason',
    '9007199254740993,7,1,,pending,',
    '2,9223372036854775807,2,2026-01-31T12:00:00Z,shipped,',
    '-3,8,3,2026-02-01T00:00:00Z,cancelled,out_of_stock',
  ];
  await place.run('import', place.write('orders.csv', `${lines.join('\n')}\n`));
  return place;
}

const PENDING = '{"id":9007199254740993,"petId":7,"quantity":1,"complete":false}';
const SHIPPED =
  '{"id":2,"petId":9223372036854775807,"quantity":2,"shipDate":"2026-01-31T12:00:00.000Z","complete":true}';
const CANCELLED =
  '{"id":-3,"petId":8,"quantity":3,"shipDate":"2026-02-01T00:00:00.000Z","complete":false}';

async function eventsOf(place: Place): Promise<RecordedEvent[]> {
  const store = await place.open();
  const events = await readAll(store.log);
  await store.close();
  return events;
}

describe('replay', () => {
  test('writes the current list by default', async () => {
    const place = await filled();
    const { code, out, err } = await place.run('replay');
    expect([code, out]).toEqual([0, `[${CANCELLED},${SHIPPED},${PENDING}]`]);
    expect(err).toMatch(
      /^3 orders as of position 5, .*: ETag "[0-9a-f]{16}-[0-9a-z]+-5"\. Replayed at /,
    );
  });

  test('begins a line for the summary on a terminal, where JSON has no line end', async () => {
    const place = await filled();
    const json = await place.runOnTerminal('replay');
    expect(json.out).toBe(`[${CANCELLED},${SHIPPED},${PENDING}]`);
    expect(json.err).toContain('\n3 orders as of position 5');
    const csv = await place.runOnTerminal('replay', '--format', 'csv');
    expect(csv.out).toMatch(/\n$/);
    expect(csv.err).not.toContain('\n3 orders as of position 5');
  });

  test('writes the list as of every position', async () => {
    const place = await filled();
    const events = await eventsOf(place);
    expect(events).toHaveLength(5);
    for (let position = 0; position <= events.length; position++) {
      const orders = naiveOrders(events.slice(0, position));
      const page = orders.length === 0 ? '[' : String(encodeChunk(orders, true).text);
      const { code, out } = await place.run('replay', '--to', String(position));
      expect([code, out]).toEqual([0, `${page}]`]);
    }
  });

  test('accepts a time, and selects everything recorded by then', async () => {
    const place = await filled();
    const times = (await eventsOf(place)).map(({ metadata }) => metadata.at);
    const first = times[0] as string;
    const before = new Date(Date.parse(first) - 1).toISOString();
    expect((await place.run('replay', '--to', before)).out).toBe('[]');
    const last = times.at(-1) as string;
    expect((await place.run('replay', '--to', last)).err).toContain('as of position 5,');
    const shifted = last.replace('Z', '+00:00');
    expect((await place.run('replay', '--to', shifted)).err).toContain('as of position 5,');
  });

  test('writes a line of JSON for each order, as version 2 shows it', async () => {
    const place = await filled();
    const { out } = await place.run('replay', '--format', 'ndjson');
    const lines = out.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe('');
    expect(lines[0]).toMatch(/"complete":false,"status":"cancelled","placedAt":".*"cancelledAt":/);
    expect(lines[2]).toContain('"id":"9007199254740993",');
  });

  test('writes CSV according to RFC 4180, with exact ids', async () => {
    const place = await filled();
    const { out } = await place.run('replay', '--format', 'csv');
    expect(out.endsWith('\r\n')).toBe(true);
    const { data, errors } = Papa.parse<Record<string, string>>(out, {
      header: true,
      skipEmptyLines: true,
    });
    expect(errors).toEqual([]);
    const time = expect.stringMatching(/^2.*Z$/);
    expect(data).toEqual([
      {
        id: '-3',
        petId: '8',
        quantity: '3',
        shipDate: '2026-02-01T00:00:00.000Z',
        complete: 'false',
        status: 'cancelled',
        placedAt: time,
        shippedAt: '',
        cancelledAt: time,
        cancelReason: 'out_of_stock',
      },
      expect.objectContaining({
        petId: '9223372036854775807',
        complete: 'true',
        shippedAt: time,
        cancelledAt: '',
      }),
      expect.objectContaining({ id: '9007199254740993', shipDate: '', shippedAt: '' }),
    ]);
  });

  test.each([
    ['json', '[]'],
    ['ndjson', ''],
    [
      'csv',
      'id,petId,quantity,shipDate,complete,status,placedAt,shippedAt,cancelledAt,cancelReason\r\n',
    ],
  ])('writes an empty list in %s', async (format, text) => {
    expect(await new Place().run('replay', '--format', format)).toMatchObject({
      code: 0,
      out: text,
    });
  });
});

describe('The file of a replay', () => {
  test.each([
    ['list.json', /^\[\{"id":-3,/],
    ['list.ndjson', /^\{"id":"-3",.*"status"/],
    ['list.JSONL', /^\{"id":"-3",.*"status"/],
    ['list.csv', /^id,petId/],
    ['list', /^\[\{"id":-3,/],
  ])('%s has the format that its name tells, and is for its owner only', async (name, begins) => {
    const place = await filled();
    const file = place.file(name);
    expect(await place.run('replay', '--out', file)).toMatchObject({ code: 0, out: '' });
    expect(readFileSync(file, 'utf8')).toMatch(begins);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('replaces an existing file only with --force', async () => {
    const place = await filled();
    const file = place.write('precious.json', 'precious');
    const refused = await place.run('replay', '--out', file);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('is there already and was left as it is. --force replaces it.');
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await place.run('replay', '--out', file, '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/^\[/);
  });

  test('does not exist after a failed replay, nor does a temporary file', async () => {
    const place = await filled();
    const before = readdirSync(place.folder).toSorted();
    const file = place.file('list.json');
    expect(await place.run('replay', '--to', '6', '--out', file)).toMatchObject({ code: 1 });
    expect(existsSync(file)).toBe(false);
    const nowhere = await place.run('replay', '--out', place.file('nowhere/list.json'));
    expect(nowhere).toMatchObject({ code: 1 });
    expect(nowhere.err).toContain('list.json cannot be written: ENOENT');
    expect(readdirSync(place.folder).toSorted()).toEqual(before);
  });
});

describe('A replay is refused', () => {
  test.each([
    ['6', "store-orders: --to 6 is beyond the log's end (5).\n"],
    ['9999-12-31T23:59:59Z', 'store-orders: --to 9999-12-31T23:59:59.000Z is in the future.\n'],
  ])('to a moment that has not come: %s', async (to, message) => {
    const place = await filled();
    expect(await place.run('replay', '--to', to)).toEqual({ code: 1, out: '', err: message });
  });

  test.each([
    ['--to', 'yesterday'],
    ['--to', '-1'],
    ['--to', '01'],
    ['--format', 'xml'],
  ])('as a usage error: %s %s', async (...args) => {
    expect(await new Place().run('replay', ...args)).toMatchObject({ code: 2, out: '' });
  });

  test('if the log has an event of an unknown type', async () => {
    const place = await filled();
    const db = openDatabase(place.file('store.db'));
    db.exec('DROP TRIGGER events_are_never_updated');
    db.exec('UPDATE events SET schema_version = 9 WHERE position = 2');
    db.close();
    const { code, out, err } = await place.run('replay');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('event at position 2 cannot be read: unknown schema version 9');
  });
});
