import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsOf, SnapshotReader } from '../../src/infra/snapshot/snapshot-layout.ts';
import { openDatabase } from '../../src/infra/sqlite/database.ts';
import { openLog } from '../../src/infra/sqlite/event-log.ts';
import { Beside } from '../support/beside.ts';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { type Environment, newFolder, Service, start } from '../support/service.ts';

const LIST = '/v1/store/orders';
/** A number of orders for which a stop writes a snapshot. */
const ORDERS = 51_000;
/** A snapshot is renewed for this many new events. */
const NEW_EVENTS = 50_000;
/** A renewal gets what processors have left. */
const RENEWAL_MS = 200_000;
const KILLS = isNightly ? 5 : 2;
/** The time in which a snapshot of that many orders is written, and more. */
const MAX_WRITE_MS = 400;

/** Makes a snapshot of the same contents, as somebody can who has another key. */
function sealAnew(file: string, key: Uint8Array): void {
  const fd = openSync(file, 'r');
  const value = SnapshotReader.open(fd)?.whole();
  closeSync(fd);
  rmSync(file);
  for (const part of partsOf(value, key)) appendFileSync(file, part as Uint8Array);
}

/** A store with that many orders, which is made once, and then copied. */
const made = join(newFolder(), 'store.db');

beforeAll(async () => {
  await openLog(made, openDatabase(made)).close();
  await using beside = new Beside(made);
  await beside.place(Array.from({ length: ORDERS }, (_, index) => ({ id: BigInt(index + 1) })));
});

/** Puts the store where a service that is not started yet will find it. */
function copyTo({ databaseFile }: Service): void {
  mkdirSync(dirname(databaseFile));
  for (const end of ['', '-head']) copyFileSync(made + end, databaseFile + end);
}

describe('A start', () => {
  it('with a snapshot yields the same list as without one', async () => {
    await using service = new Service();
    const snapshot = `${service.databaseFile}-snapshot`;
    copyTo(service);
    await service.start();
    const lists = [(await service.ask('GET', LIST)).text];
    /** Restarts the service, and returns its log line about the snapshot. */
    const restart = async (order: number) => {
      expect(await service.program.end('SIGTERM')).toBe(0);
      await service.start();
      // Commands work, too: the writer has the states from the snapshot.
      expect((await service.ask('DELETE', `${LIST}/${order}`)).status).toBe(204);
      lists.push((await service.ask('GET', LIST)).text);
      return service.program.log.find(({ msg }) => String(msg).includes('snapshot'));
    };
    expect(await restart(1)).toMatchObject({ position: ORDERS });
    expect(statSync(snapshot).mode & 0o777).toBe(0o600);
    if (isNightly) expect(await restart(1)).toMatchObject({ position: ORDERS });

    const bytes = readFileSync(snapshot);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(snapshot, bytes);
    expect(await restart(2)).toMatchObject({ reason: 'it is damaged' });
    if (isNightly) expect(await restart(3)).toMatchObject({ position: ORDERS + 1 });

    sealAnew(snapshot, new Uint8Array());
    expect(await restart(3)).toMatchObject({ reason: 'it is sealed with another key' });
    if (isNightly) {
      expect(await restart(3)).toMatchObject({ position: ORDERS + 3 });
      await service.program.end('SIGKILL');
      rmSync(snapshot);
      await service.start();
      expect(await restart(4)).toMatchObject({ position: ORDERS + 3 });
    }
    expect(new Set(lists).size).toBe(1);
    expect(JSON.parse(lists[0] as string)).toHaveLength(ORDERS);
  });
});

/** By day a store in SQLite is killed, and one in PostgreSQL is served: a snapshot is the same for both. */
const ENGINES = [
  { engine: 'SQLite', given: async () => ({}), isKilled: true, isRenewed: isNightly },
  {
    engine: 'PostgreSQL',
    given: async () => ({ DATABASE_URL: await newDatabase() }),
    isKilled: isNightly,
    isRenewed: true,
  },
];

describe.each(ENGINES)('A snapshot of a store in $engine', (one) => {
  const { engine, given, isKilled, isRenewed } = one;
  // Both tests go on with the orders that are there once: an import takes longer than the rest.
  const service = new Service();
  const data = join(service.folder, 'data');
  const files = () => readdirSync(data).filter((name) => name.includes('-snapshot'));
  let env: Environment;
  const importFrom = async (first: number) => {
    const file = join(service.folder, 'orders.csv');
    const rows = Array.from({ length: ORDERS }, (_, at) => `${first + at},7,1,,pending\n`);
    writeFileSync(file, `id,petId,quantity,shipDate,status\n${rows.join('')}`);
    expect(await start(['import', file], service.folder, env).ended()).toBe(0);
  };

  beforeAll(async () => {
    env = { ...(await given()), SNAPSHOT_INTERVAL: '1' };
    if (engine === 'SQLite') copyTo(service);
    await service.start(env);
    if (engine !== 'SQLite') await importFrom(1);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const startedFrom = ({ program }: Service) =>
    program.log.find(({ msg }) => String(msg).includes('snapshot'));

  it.runIf(isKilled)('is the old one, the new one or none after a kill at any time', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      // A start that has much to read writes a snapshot at once.
      for (const file of files()) rmSync(join(data, file), { recursive: true });
      await service.program.end('SIGKILL');
      await service.start(env);
      await setTimeout((MAX_WRITE_MS * kill) / KILLS);
      await service.program.end('SIGKILL');
      await service.start(env);
      const isFound = files().some((name) => name.endsWith('-snapshot'));
      const told = isFound
        ? [{ position: ORDERS }, { reason: 'there is none' }]
        : [{ reason: 'there is none' }];
      expect(told).toContainEqual(expect.objectContaining(pick(startedFrom(service))));
      expect(JSON.parse((await service.ask('GET', LIST)).text)).toHaveLength(ORDERS);
    }
  });

  it.runIf(isRenewed)(
    'is renewed while commands are served, so that a start after a kill reads only what is newer',
    async () => {
      const metric = async () => {
        const { text } = await service.ask('GET', '/metrics');
        return Number(/^store_orders_snapshot_position (\d+)$/m.exec(text)?.[1]);
      };
      const becomes = (least: number) =>
        expect.poll(metric, { timeout: RENEWAL_MS }).toBeGreaterThanOrEqual(least);
      // By day the only renewal is that of the empty list before the import.
      let orders = ORDERS;
      if (isNightly) {
        expect(await service.program.end('SIGTERM')).toBe(0);
        await service.start(env);
        // A snapshot that was made before the end of an import leaves so few events out that none follows.
        const first = await metric();
        expect(first).toBeGreaterThanOrEqual(NEW_EVENTS);
        await importFrom(ORDERS + 1);
        orders += ORDERS;
        await becomes(first + NEW_EVENTS);
      } else await becomes(NEW_EVENTS);
      const position = await metric();
      expect((await service.ask('DELETE', `${LIST}/${ORDERS}`)).status).toBe(204);
      await service.program.end('SIGKILL');
      await service.start(env);
      expect(startedFrom(service)).toMatchObject({ position });
      expect(JSON.parse((await service.ask('GET', LIST)).text)).toHaveLength(orders);
      const { text } = await service.ask('GET', `/v2/store/orders/${ORDERS}`);
      expect(JSON.parse(text)).toMatchObject({ status: 'cancelled' });
      expect(files()).toHaveLength(1);
    },
    RENEWAL_MS + 100_000,
  );
});

function pick(line: Record<string, unknown> = {}) {
  const { position, reason } = line;
  return { ...(position !== undefined && { position }), ...(reason !== undefined && { reason }) };
}
