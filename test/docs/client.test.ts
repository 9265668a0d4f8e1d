import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, StoreOrders } from '../../src/client/client.ts';
import { serverCodeOf } from '../../src/client/error.ts';
import { DEFAULTS } from '../../src/client/options.ts';
import { MAX_PAGE_ITEMS } from '../../src/client/paged.ts';
import { isPassing, leavesOpen } from '../../src/client/retry-policy.ts';
import { ERRORS } from '../../src/http/api-error.ts';
import { V2 } from '../../src/http/operations/v2.ts';
import { MAX_LIMIT } from '../../src/http/requests/parameters.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Service } from '../support/service.ts';
import { blocksOf, tableOf } from './markdown.ts';

const PAGE = 'docs/client.md';
const RETRIES = tableOf(PAGE, 'code | sent again | a command may have been carried out');
const CLIENT_CODES = tableOf(PAGE, 'code of the client | what has happened').map(([code]) => code);

/** Returns the statuses that a code can come with. */
function statusesOf(code: string): readonly (number | undefined)[] {
  if (code === 'unexpected_response') return [200, 307, 404, 429, 500, 502, 503, 504];
  if (code === 'invalid_request') return [400, 408, 431];
  return [ERRORS[code as keyof typeof ERRORS]?.[0]];
}

describe('The codes of the client', () => {
  test('are its own and exactly those of the API', () => {
    const codes = RETRIES.map(([code]) => code);
    expect(codes).toEqual([...CLIENT_CODES, ...Object.keys(ERRORS)]);
    for (const code of Object.keys(ERRORS)) expect(serverCodeOf(code)).toBe(code);
    for (const code of [...CLIENT_CODES, 'teapot']) expect(serverCodeOf(code)).toBeUndefined();
  });

  test('are sent again as the table says', () => {
    const told = RETRIES.map(([code = '']) => {
      const statuses = statusesOf(code);
      const again = statuses.filter((status) => isPassing({ code: code as ErrorCode, status }));
      if (again.length === statuses.length) return 'yes';
      return again.length === 0
        ? 'no'
        : `with ${again.join(', ').replace(/, (\d+)$/, ' and $1')} only`;
    });
    expect(told).toEqual(RETRIES.map(([, again]) => again));
  });

  test('leave a command open as the table says', () => {
    const told = RETRIES.map(([code]) => (leavesOpen(code as ErrorCode) ? 'yes' : 'no'));
    expect(told).toEqual(RETRIES.map(([, , open]) => open));
  });
});

test('The largest page of the client is that of the API', () => {
  expect(MAX_PAGE_ITEMS).toBe(MAX_LIMIT);
});

test('The table of operations lists each one of version 2, with a method that exists or the reason for none', () => {
  const told = tableOf(PAGE, 'operation of version 2 | method');
  expect(told.map(([id]) => id)).toEqual(V2.map(({ operationId }) => operationId));
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key' });
  for (const [, cell = ''] of told) {
    if (cell.startsWith('none: ')) continue;
    for (const name of cell.replaceAll('`', '').split(', ')) {
      const [method = '', inner] = name.split('.');
      const owner = inner === undefined ? store : Reflect.get(store, method);
      expect(Reflect.get(owner, inner ?? method), name).toBeInstanceOf(Function);
    }
  }
});

test('The table of options has the real defaults', () => {
  const rows = tableOf(PAGE, 'option | default | what it is');
  const defaults = rows.flatMap(([name = '', value = '']) => {
    return name in DEFAULTS ? [[name, Number(value.replaceAll(',', ''))]] : [];
  });
  expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
});

test('The first lines of the README run', async () => {
  await using service = await Service.start();
  const [block] = blocksOf('README.md').filter(({ language }) => language === 'js');
  expect(block?.text).toContain("from 'store-orders/client'");
  const folder = temporaryFolder();
  for (const name of ['package.json', 'dist']) symlinkSync(resolve(name), join(folder, name));
  const program = block?.text.replace('http://127.0.0.1:3000', service.address) ?? '';
  writeFileSync(join(folder, 'first.mjs'), program);
  const env = { ...process.env, STORE_ORDERS_KEY: service.key };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['first.mjs'], { cwd: folder, env });
  expect(stdout).toBe('1 9007199254740993\n');
});
