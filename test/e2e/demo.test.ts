import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { SCOPES } from '../../src/app/ports/key-store.ts';
import type { OrderEvent } from '../../src/client/client.ts';
import { ask } from '../support/http.ts';
import { addressOf, bearer, newFolder, Program, start } from '../support/service.ts';

it('The demo serves a year of orders, in a log that verifies, and leaves no file behind', async () => {
  const folder = newFolder();
  const TMPDIR = join(folder, 'tmp');
  mkdirSync(TMPDIR);
  const SIGNING_KEY_FILE = join(folder, 'signing-key');
  const given = `${NoteSigner.generate('store-orders/0011223344556677').privateKey()}\n`;
  writeFileSync(SIGNING_KEY_FILE, given);
  await using program = start(['demo'], folder, { PORT: '0', TMPDIR, SIGNING_KEY_FILE });
  const address = await addressOf(program);
  // It never signs with the key of a store that may be real.
  const { text: publicKey } = await ask(address, 'GET', '/public-key');
  expect(publicKey).not.toBe(`${NoteSigner.parse(given.trimEnd()).verifierKey}\n`);
  const key = await program.until(({ stderr }) => /sto_\w+(?=\n)/.exec(stderr)?.[0]);
  expect(program.stderr).toContain(`${address}/console\n`);
  const [made = ''] = readdirSync(TMPDIR);
  expect(readdirSync(TMPDIR)).toHaveLength(1);

  const get = async (path: string) => {
    const { status, text } = await ask(address, 'GET', path, { headers: bearer(key) });
    expect(status).toBe(200);
    return JSON.parse(text);
  };
  const { asOf, orders, lastEventAt } = await get('/v2/store/summary');
  expect(orders.total).toBeGreaterThan(2_000);
  expect(Math.min(orders.pending, orders.shipped, orders.cancelled)).toBeGreaterThan(50);
  expect(Date.now() - Date.parse(lastEventAt)).toBeLessThan(10 * 60_000);
  const [first] = await get('/v2/store/events?limit=1');
  expect(Date.now() - Date.parse(first.time)).toBeGreaterThan(360 * 86_400_000);
  const names = (await get('/v2/store/events?limit=1000')).map(
    (event: OrderEvent) => event.keyname,
  );
  expect(new Set(names).size).toBeGreaterThan(5);
  expect((await get('/v2/key')).scopes).toEqual(SCOPES);

  await using verify = start(['verify'], folder, {
    DATABASE_URL: `sqlite:${join(TMPDIR, made, 'demo.db')}`,
  });
  expect(await verify.ended()).toBe(0);
  expect(verify.stdout).toContain(String(asOf));

  expect(await program.end('SIGINT')).toBe(0);
  expect(readdirSync(TMPDIR)).toStrictEqual([]);
  expect(readdirSync(folder).sort()).toStrictEqual(['signing-key', 'tmp']);
});

it('A demo that cannot start leaves no file behind', async () => {
  const folder = newFolder();
  const TMPDIR = join(folder, 'tmp');
  mkdirSync(TMPDIR);
  await using program = start(['demo'], folder, { PORT: 'none', TMPDIR });
  expect(await program.ended()).toBe(1);
  expect(readdirSync(TMPDIR)).toStrictEqual([]);
});

/** Returns a Node.js on this machine that is too old, if there is one. */
function oldNode(): string | undefined {
  const folders = new Set(['/usr/local/bin', '/usr/bin', ...(process.env.PATH ?? '').split(':')]);
  return [...folders]
    .map((folder) => join(folder, 'node'))
    .find((node) => {
      try {
        return Number(execFileSync(node, ['-p', 'process.versions.napi'], { stdio: 'pipe' })) < 10;
      } catch {
        return false;
      }
    });
}

it('A Node.js that is too old is refused with one sentence', async ({ skip }) => {
  const node = oldNode();
  if (node === undefined) return skip('there is no old Node.js on this machine');
  await using program = new Program(node, [resolve('dist/main.js'), 'serve'], newFolder(), {});
  expect(await program.ended()).toBe(1);
  expect(program.stdout).toBe('');
  expect(program.stderr).toMatch(/^store-orders needs Node\.js 24 [^\n]*runs on v\d[^\n]*\n$/);
});
