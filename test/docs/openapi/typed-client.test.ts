import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { Service } from '../../support/service.ts';

const CLIENT = resolve('test/client');
const GENERATED = join(CLIENT, 'generated');
const run = promisify(execFile);

// Beside the client, so that packages resolve as in a client's project.
mkdirSync(GENERATED, { recursive: true });
afterAll(() => rmSync(GENERATED, { recursive: true, force: true }));

test('Types generated from the descriptions compile, and a client that uses them works', async () => {
  const bin = (name: string) => join(CLIENT, 'node_modules', '.bin', name);
  for (const version of ['v1', 'v2']) {
    const file = join(GENERATED, `${version}.d.ts`);
    await run(bin('openapi-typescript'), [`docs/openapi-${version}.json`, '--output', file]);
  }
  // The compiler reports errors on standard output: show them.
  const compile = run(bin('tsc'), ['-p', CLIENT]);
  expect(
    await compile.then(
      () => '',
      ({ stdout }) => stdout,
    ),
  ).toBe('');

  await using service = await Service.start();
  const client = [join(CLIENT, 'client.ts'), service.address, service.key];
  const { stdout } = await run(process.execPath, client);
  expect(JSON.parse(stdout)).toEqual({
    shipped: 'shipped',
    remedy: 'too late',
    pending: ['8', '9'],
    all: 3,
    early: [1, ['pending']],
    wrong: 'unauthorized',
  });
});
