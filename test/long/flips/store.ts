import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NoteSigner } from '../../../src/app/audit/checkpoint.ts';
import { Prover } from '../../../src/app/audit/prover.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { ApiKey } from '../../../src/app/ports/key-store.ts';
import { Projector } from '../../../src/app/read/projector.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { UNPACED } from '../../../src/infra/checking/keep-checking.ts';
import { SnapshotFile, snapshotBeside } from '../../../src/infra/snapshot/snapshot-file.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/key-store.ts';
import { rootsIn } from '../../../src/infra/sqlite/merkle-tables.ts';
import { SqliteRefusals } from '../../../src/infra/sqlite/refusals.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { foldSourceIn } from '../../../src/infra/sqlite/stored-events.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/trail.ts';

/**
 * A store with everything in it that a store can have, and all that can be asked of it, by the very
 * parts that a start puts together.
 */

const SIGNER = NoteSigner.generate('test');
const BY = 'AbCdEfGh01';
const NOON = '2026-01-01T12:00:00.000Z' as Instant;
const KEYS: readonly ApiKey[] = Array.from({ length: 12 }, (_, n) => {
  const more = n % 2 === 0 ? {} : { expiresAt: '2027-01-01T00:00:00.000Z' as Instant };
  const about = { name: `key ${n}`, scopes: ['orders:read'], createdAt: NOON, ...more } as const;
  return keyRecord(mintKeyText(), about);
});

/** Commands of every kind, those with an idempotency key first: these are sent again. */
function submissions(orders: number): Submission[] {
  const all: Submission[] = [];
  const place = (n: number) => {
    const idempotencyKey = n % 3 === 0 ? `key-${n}` : undefined;
    const command = { type: 'PlaceNewOrder', petId: BigInt(n) as PetId, quantity: n } as const;
    all.push({ command, by: BY, commandId: `c-${n}`, idempotencyKey });
  };
  for (let n = 1; n <= orders; n++) place(n);
  for (let n = 1; n <= orders; n += 3) {
    const orderId = BigInt(n) as OrderId;
    all.push(
      { command: { type: 'ShipOrder', orderId, shipDate: NOON }, by: BY, commandId: `s-${n}` },
      {
        command: { type: 'CancelOrder', orderId: (orderId + 1n) as OrderId },
        by: BY,
        commandId: `x-${n}`,
        idempotencyKey: `cancel-${n}`,
      },
    );
  }
  // Among the newest changes are some that a retry may not repeat.
  for (let n = orders + 1; n <= orders * 1.3; n++) place(n);
  return all;
}

/**
 * Makes a store with about so many events, closed.
 * @param older The name of a copy of the file as it was before the last quarter of the changes.
 */
export async function makeStore(file: string, older?: string, orders = 400): Promise<void> {
  const db = openDatabase(file);
  const log = openLog(file, db);
  const keys = new SqliteKeyStore(db);
  for (const key of KEYS) await keys.add(key);
  const writer = await Writer.open(log, () => Date.parse(NOON));
  const all = submissions(orders);
  const execute = async (some: readonly Submission[]) => {
    for (let at = 0; at < some.length; at += 50) await writer.execute(some.slice(at, at + 50));
  };
  const late = Math.floor(all.length * 0.75);
  await execute(all.slice(0, late));
  if (older !== undefined) {
    db.pragma('wal_checkpoint(TRUNCATE)');
    cpSync(file, older);
  }
  await keys.revoke((KEYS[1] as ApiKey).id, NOON);
  await execute(all.slice(late));
  const refusals = new SqliteRefusals(file);
  const record = { at: NOON, code: 'unauthorized', method: 'GET', path: '/', requestId: 'r' };
  await refusals.append(Array.from({ length: 40 }, () => record));
  refusals.close();
  const list = new OrderList(() => null);
  await new Projector(log, list).catchUp();
  await new SnapshotFile(snapshotBeside(file), storeIdOf(db), rootsIn(db)).save(list.pack());
  await log.close();
}

/** Copies a closed store. */
export function copyStore(from: string, to: string): void {
  rmSync(dirname(to), { recursive: true, force: true });
  mkdirSync(dirname(to), { recursive: true });
  for (const name of filesOf(from)) {
    cpSync(
      join(dirname(from), name),
      join(dirname(to), name.replace(basename(from), basename(to))),
    );
  }
}

/** The names of a store's files. */
export function filesOf(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
}

/** The answers to all questions; `undefined` where one was refused. */
export type Answers = readonly (string | undefined)[];

/**
 * Asks a store everything. Each answer stands for itself, as each request does; where the start is
 * refused, all are.
 */
export async function answersOf(file: string, check = checkSqliteStore): Promise<Answers> {
  let db: ReturnType<typeof openDatabase> | undefined;
  try {
    db = openDatabase(file);
    const opened = db;
    const log = openLog(file, opened);
    await check(file, UNPACED);
    const answers: (string | undefined)[] = [];
    for (const ask of questions(file, opened, log)) answers.push(await answerTo(ask));
    return answers;
  } catch {
    return [];
  } finally {
    db?.close();
  }
}

function questions(
  file: string,
  db: ReturnType<typeof openDatabase>,
  log: ReturnType<typeof openLog>,
): readonly (() => unknown)[] {
  const keys = new SqliteKeyStore(db);
  const trail = new SqliteTrail(db);
  const prover = new Prover(trail, SIGNER);
  const refusals = new SqliteRefusals(file);
  return [
    () => storeIdOf(db),
    () => listOf(db, log),
    () => trail.stored(0, 10_000),
    ...[0, 100, 255, 256, 400, 520].map((after) => () => trail.stored(after, 1)),
    () => trail.treeHead(),
    ...[1, 256, 257, 500].map((position) => () => prover.receipt(position)),
    ...[1, 300].map((position) => () => prover.inclusion(position, 500)),
    ...[256, 300].map((size) => () => prover.consistency(size, 512)),
    () => keys.list(),
    ...KEYS.map(
      ({ id }) =>
        () =>
          keys.find(id),
    ),
    async () => {
      const kept = await refusals.newest(100);
      refusals.close();
      return kept;
    },
    ...retries().map((retry) => async () => {
      const [outcome] = await (await Writer.open(log, () => Date.parse(NOON))).execute([retry]);
      if (outcome?.kind === 'unavailable') throw new Error(outcome.cause);
      return outcome;
    }),
  ];
}

async function listOf(db: ReturnType<typeof openDatabase>, log: ReturnType<typeof openLog>) {
  const list = new OrderList((orders) => orders);
  await new Projector(log, list, foldSourceIn(db)).catchUp();
  return list.snapshot().chunks;
}

/** Commands again that have an idempotency key, and one that is new. */
function retries(): readonly Submission[] {
  const keyed = submissions(400).filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  const place = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
  const fresh = { command: place, by: BY, commandId: 'c-new', idempotencyKey: 'new' };
  return [...keyed.filter((_, n) => n % 10 === 0), fresh];
}

async function answerTo(ask: () => unknown): Promise<string | undefined> {
  try {
    const answer = await ask();
    return JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch {
    return undefined;
  }
}
