import { expect, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { Place } from '../../support/command-line.ts';

async function lineOf(place: Place, name: string, ...args: readonly string[]) {
  const { code, out, err } = await place.run('config', ...args);
  const line = out.split('\n').find((text) => text.startsWith(`${name}\t`));
  return { code, err, setting: line?.split('\t').slice(1) };
}

test('each setting has the source that wins: option, environment, .env, default', async () => {
  const place = new Place();
  const sourceOf = (...args: readonly string[]) => lineOf(place, 'PORT', ...args);
  expect(await sourceOf()).toEqual({ code: 0, err: '', setting: ['3000', 'default'] });
  place.dotEnv = { PORT: '3001' };
  expect(await sourceOf()).toMatchObject({ setting: ['3001', '.env'] });
  place.environment = { PORT: '3002' };
  expect(await sourceOf()).toMatchObject({ setting: ['3002', 'environment'] });
  expect(await sourceOf('--port', '3003')).toMatchObject({ setting: ['3003', '--port'] });
});

test('an empty variable counts as not set, and hides the file, as at a start', async () => {
  const place = new Place();
  place.environment = { PORT: '' };
  place.dotEnv = { PORT: '3001' };
  expect(await lineOf(place, 'PORT')).toMatchObject({ setting: ['3000', 'default'] });
});

test('secrets are not shown, also where they are invalid', async () => {
  const place = new Place();
  const key = mintKeyText();
  const [, id] = key.split('_');
  place.environment = {
    INITIAL_API_KEY: key,
    DATABASE_URL: 'postgres://shop:tiger-lily@db/orders?sslmode=bogus',
  };
  expect(await lineOf(place, 'INITIAL_API_KEY')).toMatchObject({
    setting: [`sto_${id}_…`, 'environment'],
  });
  place.environment = { ...place.environment, INITIAL_API_KEY: key.slice(0, -1) };
  for (const args of [[], ['--json']]) {
    const { code, out, err } = await place.run('config', ...args);
    expect(code).toBe(1);
    expect(out).toContain('postgres://shop:…@db/orders');
    expect(err).toContain('INITIAL_API_KEY is not a well-formed key');
    expect(out + err).not.toMatch(/tiger-lily/);
    expect(out + err).not.toContain(key.slice(16, 60));
  }
});

test('no password of an address is shown, whichever setting it stands in', async () => {
  const place = new Place();
  place.environment = {
    STORE_ORDERS_URL: 'http://shop:tiger lily@h/',
    DATABASE_URL: 'postgres://shop@db/orders?sslpassword=tiger-lily',
  };
  for (const args of [[], ['--json']]) {
    const { out, err } = await place.run('config', ...args);
    expect(out).toContain('http://shop:…@h/');
    expect(out).toContain('postgres://shop@db/orders?sslpassword=…');
    expect(out + err).not.toMatch(/tiger|lily/);
  }
});

test('an invalid setting of an option is named by the option', async () => {
  const { code, err, setting } = await lineOf(new Place(), 'PORT', '--port', 'http');
  expect([code, setting]).toEqual([1, ['http', '--port']]);
  expect(err).toBe('store-orders: --port must be a number from 0 to 65535\n');
});

test('with --json each setting is a line, absent values left out', async () => {
  const { out } = await new Place().run('config', '--json');
  const settings = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(settings).toContainEqual({ name: 'PORT', value: '3000', source: 'default' });
  expect(settings).toContainEqual({ name: 'BASE_URL', source: 'default' });
});

test('on a terminal no line is longer than it is wide, and nothing is left out', async () => {
  const place = new Place();
  place.columns = 60;
  const proxies = Array.from({ length: 9 }, (_, n) => `10.0.0.${n}`).join(', ');
  place.environment = { TRUST_PROXY: proxies };
  const { out } = await place.runOnTerminal('config');
  const lines = out.trimEnd().split('\n');
  // Of the head, escape sequences are no characters.
  expect(Math.max(...lines.slice(1).map(({ length }) => length))).toBeLessThanOrEqual(60);
  const at = lines.findIndex((line) => line.startsWith('TRUST_PROXY '));
  const broken = lines.slice(
    at,
    lines.findIndex((line) => line.startsWith('MAX_CONNECTIONS ')),
  );
  const shown = broken.map((line) => line.replace(/^TRUST_PROXY|environment$/g, '')).join('');
  expect(shown.replaceAll(' ', '')).toBe(proxies.replaceAll(' ', ''));
});
