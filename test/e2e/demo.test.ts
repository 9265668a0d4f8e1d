import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ask, expectError } from '../support/http.ts';
import { addressOf, bearer, newFolder, Program, start } from '../support/service.ts';

const LIST = '/v1/store/orders';

it('The demo serves orders in every state, and leaves no file behind', async () => {
  const folder = newFolder();
  const TMPDIR = join(folder, 'tmp');
  mkdirSync(TMPDIR);
  await using program = start(['demo'], folder, { PORT: '0', TMPDIR });
  const address = await addressOf(program);
  const key = await program.until(({ stderr }) => /sto_\w+(?=\n)/.exec(stderr)?.[0]);
  expect(readdirSync(TMPDIR)).toHaveLength(1);

  const headers = bearer(key);
  const list = await ask(address, 'GET', LIST, { headers });
  const orders = JSON.parse(list.text) as { id: number; complete: boolean; shipDate?: string }[];
  expect(orders.length).toBeGreaterThan(10);
  expect(orders.some(({ shipDate }) => shipDate === undefined)).toBe(true);
  const shipped = orders.find(({ complete }) => complete);
  const shippedToo = await ask(address, 'DELETE', `${LIST}/${shipped?.id}`, { headers });
  expectError(shippedToo, 409, 'order_already_shipped');
  // The list of version 1 does not distinguish pending from cancelled orders; shipping does.
  const codes = new Set<string>();
  for (const { id, complete } of orders) {
    if (complete) continue;
    const answer = await ask(address, 'PUT', `${LIST}/${id}/shipment`, {
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"shipDate": "2026-01-01T00:00:00Z"}',
    });
    codes.add(answer.status === 200 ? 'pending' : JSON.parse(answer.text).code);
  }
  expect(codes).toStrictEqual(new Set(['pending', 'order_cancelled']));

  expect(await program.end('SIGINT')).toBe(0);
  expect(readdirSync(TMPDIR)).toStrictEqual([]);
  expect(readdirSync(folder)).toStrictEqual(['tmp']);
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
