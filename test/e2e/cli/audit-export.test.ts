import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, test } from 'vitest';
import { storedFieldsOf } from '../../../src/app/audit/proofs/cloud-event.ts';
import { RecordTree, verifyCheckpoint } from '../../../src/app/audit/proofs/verifier.ts';
import { recordOf } from '../../../src/app/log/recorded-event.ts';
import {
  openPostgresForCommandLine,
  openPostgresStore,
} from '../../../src/infra/postgres/store.ts';
import { shownAddress } from '../../../src/infra/settings/postgres-address.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { lockForServer } from '../../../src/infra/sqlite/start/server-lock.ts';
import { anyText } from '../../support/any-text.ts';
import { Place } from '../../support/command-line.ts';
import { newEvent, placed } from '../../support/events.ts';
import { storedEvents } from '../../support/golden-events.ts';
import { isNightly } from '../../support/nightly.ts';
import { plainHead } from '../../support/plain-head.ts';
import { sql } from '../../support/postgres/sql.ts';
import { recordInAnyForm, tamper } from '../../support/tampering.ts';
import { watcher } from '../../support/watcher.ts';

const ORDERS = `id,petId,quantity,shipDate,status
1,7,1,,pending
2,7,1,2026-01-31T12:00:00Z,shipped
3,9007199254740993,1,,cancelled
`;

/** A store, its export, and its public key. */
async function given(fill: (place: Place) => Promise<unknown> = importOrders) {
  const place = new Place();
  await fill(place);
  const file = place.file('trail.ndjson');
  const { code, err } = await place.run('audit', 'export', '--out', file);
  expect(code, err).toBe(0);
  const key = (await place.run('audit', 'public-key')).out.trim();
  return { place, file, key, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

function importOrders(place: Place) {
  return place.run('import', place.write('orders.csv', ORDERS));
}

/** Returns all stored columns of every event. */
async function rows(place: Place): Promise<readonly unknown[]> {
  const store = await place.open();
  const stored = await store.trail.stored(0, 10_000);
  await store.close();
  return stored;
}

async function rootOf(place: Place): Promise<string> {
  return JSON.parse((await place.run('verify', '--json')).out).root;
}

describe('An export', () => {
  it('begins with a signed checkpoint, and contains the hashed bytes of each event', async () => {
    const { lines, key } = await given();
    const [first = '', ...events] = lines.slice(0, -1);
    const { type, data } = JSON.parse(first);
    expect(type).toBe('Checkpoint');
    const verdict = verifyCheckpoint(data, key);
    if (!verdict.ok) expect.fail(verdict.reason);
    const tree = new RecordTree();
    for (const line of events) tree.add(recordOf(storedFieldsOf(line)));
    expect(verdict.value).toMatchObject(plainHead(tree.head()));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ specversion: '1.0' });
  });

  it('is printed without --out', async () => {
    const { place, lines } = await given();
    const { code, out } = await place.run('audit', 'export');
    expect(code).toBe(0);
    expect(out).toBe(`${lines.join('\n')}\n`);
  });

  it('may be of an empty store', async () => {
    const { place, file, key } = await given(async () => {});
    expect(await place.run('verify', '--export', file, '--key', key)).toMatchObject({ code: 0 });
    const other = new Place();
    const { out } = await other.run('audit', 'import', file, '--key', key);
    expect(out).toMatch(/^Imported 0 events\. /);
  });

  it('overwrites no file, and leaves no partial file', async () => {
    const { place, file } = await given();
    const before = readFileSync(file, 'utf8');
    const again = await place.run('audit', 'export', '--out', file);
    expect(again.code).toBe(1);
    expect(again.err).toContain(`${file} is there already and was left as it is.`);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const other = place.file('other.ndjson');
    tamper(place.file('store.db'), (db) => {
      db.exec(`UPDATE events SET data = replace(data, '"quantity":1', '"quantity":2')`);
    });
    const refused = await place.run('audit', 'export', '--out', other);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('not what was recorded');
    expect(existsSync(other)).toBe(false);
  });

  it('is verified with the public key alone', async () => {
    const { file, key, place } = await given();
    const nowhere = new Place();
    const { code, out } = await nowhere.run('verify', '--export', file, '--key', key);
    expect(out).toMatch(
      /^5 events verified\.\nTheir root is \S+\n\S+ is from (\/store-orders\/\w{16}), signed by \S+, every line of it\.\nVerified/,
    );
    expect(code).toBe(0);
    expect(existsSync(nowhere.file('store.db'))).toBe(false);
    const checkpoint = place.file('checkpoint');
    await place.run('audit', 'checkpoint', '--out', checkpoint);
    const args = ['--export', file, '--key', key, '--checkpoint', checkpoint];
    expect((await nowhere.run('verify', ...args)).code).toBe(0);
  });
});

const ENGINES: readonly [name: string, newPlace: () => Promise<Place>][] = [
  ['SQLite', async () => new Place()],
  ['PostgreSQL', () => Place.onPostgres()],
];

describe.each(ENGINES)('An import of an export into %s', (_, newPlace) => {
  it('creates a store with the same events, byte for byte, and the same root', async () => {
    const { place, file, key } = await given();
    const other = await newPlace();
    const { code, out } = await other.run('audit', 'import', file, '--key', key);
    expect(code).toBe(0);
    expect(out).toBe(`Imported 5 events. Their root is ${await rootOf(place)}\n`);
    expect(await rows(other)).toEqual(await rows(place));
    expect(await other.orders()).toEqual(await place.orders());
    expect((await other.run('verify')).code).toBe(0);
  });

  it('creates another store with the past of the first', async () => {
    const { place, file, key } = await given();
    const checkpoint = place.file('checkpoint');
    await place.run('audit', 'checkpoint', '--out', checkpoint);
    const other = await newPlace();
    await other.run('audit', 'import', file, '--key', key);
    await other.run('import', other.write('more.csv', 'id,petId,quantity\n4,7,1\n'));
    const { code } = await other.run('verify', '--checkpoint', checkpoint, '--key', key);
    expect(code).toBe(0);
    expect((await other.run('audit', 'public-key')).out.trim()).not.toBe(key);
    expect(JSON.parse((await other.run('verify', '--json')).out).store).not.toBe(
      JSON.parse((await place.run('verify', '--json')).out).store,
    );
  });

  it('accepts events of any schema version', async () => {
    const { file, place, key } = await given(async (empty) => {
      const old = storedEvents('OrderPlaced.v1.ndjson');
      const file = empty.file('store.db');
      const db = openDatabase(file);
      const log = openLog(file, db);
      const insert = db.prepare('INSERT INTO events VALUES (?, ?, 1, ?, ?, ?, ?)');
      recordInAnyForm(db, () => {
        for (const [n, { type, schemaVersion, data, metadata }] of old.entries()) {
          insert.run(1 + n, BigInt(JSON.parse(data).orderId), type, schemaVersion, data, metadata);
        }
      });
      await log.close();
    });
    const other = await newPlace();
    const { code, err } = await other.run('audit', 'import', file, '--key', key);
    expect(code, err).toBe(0);
    expect(await rows(other)).toEqual(await rows(place));
    expect((await other.run('verify')).code).toBe(0);
  });

  it('is refused by a store that has events', async () => {
    const { file, key } = await given();
    const other = await newPlace();
    expect((await other.run('audit', 'import', file, '--key', key)).code).toBe(0);
    const refused = await other.run('audit', 'import', file, '--key', key);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('The store has 5 events: the import requires an empty one.');
    expect(await other.head()).toBe(5);
  });

  it('exports the same lines again, except for the name of the store', async () => {
    const { file, key, lines } = await given();
    const other = await newPlace();
    await other.run('audit', 'import', file, '--key', key);
    const { out } = await other.run('audit', 'export');
    const withoutStore = (line: string) => line.replaceAll(/(?<=orders\/)\w{16}/g, '');
    const [, ...exported] = out.trimEnd().split('\n').map(withoutStore);
    expect(exported.slice(0, -1)).toEqual(lines.slice(1, -1).map(withoutStore));
  });
});

test('an import into SQLite is refused while a server is running on the file', async () => {
  const { file } = await given();
  const other = new Place();
  const unlock = lockForServer(other.file('store.db'));
  const busy = await other.run('audit', 'import', file, '--unsigned');
  unlock();
  expect(busy.code).toBe(1);
  expect(busy.err).toContain('Another server is running on');
  expect(await other.head()).toBe(0);
});

test('an import into PostgreSQL is refused while instances are running on the store', async () => {
  const { file } = await given();
  const other = await Place.onPostgres();
  const { url = '' } = other;
  const served = await openPostgresStore(url, watcher());
  const seen =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN store_orders'";
  while ((await sql(url, seen)).length === 0) await setTimeout(20);
  const ran = await other.run('audit', 'import', file, '--unsigned');
  await served.close();
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('Instances are running on the store. Stop all of them first.');
  expect(await other.head()).toBe(0);
});

const swap = (one: number, other: number) => (lines: readonly string[]) =>
  lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '');

/** Damages to the lines of an export, and the message for each. */
const DAMAGED: readonly [
  what: string,
  how: (lines: string[]) => readonly string[],
  says: RegExp,
][] = [
  ['there is nothing but a line end', () => [''], /: there is an empty line$/m],
  ['the checkpoint is missing', ([, ...events]) => events, /: the first line is no checkpoint$/m],
  ['it is no JSON', () => ['x'], /: the first line is no checkpoint$/m],
  ['it is other JSON', () => ['null'], /: the first line is no checkpoint$/m],
  [
    'the note in the checkpoint is malformed',
    ([first = '']) => [
      JSON.stringify({ ...JSON.parse(first), id: 'checkpoint-0', data: 'all is well\n' }),
    ],
    /: the first line is no checkpoint$/m,
  ],
  [
    'the checkpoint is of fewer events',
    ([first = '', ...events]) => [
      first.replace('\\n5\\n', '\\n4\\n').replace('t-5', 't-4'),
      ...events,
    ],
    /: position 5: it is beyond the end of the checkpoint$/m,
  ],
  [
    'the checkpoint has another root',
    ([first = '', ...events]) => [
      first.replace(/(?<=\\n5\\n)./, (begin) => (begin === 'B' ? 'C' : 'B')),
      ...events,
    ],
    /: positions 1 to 5: the checkpoint in it has another root for these 5 events$/m,
  ],
  [
    'the end is missing',
    (lines) => lines.toSpliced(5, 1),
    /: position 5: the log ends at position 4, and the checkpoint in it is of 5 events$/m,
  ],
  ['one is missing', (lines) => lines.toSpliced(3, 1), /: position 3: it is missing$/m],
  [
    'an event is repeated',
    (lines) => lines.toSpliced(3, 0, lines[2] ?? ''),
    /: position 3: position 2 stands/m,
  ],
  ['two changed places', swap(2, 3), /: position 2: it is missing$/m],
  [
    'a line is not an event',
    (lines) => lines.with(3, '{}'),
    /: position 3: the line cannot be read: /m,
  ],
  [
    'a line is truncated',
    (lines) => lines.with(5, lines[5]?.slice(0, 99) ?? ''),
    /: position 5: the line/m,
  ],
  [
    'an author is another one',
    (lines) => lines.map((line) => line.replace('"by":"import"', '"by":"nobody"')),
    /: positions 1 to 5: the checkpoint in it has another root/m,
  ],
  [
    'an event is of another store',
    (lines) => lines.with(3, lines[3]?.replace(/orders\/\w/, 'orders/x') ?? ''),
    /: position 3: it is of another store$/m,
  ],
];

describe.each(ENGINES)(
  'A damaged export is refused, and nothing of it is imported into %s:',
  (_, newPlace) => {
    it.each(DAMAGED)('%s', async (_what, how, says) => {
      const { place, lines } = await given();
      const file = place.write('damaged.ndjson', `${how(lines).join('\n')}\n`);
      const other = await newPlace();
      const { code, out, err } = await other.run('audit', 'import', file, '--unsigned');
      expect([code, out]).toEqual([3, '']);
      expect(err).toMatch(says);
      expect(err).toContain('Nothing was imported.');
      expect(await rows(other)).toEqual([]);
      await other.run('audit', 'import', place.file('trail.ndjson'), '--unsigned');
      expect(await rows(other)).toEqual(await rows(place));
    });

    it('it is signed with another key', async () => {
      const { file } = await given();
      const { key } = await given();
      const other = await newPlace();
      const { code, err } = await other.run('audit', 'import', file, '--key', key);
      expect(code).toBe(3);
      expect(err).toContain(': the checkpoint: the note is not signed with the public key');
      expect(await rows(other)).toEqual([]);
      expect((await other.run('verify', '--export', file, '--key', key)).code).toBe(3);
    });
  },
);

describe.each(ENGINES)('An import into %s', (_, newPlace) => {
  it('requires --key or --unsigned', async () => {
    const { file, key } = await given();
    const other = await newPlace();
    for (const args of [[], ['--key', key, '--unsigned']]) {
      const { code, out, err } = await other.run('audit', 'import', file, ...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('pass the public key of the exported log with --key; ');
    }
    expect(await rows(other)).toEqual([]);
  });

  it('refuses a broken signature, unless --unsigned is given', async () => {
    const { place, key, lines } = await given();
    const [first = '', ...others] = lines;
    const broken = first.replace(/(?<=— \S+ .{20})./, (one) => (one === 'A' ? 'B' : 'A'));
    const file = place.write('broken.ndjson', `${[broken, ...others].join('\n')}\n`);
    const other = await newPlace();
    expect((await other.run('audit', 'import', file)).code).toBe(2);
    const refused = await other.run('audit', 'import', file, '--key', key);
    expect(refused).toMatchObject({ code: 3, out: '' });
    expect(refused.err).toContain(': the checkpoint: the signature is not that of the public key');
    expect(await rows(other)).toEqual([]);
    const taken = await other.run('audit', 'import', file, '--unsigned');
    expect(taken.code).toBe(0);
    expect(taken.err).toContain(
      'Not checked: who signed it, and whether it was signed at all. Anybody can write such a file.\n',
    );
    expect(await rows(other)).toEqual(await rows(place));
  });

  it('reports what was checked', async () => {
    const { file, key } = await given();
    const { err } = await (await newPlace()).run('audit', 'import', file, '--key', key);
    expect(err).toContain(
      'Checked: the signatures of the public key, on the checkpoint and on every',
    );
    expect(err).not.toContain('Not checked');
  });
});

/** Changes that the tree does not cover, only the seal. */
const BESIDE: readonly [what: string, how: (lines: readonly string[]) => readonly string[]][] = [
  [
    'another source in every line',
    (lines) => lines.map((line) => line.replace(/(?<=orders\/)\w{4}/, 'aaaa')),
  ],
  [
    'another source in all but the seal',
    (lines) =>
      lines.map((line, at) =>
        at === lines.length - 1 ? line : line.replace(/(?<=orders\/)\w{4}/, 'aaaa'),
      ),
  ],
  [
    'another name of an author',
    (lines) => lines.map((line) => line.replace('"by":"import"', '"by":"import","keyname":"boss"')),
  ],
  ['the seal is missing', (lines) => lines.slice(0, -1)],
  ['the seal is there twice', (lines) => [...lines, lines.at(-1) ?? '']],
  ['something is behind the seal', (lines) => [...lines, lines[1] ?? '']],
  [
    'the seal is before the last event',
    (lines) => lines.with(-1, lines.at(-2) ?? '').with(-2, lines.at(-1) ?? ''),
  ],
  [
    'the seal is that of a checkpoint',
    ([first = '', ...others]) => [
      first,
      ...others.slice(0, -1),
      others.at(-1)?.replace(/"data":.*/, `"data":${JSON.stringify(JSON.parse(first).data)}}`) ??
        '',
    ],
  ],
  [
    'the seal is not a string',
    (lines) => lines.with(-1, lines.at(-1)?.replace(/"data":.*/, '"data":1}') ?? ''),
  ],
  ['the seal is no JSON', (lines) => lines.with(-1, lines.at(-1)?.slice(0, -1) ?? '')],
  [
    'another signature beside that of the checkpoint',
    ([first = '', ...others]) => [first.replace(/(— \S+ [A-Za-z0-9+/=]+\\n)/, '$1$1'), ...others],
  ],
];

test.each(BESIDE)('a change outside the tree refutes an export: %s', async (_, how) => {
  const { place, key, lines } = await given();
  const changed = how(lines);
  expect(changed).not.toEqual(lines);
  const file = place.write('changed.ndjson', `${changed.join('\n')}\n`);
  const { code, out } = await place.run('verify', '--export', file, '--key', key);
  expect([code, out]).toEqual([3, expect.stringContaining('Verification failed.')]);
  expect((await new Place().run('audit', 'import', file, '--key', key)).code).toBe(3);
});

test('the seal of another export of the same events is refused', async () => {
  const { place, key, lines } = await given();
  await place.run('keys', 'create', '--name', 'shop', '--scopes', 'orders:write');
  const other = await given();
  const file = place.write(
    'mixed.ndjson',
    `${[...lines.slice(0, -1), other.lines.at(-1)].join('\n')}\n`,
  );
  const ran = await place.run('verify', '--export', file, '--key', key, '--key', other.key);
  expect(ran.code).toBe(3);
  expect(ran.out).toContain('the seal: ');
});

test('an export with any byte removed or repeated, or any bit flipped, is refuted', async () => {
  const { place, key, lines } = await given();
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const file = place.file('changed');
  const accepted: string[] = [];
  const check = async (what: string, changed: Buffer) => {
    writeFileSync(file, changed);
    const ran = await place.run('verify', '--export', file, '--key', key);
    if (ran.code !== 3) accepted.push(`${what}: ${ran.code} ${ran.err}`);
  };
  // Every place at night; in a minute, places that differ from run to run.
  const step = isNightly ? 1 : 90;
  for (let at = randomInt(step); at < bytes.length; at += step) {
    const bit = bytes.with(at, (bytes[at] as number) ^ (1 << (at % 8)));
    await check(`bit of ${at}`, Buffer.from(bit));
    if (isNightly && at % 5 > 0) continue;
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    await check(`without ${at}`, Buffer.concat([before, after.subarray(1)]));
    await check(`cut at ${at}`, before);
    await check(`doubled ${at}`, Buffer.concat([before, after.subarray(0, 1), after]));
  }
  expect(accepted).toEqual([]);
});

test('any edit of an export is refuted unless it equals the export, without an exception', async () => {
  const { place, key, lines } = await given();
  const text = `${lines.join('\n')}\n`;
  const piece = fc.oneof(
    fc.constantFrom(
      ...['', '\n', '\r\n', '\0', '\ufeff', '"', '{', '}', '[[', ',', '\\ud800', '-0', '1e0'],
    ),
    fc.constantFrom('"__proto__":{},', '"toString":1,', '"valueOf":1,', '"data":', '"id":"seal-5"'),
    fc.tuple(fc.nat(text.length), fc.nat(400)).map(([at, length]) => text.slice(at, at + length)),
    fc.constantFrom(...lines.map((line) => `${line}\n`)),
    anyText({ maxLength: 6 }),
  );
  const edits = fc.array(fc.tuple(fc.nat(text.length), fc.nat(40), piece), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(edits, async (all) => {
      const changed = all.reduce(
        (now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut),
        text,
      );
      const file = place.write('changed', changed);
      const { code, err } = await place.run('verify', '--export', file, '--key', key);
      expect(code, err).toBe(changed === text ? 0 : 3);
    }),
    { numRuns: isNightly ? 1_500 : 40 },
  );
  // Without a key only the tree is checked, against the file's own checkpoint.
  await fc.assert(
    fc.asyncProperty(edits, async (all) => {
      const changed = all.reduce(
        (now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut),
        text,
      );
      const other = new Place();
      const { code, err } = await other.run(
        'audit',
        'import',
        place.write('changed', changed),
        '--unsigned',
      );
      expect([0, 3], err).toContain(code);
      if (code === 0) expect(await rows(other)).toEqual(await rows(place));
    }),
    { numRuns: isNightly ? 60 : 6 },
  );
});

test.each<[string, (text: string) => string | Buffer]>([
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['line ends of another system', (text) => text.replaceAll('\n', '\r\n')],
  ['an empty line', (text) => text.replace('\n', '\n\n')],
  ['an empty line at its end', (text) => `${text}\n`],
  ['a NUL at its end', (text) => `${text}\0`],
  ['no line end', (text) => text.trimEnd()],
  ['a byte that is no text', (text) => Buffer.concat([Buffer.from(text), Buffer.of(0xff)])],
  ['half a character', (text) => Buffer.concat([Buffer.from(text), Buffer.of(0xf0, 0x9f)])],
  ['half of a pair', (text) => Buffer.concat([Buffer.from(text), Buffer.of(0xed, 0xa0, 0x80, 10)])],
])('an export has one form: it is refuted with %s', async (_, how) => {
  const { place, key, lines } = await given();
  const file = place.file('changed.ndjson');
  writeFileSync(file, how(`${lines.join('\n')}\n`));
  expect((await place.run('verify', '--export', file, '--key', key)).code).toBe(3);
  for (const args of [['--key', key], ['--unsigned']]) {
    const other = new Place();
    expect((await other.run('audit', 'import', file, ...args)).code, args[0]).toBe(3);
    expect(await rows(other)).toEqual([]);
  }
});

test('an export with any character changed is refuted', async () => {
  const { place, key, lines } = await given();
  const text = `${lines.join('\n')}\n`;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(text.length - 2),
      fc.constantFrom('0', '1', 'a', '"', ' ', '{', '~', '\\'),
      async (at, character) => {
        fc.pre(text[at] !== character);
        const file = place.write('changed', text.slice(0, at) + character + text.slice(at + 1));
        const { code } = await place.run('verify', '--export', file, '--key', key);
        expect(code).toBe(3);
      },
    ),
    { numRuns: isNightly ? 300 : 40 },
  );
});

test('an unreadable export yields exit code 1, not a verdict', async () => {
  const other = new Place();
  writeFileSync(other.file('empty'), '');
  const args = ['audit', 'import', '--unsigned'];
  expect((await other.run(...args, other.file('nowhere'))).code).toBe(1);
  const empty = await other.run(...args, other.file('empty'));
  expect(empty).toMatchObject({ code: 3, err: expect.stringContaining('there is nothing in it') });
});

test('what another session has locked in PostgreSQL is named, also for a single append', async () => {
  const { file } = await given();
  const other = await Place.onPostgres();
  const { url = '' } = other;
  const held = new pg.Client(url);
  await held.connect();
  await held.query('BEGIN; SELECT FROM store_orders.tree FOR UPDATE');
  const store = await openPostgresForCommandLine(url);
  const [imported, appended] = await Promise.all([
    other.run('audit', 'import', file, '--unsigned'),
    store.log.append(0, () => [newEvent(placed(1n))]),
  ]);
  await held.end();
  await store.close();
  const says =
    `${shownAddress(url)} is locked by another session, such as that of another command. ` +
    'Let it finish, and run this one again.';
  expect(imported).toMatchObject({ code: 1, out: '' });
  expect(imported.err).toContain(`store-orders: ${says}\n`);
  expect(appended).toMatchObject({ kind: 'unavailable', cause: { message: says } });
  expect(await other.head()).toBe(0);
});
