import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { placeOrder } from '../support/one-service.ts';
import { addressOf, newFolder, Program, Service, start } from '../support/service.ts';

/** The behaviour of the command line when its output is not read to the end. */

const ORDERS = 5_000;

let service: Service;

beforeAll(async () => {
  service = await Service.start();
  for (let n = 0; n < 3; n++) {
    const id = await placeOrder(service);
    await service.ask('DELETE', `/v1/store/orders/${id}`);
    await service.ask('DELETE', `/v1/store/orders/${id}`, { headers: { Authorization: 'none' } });
  }
  const lines = Array.from({ length: ORDERS }, (_, n) => `${n},7,1`);
  writeFileSync(join(service.folder, 'orders.csv'), `id,petId,quantity\n${lines.join('\n')}\n`);
  const program = start(['import', 'orders.csv'], service.folder);
  expect(await program.ended(), program.stderr).toBe(0);
  return () => service[Symbol.asyncDispose]();
});

/** One command for each way of writing output; by day one that streams, and one that waits. */
const COMMANDS = [
  '--help',
  'audit show 1 --json',
  'audit refusals --json',
  'audit export',
  'keys list',
  'replay --format csv',
  'verify',
  'conformance $URL --runs 1 --read-only',
];

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let runs = 0;

/**
 * Runs a command in a shell with the given redirection, and returns the command's own exit code.
 */
async function run(command: string, followedBy = ''): Promise<Ran> {
  const code = join(service.folder, `code-${++runs}`);
  const program = `"${process.execPath}" "${resolve('dist/main.js')}" ${command}`;
  const line = `{ ${program}; echo $? > ${code}; } ${followedBy}`;
  const env = { STORE_ORDERS_KEY: service.key, URL: `${service.address}/v1` };
  const shell = new Program('sh', ['-c', line], service.folder, env);
  expect(await shell.ended()).toBe(0);
  const { stdout: out, stderr: err } = shell;
  return { code: Number(readFileSync(code, 'utf8')), out, err };
}

/** Returns the messages of a run without its progress, which varies. */
function told(err: string): string {
  return err.replaceAll(/^\w+: \d+ %.*\n/gm, '').replaceAll(/(?<=key )\w+|[\d.,]*\d/g, 'N');
}

describe.each(COMMANDS.filter((_, index) => isNightly || index % 4 === 3))('%s', (command) => {
  let read: Ran;

  beforeAll(async () => {
    read = await run(command);
  });

  it('ends with the same exit code if its reader disconnects', async () => {
    const gone = await Promise.all([
      run(command, '| head -n 1 > first-line'),
      // The reader is gone before the first output.
      run(command, '| true'),
    ]);
    const expected = { code: read.code, err: told(read.err) };
    for (const { code, err } of gone) expect({ code, err: told(err) }).toEqual(expected);
    const unheard = await run(command, '2>&1 | true');
    expect(unheard).toEqual({ code: read.code, out: '', err: '' });
  });

  it('reports a full disk', async () => {
    const [full, mute] = await Promise.all([
      run(command, '> /dev/full'),
      run(command, '2> /dev/full'),
    ]);
    expect(told(full.err)).toBe(told(read.err) + (read.out === '' ? '' : FULL));
    expect(full.code).toBe(read.out === '' ? read.code : read.code || 1);
    // Progress is printed by slow runs only.
    const mayBeSilent = told(read.err) === '';
    expect(mayBeSilent ? [read.code, read.code || 1] : [read.code || 1]).toContain(mute.code);
  });
});

const FULL =
  'store-orders: standard output cannot be written: ENOSPC: no space left on device, write\n';

it('replay --watch ends if its reader disconnects', async () => {
  // The whole log would take a quarter of an hour.
  const { code, err } = await run('replay --watch --speed 5/s', '| head -n 1 > first-line');
  expect(code).toBe(0);
  expect(err).toMatch(/^Played up to position [23] of \d+\.\n$/);
});

it('The service keeps running if nobody reads its standard error', async () => {
  await using program = start(['serve'], newFolder(), { PORT: '0' });
  program.child.stderr?.destroy();
  const address = await addressOf(program);
  // The messages on standard error follow the log line with the address.
  for (let n = 0; n < 20; n++) {
    expect((await ask(address, 'GET', '/readyz')).status).toBe(200);
    await setTimeout(10);
  }
  expect(await program.end('SIGTERM')).toBe(0);
});
