import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { ask, expectError } from '../support/http.ts';
import { addressOf, bearer, newFolder, Service, start } from '../support/service.ts';

const KEY = /sto_\w+/;
const LIST = '/v1/store/orders';

/** Runs the service, which must end by itself. */
async function refused(env: Record<string, string>, folder = newFolder()) {
  await using program = start(['serve'], folder, { PORT: '0', ...env });
  const code = await program.ended();
  return { code, stdout: program.stdout, lines: program.stderr.trimEnd().split('\n'), folder };
}

function list(address: string, key: string) {
  return ask(address, 'GET', LIST, { headers: bearer(key) });
}

describe('The first start', () => {
  it('prints an API key once, and a command that works in a shell', async () => {
    const folder = newFolder();
    await using program = start(['serve'], folder, { PORT: '0' });
    await addressOf(program);
    const welcome = await program.until(({ stderr }) =>
      stderr.includes('--help') ? stderr : undefined,
    );
    const commands = welcome.split('\n').filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(1);
    const pasted = ['-c', `${commands[0]} --silent --max-time 10`];
    const { stdout } = await promisify(execFile)('bash', pasted);
    expect(stdout).toBe('{"id":1,"petId":7,"quantity":1,"complete":false}');
    expect(program.stdout).not.toMatch(KEY);

    await program.end();
    await using later = start(['serve'], folder, { PORT: '0' });
    const address = await addressOf(later);
    await later.end();
    expect(later.stderr).toBe(
      `Store Orders answers at ${address}/v1\nRead about it and try it: ${address}/docs\n` +
        `Look at its orders in a browser: ${address}/console\n`,
    );
    expect(later.stdout).not.toMatch(KEY);
  });

  it('creates files that only their owner may read, and with INITIAL_API_KEY accepts that key, and no other', async () => {
    await using service = await Service.start();
    const data = join(service.folder, 'data');
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const files = readdirSync(data);
    expect(files).toContain('store-orders.db');
    for (const file of files) expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    expect((await list(service.address, service.key)).status).toBe(200);
    await service.program.end();
    expect(service.program.stdout + service.program.stderr).not.toMatch(KEY);
    // Later starts need the variable no more.
    await service.start({ INITIAL_API_KEY: '' });
    expect((await list(service.address, service.key)).status).toBe(200);
    expectError(await list(service.address, mintKeyText()), 401, 'unauthorized');
  });

  it('creates no key if its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const { code, stdout, lines, folder } = await refused({ PORT: String(port) });
    taken.close();
    expect(code).toBe(1);
    expect(lines).toStrictEqual([
      `store-orders: cannot listen on 127.0.0.1, port ${port}: another program is listening there`,
    ]);
    expect(stdout).not.toContain('"level":60');

    await using program = start(['serve'], folder, { PORT: '0' });
    const address = await addressOf(program);
    const key = await program.until(({ stderr }) => KEY.exec(stderr)?.[0]);
    expect((await list(address, key)).status).toBe(200);
  });
});

describe('Mistakes in the configuration', () => {
  it('are all reported, one a line, and nothing is created', async () => {
    const { code, stdout, lines, folder } = await refused({
      PORT: '70000',
      DATABASE_URL: 'mysql://localhost/orders',
      BASE_URL: 'https://api.example.com/v2',
      STAGING_BASE_URL: 'ftp://staging.example.com/v1',
      LOG_LEVEL: 'loud',
      INITIAL_API_KEY: 'sto_nonsense',
    });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(lines.map((line) => /^store-orders: (\w+) \S/.exec(line)?.[1])).toStrictEqual([
      'PORT',
      'DATABASE_URL',
      'BASE_URL',
      'STAGING_BASE_URL',
      'LOG_LEVEL',
      'INITIAL_API_KEY',
    ]);
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  it('such as an unknown host end the start with one line', async () => {
    const { code, lines } = await refused({ HOST: '192.0.2.1' });
    expect(code).toBe(1);
    expect(lines).toStrictEqual([
      expect.stringMatching(/^store-orders: cannot listen on 192\.0\.2\.1, port 0: /),
    ]);
  });
});

describe('.env', () => {
  it('is read from the current folder', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), 'PORT=0\nDATABASE_URL=sqlite:./elsewhere/orders.db\n');
    await using program = start(['serve'], folder);
    await addressOf(program);
    expect(existsSync(join(folder, 'elsewhere', 'orders.db'))).toBe(true);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('is overridden by the environment', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), 'PORT=none\nLOG_LEVEL=fatal\n');
    await using program = start(['serve'], folder, { PORT: '0', LOG_LEVEL: 'info' });
    expect(await addressOf(program)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('is refused for a line that sets nothing, before there is a store', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), '\uFEFFLOG_LEVEL=info\nPORT : 4000\n');
    expect(await refused({}, folder)).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^store-orders: \.env, line 2: a line must be NAME=VALUE/)],
    });
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('is checked for the same mistakes', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), 'LOG_LEVEL=loud\n');
    expect(await refused({}, folder)).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^store-orders: LOG_LEVEL /)],
    });
  });
});

it('HOST=::1 is printed with brackets, as in a URL', async ({ skip }) => {
  const { networkInterfaces } = await import('node:os');
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (!addresses.some(({ address }) => address === '::1')) skip('this machine has no IPv6');
  await using service = await Service.start({ HOST: '::1' });
  expect(service.address).toMatch(/^http:\/\/\[::1\]:\d+$/);
});
