import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { hashKeyText, keyIdOf, mintKeyText } from '../../../src/app/keys/api-key.ts';
import { SCOPES } from '../../../src/app/ports/key-store.ts';
import { instantAt } from '../../../src/domain/instant.ts';
import { Place } from '../../support/command-line.ts';

const HOUR_MS = 3_600_000;

async function keysOf(place: Place) {
  const store = await place.open();
  const keys = await store.keys.list();
  await store.close();
  return keys;
}

test('a key is printed alone on standard output, and only its hash is stored', async () => {
  const place = new Place();
  const { code, out, err } = await place.run('keys', 'create', '--name', 'ci');
  const text = out.trimEnd();
  expect([code, out]).toEqual([0, `${text}\n`]);
  expect(err).toContain('ci');
  expect(err).not.toContain(text);
  expect(await keysOf(place)).toMatchObject([
    {
      id: keyIdOf(text),
      name: 'ci',
      hash: hashKeyText(text),
      scopes: ['orders:read', 'orders:write', 'orders:cancel'],
    },
  ]);
  expect((await keysOf(place))[0]).not.toHaveProperty('expiresAt');
});

test('a key has the scopes that were asked for', async () => {
  const place = new Place();
  await place.run('keys', 'create', '--name', 'auditor', '--scopes', 'audit:read,orders:read');
  expect((await keysOf(place))[0]?.scopes).toEqual(['orders:read', 'audit:read']);
});

test.each(['orders', 'orders:read,', '', 'orders:read,orders:all'])(
  'the scopes "%s" are refused, and the right ones are named',
  async (scopes) => {
    const place = new Place();
    const { code, out, err } = await place.run('keys', 'create', '--name', 'x', '--scopes', scopes);
    expect([code, out]).toEqual([2, '']);
    for (const scope of SCOPES) expect(err).toContain(scope);
    expect(await keysOf(place)).toEqual([]);
  },
);

test('a key expires at a date-time, with any offset', async () => {
  const place = new Place();
  await place.run('keys', 'create', '--name', 'x', '--expires', '2999-01-01T01:00:00+01:00');
  expect((await keysOf(place))[0]?.expiresAt).toBe('2999-01-01T00:00:00.000Z');
});

test('a key that would expire after the year 9999 is refused for that', async () => {
  const place = new Place();
  const { code, err } = await place.run('keys', 'create', '--name', 'x', '--expires', '9999999d');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(' is invalid. It is after the year 9999'),
  ]);
});

test.each([
  { expires: '5m', hours: 1 / 12 },
  { expires: '12h', hours: 12 },
  { expires: '90d', hours: 90 * 24 },
])('a key expires $expires from now', async ({ expires, hours }) => {
  const place = new Place();
  const before = Date.now();
  await place.run('keys', 'create', '--name', 'x', '--expires', expires);
  const expiry = Date.parse((await keysOf(place))[0]?.expiresAt ?? '') - hours * HOUR_MS;
  expect(expiry).toBeGreaterThanOrEqual(before);
  expect(expiry).toBeLessThanOrEqual(Date.now());
});

test.each(['0d', '2001-01-01T00:00:00Z', 'soon', '90', '999999999d', '2999-02-30T00:00:00Z'])(
  'a key cannot expire %s',
  async (expires) => {
    const place = new Place();
    const args = ['keys', 'create', '--name', 'x', '--expires', expires];
    expect(await place.run(...args)).toMatchObject({ code: 2, out: '' });
    expect(await keysOf(place)).toEqual([]);
  },
);

test.each(['', ' ', 'a\tb', 'a\nb', '\u001b[31mred', 'x'.repeat(101)])(
  'a name must be printable: %j',
  async (name) => {
    const place = new Place();
    expect(await place.run('keys', 'create', '--name', name)).toMatchObject({ code: 2, out: '' });
  },
);

test('the list tells the state of every key and nothing that is secret', async () => {
  const place = new Place();
  const { id, text } = await created(place);
  await expired(place);
  const revoked = await created(place);
  await place.run('keys', 'revoke', revoked.id);
  const { code, out, err } = await place.run('keys', 'list');
  const rows = out
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'));
  expect([code, err]).toEqual([0, '']);
  expect(rows[0]).toEqual(['id', 'name', 'scopes', 'created', 'expires', 'state', 'limits']);
  expect(rows.slice(1).map((row) => [row[0], row[5]])).toEqual([
    ['expired000', 'expired'],
    [id, 'active'],
    [revoked.id, 'revoked'],
  ]);
  expect(out).not.toContain(text);
  expect(out).not.toContain(hashKeyText(text).toString('hex').slice(0, 8));
});

test('on a terminal, the list is a table', async () => {
  const place = new Place();
  const { id } = await created(place);
  const { code, out } = await place.runOnTerminal('keys', 'list');
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^${id}  x   `, 'm'));
  expect(
    Math.max(
      ...out
        .split('\n')
        .slice(1)
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(80);
});

test('with --json, keys are objects, without what is secret', async () => {
  const place = new Place();
  const { code, out } = await place.run('keys', 'create', '--name', 'x', '--rate', '9/s', '--json');
  expect(code).toBe(0);
  const { key, ...made } = JSON.parse(out);
  expect(key.slice(4, 14)).toBe(made.id);
  expect(made).toMatchObject({ name: 'x', state: 'active', limits: { rate: { requests: 9 } } });
  const listed = await place.run('keys', 'list', '--json');
  expect(listed.out).toBe(`${JSON.stringify(made)}\n`);
  const limited = await place.run('keys', 'limit', made.id, '--streams', '2', '--json');
  expect(JSON.parse(limited.out).limits).toMatchObject({ streams: 2, rate: { requests: 9 } });
  const revoked = await place.run('keys', 'revoke', made.id, '--json');
  expect(JSON.parse(revoked.out)).toMatchObject({ id: made.id, state: 'revoked' });
});

test('a key is revoked by its id, or by its own text', async () => {
  const place = new Place();
  const [first, second] = [await created(place), await created(place)];
  expect(await place.run('keys', 'revoke', first.id)).toMatchObject({ code: 0, out: '' });
  const { code, err } = await place.run('keys', 'revoke', second.text);
  expect(code).toBe(0);
  expect(err).not.toContain(second.text);
  const [one, two] = await keysOf(place);
  expect(one?.revokedAt).toBeDefined();
  expect(two?.revokedAt).toBeDefined();
});

test('to revoke a key twice changes nothing and is no failure', async () => {
  const place = new Place();
  const { id } = await created(place);
  await place.run('keys', 'revoke', id);
  const before = await keysOf(place);
  const { code, err } = await place.run('keys', 'revoke', id);
  expect(code).toBe(0);
  expect(err).toContain('revoked already');
  expect(await keysOf(place)).toEqual(before);
});

test.each([[['revoke']], [['limit', '--rate', '5/s']]])(
  'a key that the database does not change is reported as unchanged: keys %j',
  async ([verb = '', ...options]) => {
    const place = new Place();
    const { id } = await created(place);
    const db = new Database(place.file('store.db'));
    db.exec('CREATE TRIGGER quiet BEFORE UPDATE ON api_keys BEGIN SELECT RAISE(IGNORE); END');
    db.close();
    expect(await place.run('keys', verb, id, ...options)).toEqual({
      code: 1,
      out: '',
      err:
        `store-orders: The key ${id} is unchanged: the database did not store it. ` +
        'Run `store-orders verify`.\n',
    });
  },
);

test('a key that does not exist cannot be revoked', async () => {
  const place = new Place();
  expect(await place.run('keys', 'revoke', 'nobody')).toEqual({
    code: 1,
    out: '',
    err: 'store-orders: There is no key nobody.\n',
  });
});

test('what may be a part of a key is not repeated', async () => {
  const place = new Place();
  const key = mintKeyText();
  for (const part of [key.slice(4), key.slice(15), key.toUpperCase(), key.slice(0, 30)]) {
    const { err } = await place.run('keys', 'revoke', part);
    expect(err).toMatch(/^store-orders: There is no key …\.\n$/);
  }
  for (const args of [[key], [key.slice(15)], ['keys', key], ['keys', 'list', `--${key}`]]) {
    const { code, err } = await place.run(...args);
    expect(code).toBe(2);
    expect(err).not.toContain(key.slice(20, 36));
  }
});

test('a key has the limits that were asked for, and its list says so', async () => {
  const place = new Place();
  const limits = ['--rate', '100/s', '--burst', '200', '--concurrent', '10', '--streams', '5'];
  const { err } = await place.run('keys', 'create', '--name', 'ci', ...limits);
  expect(err).toContain('\nIts limits: rate=100/s burst=200 concurrent=10 streams=5.\n');
  expect((await keysOf(place))[0]?.limits).toStrictEqual({
    rate: { requests: 100, seconds: 1, burst: 200 },
    concurrent: 10,
    streams: 5,
  });
  await created(place);
  expect(await limitsShown(place)).toEqual([
    'rate=100/s burst=200 concurrent=10 streams=5',
    'none',
  ]);
});

test('the limits of a key are changed one by one, and taken away', async () => {
  const place = new Place();
  const { id, text } = await created(place);
  const steps = [
    ['--rate 600/m', 'rate=600/m burst=600'],
    ['--burst 10 --streams 3', 'rate=600/m burst=10 streams=3'],
    ['--concurrent 7', 'rate=600/m burst=10 concurrent=7 streams=3'],
    ['--rate 9000/h --streams none', 'rate=9000/h burst=9000 concurrent=7'],
    ['--burst 1', 'rate=9000/h burst=1 concurrent=7'],
    ['--burst none', 'rate=9000/h burst=9000 concurrent=7'],
    ['--rate none', 'concurrent=7'],
    ['--concurrent none', 'none'],
  ] as const;
  for (const [options, words] of steps) {
    const { code, out, err } = await place.run('keys', 'limit', id, ...options.split(' '));
    expect([code, out, err]).toEqual([0, '', `The limits of the key ${id} are now: ${words}.\n`]);
    expect(await limitsShown(place)).toEqual([words]);
  }
  expect((await keysOf(place))[0]).not.toHaveProperty('limits');
  // By its own text, which is not repeated.
  const { err } = await place.run('keys', 'limit', text, '--streams', '1');
  expect(err).not.toContain(text);
  expect(await limitsShown(place)).toEqual(['streams=1']);
});

test.each(['0/s', '100', '100/d', '1.5/s', '-1/s', '1000000/s', 'none', '/s', ''])(
  'a new key cannot have the rate "%s"',
  async (rate) => {
    const place = new Place();
    const args = ['keys', 'create', '--name', 'x', `--rate=${rate}`];
    const { code, err } = await place.run(...args);
    expect(code).toBe(2);
    expect(err).toContain('a number of requests, 1 to 999999, a second, minute or hour');
    expect(await keysOf(place)).toEqual([]);
  },
);

test.each(['--concurrent', '--streams', '--burst'])('%s takes a whole number', async (option) => {
  const place = new Place();
  for (const count of ['0', '-1', '1e3', '1000000', 'many', '']) {
    const args = ['keys', 'create', '--name', 'x', '--rate', '1/s', `${option}=${count}`];
    const { code, err } = await place.run(...args);
    expect(code).toBe(2);
    expect(err).toContain('a whole number from 1 to 999999');
  }
});

test('two changes of the limits of a key at once are both kept', async () => {
  const place = new Place();
  const { id } = await created(place);
  const limit = (...options: readonly string[]) => place.run('keys', 'limit', id, ...options);
  const ran = await Promise.all([limit('--rate', '100/s'), limit('--streams', '3')]);
  expect(ran.map(({ code }) => code)).toEqual([0, 0]);
  expect(await limitsShown(place)).toEqual(['rate=100/s burst=100 streams=3']);
});

test('a key without a rate has no burst, and one that is revoked or unknown no limits', async () => {
  const place = new Place();
  const { id } = await created(place);
  for (const options of [
    ['--burst', '5'],
    ['--rate', 'none', '--burst', '5'],
  ]) {
    const { code, err } = await place.run('keys', 'limit', id, ...options);
    expect(code).toBe(2);
    expect(err).toContain('--burst needs a rate: --rate\n');
  }
  await place.run('keys', 'revoke', id);
  expect(await place.run('keys', 'limit', id, '--streams', '1')).toEqual({
    code: 1,
    out: '',
    err: `store-orders: The key ${id} is revoked.\n`,
  });
  const { code, err } = await place.run('keys', 'limit', 'nobody', '--streams', '1');
  expect([code, err]).toEqual([1, 'store-orders: There is no key nobody.\n']);
});

async function limitsShown(place: Place): Promise<(string | undefined)[]> {
  const { out } = await place.run('keys', 'list');
  const [head = '', ...rows] = out.trimEnd().split('\n');
  const column = head.split('\t').indexOf('limits');
  return rows.map((row) => row.split('\t')[column]);
}

async function created(place: Place): Promise<{ id: string; text: string }> {
  const { out } = await place.run('keys', 'create', '--name', 'x');
  const text = out.trimEnd();
  return { id: keyIdOf(text) ?? '', text };
}

async function expired(place: Place): Promise<void> {
  const store = await place.open();
  const createdAt = instantAt(0);
  const expiresAt = instantAt(HOUR_MS);
  if (createdAt === undefined || expiresAt === undefined) throw new Error('1970 is an instant');
  const hash = Buffer.alloc(32);
  await store.keys.add({ id: 'expired000', name: 'x', hash, scopes: [], createdAt, expiresAt });
  await store.close();
}
