import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Submission } from '../../src/app/log/submission.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import { Writer } from '../../src/app/write/writer.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { HeadFile } from '../../src/infra/head/head-file.ts';
import { openDatabase } from '../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../src/infra/sqlite/epochs-table.ts';
import { openLog } from '../../src/infra/sqlite/event-log.ts';
import { headFileOf } from '../../src/infra/sqlite/head-file.ts';
import { MerkleTables } from '../../src/infra/sqlite/merkle-tables.ts';
import { StoredEvents } from '../../src/infra/sqlite/stored-events.ts';
import { temporaryFile } from './folder.ts';

const DATE = '2026-03-04T09:00:00.000Z' as Instant;

/**
 * Creates a closed store of 700 events, or the given number. Of each seven, the first four place
 * orders n to n + 3; then n is shipped, n + 1 is cancelled, and another order is placed.
 */
export async function honestStore(
  file = temporaryFile(),
  petId = 7n,
  events = 700,
  by = 'test',
): Promise<string> {
  const log = openLog(file, openDatabase(file));
  await fillHonestly(log, petId, events, by);
  await log.close();
  return file;
}

/** Appends the same events to any empty log. */
export async function fillHonestly(
  log: EventLog,
  petId = 7n,
  events = 700,
  by = 'test',
): Promise<void> {
  const writer = await Writer.open(log);
  let commands: Submission['command'][] = [];
  for (let n = 1; (n - 1) * 7 < events * 5; n += 5) {
    const id = (step: number) => BigInt(n + step) as OrderId;
    const place = (step: number) => {
      return { type: 'PlaceOrder', orderId: id(step), petId: petId as PetId, quantity: 1 } as const;
    };
    commands.push(
      ...[0, 1, 2, 3].map(place),
      { type: 'ShipOrder', orderId: id(0), shipDate: DATE } as const,
      { type: 'CancelOrder', orderId: id(1) } as const,
      place(4),
    );
  }
  commands = commands.slice(0, events);
  while (commands.length > 0) {
    const batch = commands.splice(0, 1_000);
    await writer.execute(batch.map((command) => ({ command, by, commandId: 'c-1' })));
  }
}

/** Records inserted rows of any form, as a version of the service that supports them would. */
export function recordInAnyForm(db: Database.Database, insert: () => void): void {
  const tree = new MerkleTables(db);
  const size = tree.wholeSize();
  insert();
  tree.append(new StoredEvents(db).read(size, 1_000));
}

/** Changes a store's file without its triggers, and restores its schema afterwards. */
export function tamper(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file);
  const triggers = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  change(db);
  for (const { sql } of triggers) db.exec(sql);
  db.close();
}

/** Recomputes the tree and the head file, as an attacker who knows this program would. */
export function coverUp(file: string): void {
  tamper(file, (db) => {
    db.exec(`UPDATE tree SET edge = x'0000000000000000'; DELETE FROM tree_nodes`);
    const tree = new MerkleTables(db);
    const size = db.prepare('SELECT count(*) FROM events').pluck().get() as number;
    tree.create();
    if (!existsSync(`${file}-head`)) return;
    rmSync(`${file}-head`);
    const root = tree.frontier().root().toString('hex');
    const head = new HeadFile(headFileOf(file), storeIdOf(db));
    head.write({ position: size, root });
    head.close();
  });
}
