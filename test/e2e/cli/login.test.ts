import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { Place } from '../../support/command-line.ts';
import { oneService } from '../../support/one-service.ts';
import { Program, start } from '../../support/service.ts';

const { service } = await oneService();

const hasTerminal = spawnSync('script', ['--version']).status === 0;

let place: Place;
let file: string;

beforeEach(() => {
  place = new Place();
  place.environment = { XDG_CONFIG_HOME: place.folder };
  place.stdin = `${service.key}\n`;
  file = join(place.folder, 'store-orders/profiles.json');
});

const login = (...args: readonly string[]) => place.run('login', '--url', service.address, ...args);

describe('A login', () => {
  test('keeps address and key in a file of its owner, after it has tried them', async () => {
    const { code, out, err } = await login();
    expect([code, err]).toEqual([0, `Kept in ${file}.\n`]);
    expect(out).toMatch(/ knows the key as \S+ \(\w{10}\), for orders:read, .*\.\n$/);
    expect(out + err).not.toContain(service.key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.folder, 'store-orders')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(place.folder, 'store-orders'))).toEqual([
      'profiles.json',
      'profiles.json-lock',
    ]);
    expect(await place.run('orders', 'list')).toMatchObject({ code: 0 });
  });

  test.skipIf(!hasTerminal)('on a terminal asks for the key, and does not show it', async () => {
    const command = `exec "${process.execPath}" "${resolve('dist/main.js')}" login`;
    const args = ['-qfec', `${command} --url ${service.address}`, '/dev/null'];
    const given = { XDG_CONFIG_HOME: place.folder, TERM: 'xterm' };
    await using program = new Program('script', args, place.folder, given);
    await program.until(({ stdout }) => (stdout.includes('API key: ') ? true : undefined));
    program.child.stdin?.write(`${service.key}\r`);
    expect(await program.ended(), program.stdout).toBe(0);
    expect(program.stdout).toContain(' knows the key as ');
    expect(program.stdout).not.toContain(service.key.slice(16, 40));
    expect(await place.run('orders', 'list')).toMatchObject({ code: 0 });
  });

  test('with a key that is none keeps nothing', async () => {
    place.stdin = mintKeyText();
    const { code, err } = await login();
    expect(code).toBe(5);
    expect(err).toContain('(unauthorized');
    expect(existsSync(file)).toBe(false);
  });

  test('without a key is refused', async () => {
    place.stdin = '\n';
    const { code, err } = await login();
    expect([code, err]).toEqual([1, 'store-orders: No API key was given on standard input.\n']);
  });

  test('to a second service leaves the first one as it is', async () => {
    await login();
    await login('--profile', 'shop');
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['default', 'shop']);
    expect(await place.run('orders', 'list', '--profile', 'shop')).toMatchObject({ code: 0 });
    expect(await place.run('logout')).toMatchObject({ code: 0 });
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['shop']);
    const { code, err } = await place.run('orders', 'list', '--profile', 'default');
    expect(code).toBe(1);
    expect(err).toContain('store-orders login --profile default');
  });
});

test('Logins and logouts at once are all kept', async () => {
  await login('--profile', 'old');
  const run = (...args: readonly string[]) => {
    const program = start(args, place.folder, { XDG_CONFIG_HOME: place.folder });
    program.child.stdin?.end(service.key);
    return program;
  };
  const names = ['a', 'b', 'c', 'd'];
  const programs = [
    ...names.map((name) => run('login', '--url', service.address, '--profile', name)),
    run('logout', '--profile', 'old'),
  ];
  for (const program of programs) expect(await program.ended(), program.stderr).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).sort()).toEqual(names);
});

describe('A profile', () => {
  test('that is a pipe is not waited for', async () => {
    await login();
    rmSync(file);
    expect(spawnSync('mkfifo', ['-m', '600', file]).status).toBe(0);
    const { code, err } = await place.run('orders', 'list', '--profile', 'default');
    expect([code, err]).toEqual([1, `store-orders: ${file} cannot be read: it is not a file\n`]);
  });

  test('that is a folder is refused, and not for who can read it', async () => {
    mkdirSync(file, { recursive: true, mode: 0o755 });
    const { code, err } = await place.run('orders', 'list', '--profile', 'default');
    expect([code, err]).toEqual([1, `store-orders: ${file} cannot be read: it is not a file\n`]);
  });

  test('that others can read is refused', async () => {
    await login();
    chmodSync(file, 0o640);
    const { code, err } = await place.run('orders', 'list');
    expect(code).toBe(1);
    expect(err).toContain('others than its owner can read it: chmod 600');
    expect(await login()).toMatchObject({ code: 1 });
  });

  test('that is no JSON is refused by its name, and not repeated', async () => {
    await login();
    writeFileSync(file, '{"default": {"url": "http://x"}}');
    const { code, err } = await place.run('orders', 'list');
    expect([code, err]).toEqual([
      1,
      `store-orders: ${file} cannot be read: the profile default has no url or no key\n`,
    ]);
  });

  test.each([
    ['that others can read', () => chmodSync(file, 0o644), 'others than its owner can read it'],
    [
      'that is damaged',
      () => writeFileSync(file, '{"key":\n"sto_'),
      'cannot be read: it is not valid JSON',
    ],
  ])('%s ends no command that does without it', async (_, damage, reason) => {
    await login();
    damage();
    const own = { STORE_ORDERS_URL: service.address, STORE_ORDERS_KEY: service.key };
    const options = ['--url', service.address, '--key', service.key];
    expect(await place.run('orders', 'list', ...options)).toMatchObject({ code: 0 });
    const needed = await place.run('orders', 'list', ...options.slice(0, 2));
    expect([needed.code, needed.err]).toEqual([1, expect.stringContaining(reason)]);
    const config = await place.run('config');
    expect([config.code, config.err]).toEqual([1, expect.stringContaining(reason)]);
    expect(config.out).toContain('PORT\t');
    place.environment = { ...place.environment, ...own };
    expect(await place.run('orders', 'list')).toMatchObject({ code: 0 });
    const named = await place.run('orders', 'list', '--profile', 'default');
    expect([named.code, named.err]).toEqual([1, expect.stringContaining(reason)]);
    expect((await place.run('config')).out).toContain(`${service.address}\tenvironment\n`);
  });

  test('that cannot be kept is named by its file', async () => {
    place.environment = { XDG_CONFIG_HOME: '/proc' };
    const { code, err } = await login();
    const reason = "ENOENT: no such file or directory, mkdir '/proc/store-orders'";
    const kept = '/proc/store-orders/profiles.json';
    expect([code, err]).toEqual([1, `store-orders: ${kept} cannot be written: ${reason}\n`]);
  });

  test('has its key sent to its own address only', async () => {
    await login();
    const other = await place.run('orders', 'list', '--url', 'http://127.0.0.1:9');
    expect(other.code).toBe(1);
    expect(other.err).toContain('There is no API key for http://127.0.0.1:9');
    // The same service, with a version in the address.
    expect(await place.run('orders', 'list', '--url', `${service.address}/v1`)).toMatchObject({
      code: 0,
    });
  });

  test('gives way to options and to the environment, unless it is named', async () => {
    await login();
    place.environment = { ...place.environment, STORE_ORDERS_KEY: mintKeyText() };
    expect(await place.run('orders', 'list')).toMatchObject({ code: 5 });
    expect(await place.run('orders', 'list', '--profile', 'default')).toMatchObject({ code: 0 });
    expect(await place.run('orders', 'list', '--key', service.key)).toMatchObject({ code: 0 });
  });

  test('is shown by config, without the key', async () => {
    await login();
    const { out } = await place.run('config');
    const [, id] = service.key.split('_');
    expect(out).toContain(`STORE_ORDERS_URL\t${service.address}\tprofile default\n`);
    expect(out).toContain(`STORE_ORDERS_KEY\tsto_${id}_…\tprofile default\n`);
  });
});
