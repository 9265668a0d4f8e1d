import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { freePort } from '../support/free-port.ts';
import { expectError } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { bearer, newFolder, Program, Service, start } from '../support/service.ts';
import { canMount, limitFiles, SmallDisk } from '../support/small-disk.ts';
import { honestStore } from '../support/tampering.ts';
import { untilReady } from '../support/until-ready.ts';

const LIST = '/v1/store/orders';
const ORDER = { petId: 7, quantity: 1 };
/** So many large events are more than the size at which a -wal file is copied into the store's. */
const EVENTS = 6_000;
/** Far above the time in which a busy machine places the orders that fill a -wal file. */
const PATIENCE_MS = 150_000;

/** Starts a service whose store is on a small disk of its own. */
async function onSmallDisk(kibibytes = 2_048) {
  const disk = new SmallDisk(kibibytes);
  const file = join(disk.folder, 'store.db');
  const env = { DATABASE_URL: `sqlite:${file}` };
  const service = await Service.start(env);
  return { disk, file, env, service };
}

/** Places an order, and returns its id or the code of the error. */
async function place(service: Service): Promise<string> {
  const { status, text, headers } = await service.send('POST', LIST, ORDER);
  return status === 201 ? String(headers.location).slice(LIST.length + 1) : JSON.parse(text).code;
}

async function placeUntil(service: Service, outcome: string | RegExp): Promise<string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const code = await place(service);
    if (/^\d+$/.test(code)) acknowledged.push(code);
    if (new RegExp(outcome).test(code)) return acknowledged;
    expect(code).toMatch(/^(\d+|service_unavailable)$/);
  }
}

async function listed(service: Service): Promise<string[]> {
  const { status, text } = await service.ask('GET', LIST);
  expect(status).toBe(200);
  return (JSON.parse(text) as { id: number }[]).map(({ id }) => String(id));
}

describe.skipIf(!canMount)('On a full disk (needs a right to mount)', () => {
  it('reads are served, commands change nothing, /readyz names the reason; it recovers', async () => {
    const { disk, env, service } = await onSmallDisk();
    await using _ = service;
    const before = [await place(service), await place(service)];
    disk.fill();
    before.push(...(await placeUntil(service, 'service_unavailable')));
    for (let again = 0; again < 20; again++) {
      const answer = await service.send('POST', LIST, ORDER);
      expectError(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).toMatch(/^[1-4]$/);
    }
    expectError(await service.ask('DELETE', `${LIST}/1`), 503, 'service_unavailable');
    expect(await untilReady(service, 503)).toContain('its disk is full (storage_full)');
    expect(await listed(service)).toEqual(before);
    expect((await service.ask('GET', `${LIST}/1`)).status).toBe(200);
    expect((await service.ask('GET', '/v1/store/orders/1/events')).status).toBe(200);
    disk.free();
    await untilReady(service, 200);
    before.push(await place(service));
    expect(await listed(service)).toEqual(before);
    expect(service.program.child.exitCode).toBe(null);
    await service.program.end().then(() => service.start(env));
    expect(await listed(service)).toEqual(before);
  });
});

it('A file size limit (RLIMIT_FSIZE) has the same effects', async () => {
  await using service = await Service.start();
  const before = [await place(service), await place(service)];
  limitFiles(service.program.child.pid as number, 1);
  for (let again = 0; again < 5; again++) {
    expectError(await service.send('POST', LIST, ORDER), 503, 'service_unavailable');
  }
  expect(await untilReady(service, 503)).toMatch(/\(storage_(failing|full)\)/);
  expect(await listed(service)).toEqual(before);
  limitFiles(service.program.child.pid as number, 'unlimited');
  await untilReady(service, 200);
  before.push(await place(service));
  await service.restart('SIGKILL');
  expect(await listed(service)).toEqual(before);
});

describe.skipIf(!canMount)('On a disk that becomes read-only (needs a right to mount)', () => {
  it('reads are served, a start works, a new first key is not unknown, and the service recovers', async () => {
    const { disk, env, service } = await onSmallDisk();
    await using _ = service;
    const before = [await place(service), await place(service)];
    // Open files prevent a read-only remount.
    await service.program.end('SIGKILL');
    disk.remount('ro');
    const key = mintKeyText();
    await service.start({ ...env, INITIAL_API_KEY: key });
    const ask = (text: string) => service.ask('GET', LIST, { headers: bearer(text) });
    expectError(await ask(key), 503, 'service_unavailable');
    expectError(await ask(mintKeyText()), 401, 'unauthorized');
    expect(await listed(service)).toEqual(before);
    expectError(await service.send('POST', LIST, ORDER), 503, 'service_unavailable');
    expect(await untilReady(service, 503)).toContain('(storage_failing)');
    disk.remount('rw');
    await untilReady(service, 200);
    await expect.poll(async () => (await ask(key)).status).toBe(200);
    before.push(await place(service));
    expect(await listed(service)).toEqual(before);
  });
});

describe.skipIf(!canMount)('Files on a full disk (needs a right to mount)', () => {
  it('the log continues when there is space again', async () => {
    const disk = new SmallDisk(256);
    const PORT = String(await freePort());
    const { PATH = '' } = process.env;
    const log = join(disk.folder, 'log');
    const command = `exec '${process.execPath}' '${resolve('dist/main.js')}' serve > '${log}'`;
    disk.fill();
    await using service = new Service();
    await using program = new Program('sh', ['-c', command], service.folder, { PATH, PORT });
    await program.until(({ stderr }) => (stderr.includes(PORT) ? true : undefined));
    service.program = program;
    service.address = `http://127.0.0.1:${PORT}`;
    await untilReady(service, 200);
    disk.free();
    while (!readFileSync(log, 'utf8').includes('/livez')) {
      await service.ask('GET', '/livez');
      await setTimeout(50);
    }
  });

  it.each(isNightly ? [4, 8, 16, 32, 48, 96] : [48])(
    'a first start says that no store can be made, and the next one with space makes it: %i KiB',
    async (kibibytes) => {
      const disk = new SmallDisk(kibibytes);
      const env = { DATABASE_URL: `sqlite:${join(disk.folder, 'store.db')}` };
      await using program = start(['serve'], disk.folder, { ...env, PORT: '0' });
      expect(await program.ended()).toBe(1);
      expect(program.stderr).toMatch(
        /^store-orders: There is no store yet, and none can be made: \S+ cannot be opened: .*\.\n$/,
      );
      disk.resize(2_048);
      await using service = await Service.start(env);
      expect(await place(service)).toBe('1');
    },
  );

  it('a command says that the disk is full, also one that only reads', async () => {
    const disk = new SmallDisk(2_048);
    const env = { DATABASE_URL: `sqlite:${await honestStore(join(disk.folder, 'store.db'))}` };
    disk.fill();
    for (const args of [
      ['keys', 'list'],
      ['audit', 'checkpoint'],
    ]) {
      await using program = start(args, disk.folder, env);
      expect(await program.ended(), args.join(' ')).toBe(1);
      expect(program.stderr).toMatch(/store\.db cannot be opened: .*\. The disk is full\.\n$/);
    }
    disk.free();
    await using program = start(['keys', 'list'], disk.folder, env);
    expect(await program.ended()).toBe(0);
  });

  it('a command that fills the disk names the file, and can be run again with more space', async () => {
    const disk = new SmallDisk(1_024);
    const folder = newFolder();
    const lines = Array.from({ length: 10_000 }, (_, index) => `${index + 1},7,1\n`);
    const orders = join(folder, 'orders.csv');
    writeFileSync(orders, `id,petId,quantity\n${lines.join('')}`);
    const file = join(disk.folder, 'store.db');
    const made = join(disk.folder, 'made.db');
    const copy = join(disk.folder, 'copy.db');
    const full = (path: string) =>
      `store-orders: ${path} cannot be used: database or disk is full (SQLITE_FULL).\n`;
    const ran = async (args: readonly string[], path: string) => {
      await using program = start(args, folder, { DATABASE_URL: `sqlite:${path}` });
      return { code: await program.ended(), err: program.stderr };
    };

    expect(await ran(['import', orders], file)).toMatchObject({
      code: 1,
      err: expect.stringContaining(full(file)),
    });
    disk.resize(8_192);
    expect(await ran(['import', orders], file)).toMatchObject({ code: 0 });
    const trail = join(folder, 'trail');
    expect(await ran(['audit', 'export', '--out', trail], file)).toMatchObject({ code: 0 });

    disk.fill(512);
    const importing = await ran(['audit', 'import', trail, '--unsigned'], made);
    expect(importing).toMatchObject({ code: 1, err: expect.stringContaining(full(made)) });
    for (const name of readdirSync(disk.folder)) {
      if (name.startsWith('made.db')) rmSync(join(disk.folder, name));
    }
    const copying = ['migrate-store', '--from', `sqlite:${file}`, '--to', `sqlite:${copy}`];
    expect(await ran(copying, file)).toMatchObject({
      code: 1,
      err: expect.stringContaining(full(copy)),
    });
    disk.free();
    expect(await ran(copying, file)).toMatchObject({ code: 0 });
  });

  it('a backup that cannot be completed leaves no file, and reports it', async () => {
    const disk = new SmallDisk(16);
    const store = await honestStore();
    const copy = join(disk.folder, 'copy.db');
    await using program = start(['backup', copy], newFolder(), { DATABASE_URL: `sqlite:${store}` });
    expect(await program.ended()).toBe(1);
    expect(program.stderr).toContain(`${copy} cannot be written: database or disk is full`);
    expect(existsSync(copy)).toBe(false);
  });
});

describe('A checkpoint that fails', () => {
  it('is logged, and so is its recovery; nothing is lost', async () => {
    await using service = new Service();
    mkdirSync(dirname(service.databaseFile));
    await honestStore(service.databaseFile, 7n, EVENTS, 'x'.repeat(1_000));
    await service.start();
    const before = (await listed(service)).length;
    const { size } = statSync(service.databaseFile);
    // The store's file cannot grow; the -wal file can until it has the same size.
    expect(size).toBeGreaterThan(5_000_000);
    const pid = service.program.child.pid as number;
    limitFiles(pid, size);
    const said = (text: string) => service.program.log.find(({ msg }) => msg === text);
    let placed = 0;
    const until = performance.now() + PATIENCE_MS;
    while (
      said('a checkpoint of the -wal file failed') === undefined &&
      performance.now() < until
    ) {
      // A few at a time: each commit adds pages to the -wal file, however little is in it.
      const codes = await Promise.all(Array.from({ length: 4 }, () => place(service)));
      placed += codes.filter((code) => /^\d+$/.test(code)).length;
    }
    expect(said('a checkpoint of the -wal file failed')).toMatchObject({ level: 40, failed: 1 });
    limitFiles(pid, 'unlimited');
    await service.program.until(() => said('checkpoints of the -wal file work again'));
    expect(await listed(service)).toHaveLength(before + placed);
  });
});

describe.skipIf(!canMount)('A start on a full disk (needs a right to mount)', () => {
  const kinds: [string, NodeJS.Signals, 'with' | 'without'][] = [
    ['a clean stop', 'SIGTERM', 'with'],
    ['a kill', 'SIGKILL', 'with'],
    ['a copy of the store, its head and its signing key', 'SIGTERM', 'without'],
  ];

  // By day not after a clean stop: what a copy lacks beyond it makes a start harder.
  it.each(kinds.slice(isNightly ? 0 : 1))(
    'after %s serves reads, and takes commands when there is space again',
    async (_, signal, beside) => {
      const { disk, env, service } = await onSmallDisk();
      await using _service = service;
      const before = [await place(service), await place(service)];
      await service.program.end(signal);
      if (beside === 'without') {
        for (const name of readdirSync(disk.folder)) {
          if (!/\.db(-head|-signing-key)?$/.test(name)) rmSync(join(disk.folder, name));
        }
      }
      disk.fill();
      await service.start(env);
      expect(await listed(service)).toEqual(before);
      expect(await place(service)).toMatch(/^(3|service_unavailable)$/);
      const now = await listed(service);
      if (now.length === 2) expect(await untilReady(service, 503)).toContain('storage_full');
      disk.free();
      await untilReady(service, 200);
      now.push(await place(service));
      expect(await listed(service)).toEqual(now);
      expect(await service.program.end()).toBe(0);
    },
  );
});
