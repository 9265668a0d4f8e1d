import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { type Asked, ask } from '../support/http.ts';
import { partByDay } from '../support/nightly.ts';
import { addressOf, bearer, newFolder, Program } from '../support/service.ts';
import { honestStore } from '../support/tampering.ts';

const key = mintKeyText();
const environment = { PORT: '0', INITIAL_API_KEY: key };

/** Starts a command of a build, on the store in a folder. */
function start(build: string, args: readonly string[], folder: string): Program {
  return new Program(process.execPath, [join(build, 'dist/main.js'), ...args], folder, environment);
}

/** Copies the build, without the folder of the fast path. */
function buildWithoutFastPath(): string {
  const build = newFolder();
  cpSync('dist', join(build, 'dist'), { recursive: true });
  copyFileSync('package.json', join(build, 'package.json'));
  symlinkSync(resolve('node_modules'), join(build, 'node_modules'));
  const fast = join(build, 'dist/infra/events/fast');
  expect(existsSync(fast)).toBe(true);
  rmSync(fast, { recursive: true });
  return build;
}

async function listOf(build: string, folder: string) {
  rmSync(join(folder, 'data/store-orders.db-snapshot'), { force: true });
  await using program = start(build, ['serve'], folder);
  const { body, headers } = await ask(await addressOf(program), 'GET', '/v1/store/orders', {
    headers: bearer(key),
  });
  expect(await program.end()).toBe(0);
  return { body: body.toString(), etag: headers.etag };
}

async function outputOf(build: string, args: readonly string[], folder: string) {
  await using program = start(build, args, folder);
  expect(await program.ended()).toBe(0);
  return program.stdout;
}

async function record(build: string, folder: string): Promise<void> {
  await using program = start(build, ['serve'], folder);
  const address = await addressOf(program);
  const send = (method: string, path: string, body?: string) => {
    const headers = { ...bearer(key), ...(body && { 'Content-Type': 'application/json' }) };
    const asked: Asked = body === undefined ? { headers } : { headers, body };
    return ask(address, method, path, asked);
  };
  for (let id = 1; id <= 20; id++) {
    const order = `{"petId":7,"quantity":${id},"shipDate":"2026-03-02T00:00:00Z"}`;
    expect((await send('POST', '/v1/store/orders', order)).status).toBeLessThan(300);
  }
  for (const id of [3, 5]) {
    expect((await send('DELETE', `/v1/store/orders/${id}`)).status).toBe(204);
  }
  expect(await program.end()).toBe(0);
}

describe('A build from which dist/infra/events/fast was deleted', () => {
  it('records, starts, replays and verifies as the whole build does', async () => {
    const [whole, without] = [resolve('.'), buildWithoutFastPath()];
    const folder = newFolder();
    await record(without, folder);
    const expected = await listOf(whole, folder);
    expect(JSON.parse(expected.body)).toHaveLength(20);
    expect(await listOf(without, folder)).toStrictEqual(expected);
    const commands = [['verify'], ['replay'], ['replay', '--to', '21', '--format', 'csv']];
    for (const args of partByDay(commands, 2)) {
      expect(await outputOf(without, args, folder)).toBe(await outputOf(whole, args, folder));
    }
  });

  it('does not hide other errors of the folder', async () => {
    const build = buildWithoutFastPath();
    const file = join(build, 'dist/infra/events/fast/fast-path.js');
    cpSync('dist/infra/events/fast', join(build, 'dist/infra/events/fast'), { recursive: true });
    rmSync(file);
    cpSync('package.json', file);
    expect(readFileSync(file, 'utf8')).toContain('"name"');
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    await honestStore(join(folder, 'data/store-orders.db'));
    await using program = start(build, ['verify'], folder);
    expect(await program.ended()).not.toBe(0);
  });
});
