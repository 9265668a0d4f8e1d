import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  RecordTree,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/app/audit/proofs/verifier.ts';
import { consistencyProof, inclusionProof, treeRoot } from '../../../src/app/log/merkle-proofs.ts';
import { DamagedStore } from '../../../src/app/ports/store.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog, SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { MerkleTables } from '../../../src/infra/sqlite/merkle-tables.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';

function given(file = temporaryFile()) {
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  return { file, db, log: new SqliteEventLog(db), tree: new MerkleTables(db) };
}

async function append(log: SqliteEventLog, count: number): Promise<void> {
  const from = (await log.head()) + 1;
  const events = Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(from + n))));
  expect(await log.append(from - 1, () => events)).toMatchObject({ kind: 'appended' });
}

/** The records of all events, put together from the table by SQL alone. */
function recordsOf(db: Database.Database): string[] {
  return db
    .prepare(
      `SELECT '{"data":' || data || ',"metadata":' || metadata || ',"position":' || position ||
         ',"schemaVersion":' || schema_version || ',"type":"' || type || '","version":' || version ||
         '}' FROM events ORDER BY position`,
    )
    .pluck()
    .all() as string[];
}

/** The head of the tree of so many first records, by the code of those who verify. */
function headOf(records: readonly string[]) {
  const tree = new RecordTree();
  for (const record of records) tree.add(record);
  return tree.head();
}

function expectWholeTree({ db, tree }: { db: Database.Database; tree: MerkleTables }): void {
  const frontier = tree.frontier();
  expect({ size: frontier.size, root: frontier.root() }).toEqual(headOf(recordsOf(db)));
}

describe('the tree of the log', () => {
  it('is that of its records, for any batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 }),
        async (batches) => {
          const store = given();
          for (const batch of batches) {
            await append(store.log, batch);
            expectWholeTree(store);
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  it('grows under every connection that appends', async () => {
    const one = given();
    const other = given(one.file);
    for (const { log } of [one, other, other, one, other]) {
      await append(log, 7);
      expectWholeTree(one);
      expectWholeTree(other);
    }
  });

  it('discards uncommitted events', async () => {
    const store = given();
    await append(store.log, 3);
    const before = store.tree.frontier().root();
    await expect(
      store.log.append(3, () => {
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    store.db.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON main.tree
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const failed = await store.log.append(3, () => [newEvent(placed(4n)), newEvent(placed(5n))]);
    expect(failed.kind).toBe('unavailable');
    store.db.exec('DROP TRIGGER full');
    expect(store.tree.frontier().root()).toEqual(before);
    await append(store.log, 2);
    expectWholeTree(store);
  });

  it('proves every event, and every older size, to those who verify', async () => {
    const { db, log, tree } = given();
    await append(log, 1_000);
    const records = recordsOf(db);
    const head = headOf(records);
    expect(await treeRoot(1_000, tree)).toEqual(head.root);
    for (const index of [0, 1, 255, 256, 511, 767, 768, 998, 999]) {
      const proof = await inclusionProof(index, 1_000, tree);
      const record = records[index] as string;
      expect(verifyInclusion(record, index, head, proof)).toMatchObject({ ok: true });
      expect(verifyInclusion(`${record} `, index, head, proof)).toMatchObject({ ok: false });
      const older = headOf(records.slice(0, index + 1));
      const grown = await consistencyProof(index + 1, 1_000, tree);
      expect(verifyConsistency(older, head, grown)).toMatchObject({ ok: true });
    }
  });

  it('cannot be changed in the database', async () => {
    const { db, log } = given();
    await append(log, 256);
    for (const sql of [
      `UPDATE tree SET edge = x'0000000000000001'`,
      'UPDATE tree SET edge = edge',
      'DELETE FROM tree',
      `INSERT INTO tree VALUES (x'0000000000000000')`,
      `UPDATE tree_nodes SET hash = x'00'`,
      'DELETE FROM tree_nodes',
      `INSERT OR REPLACE INTO tree_nodes VALUES (8, 0, x'00')`,
    ]) {
      expect(() => db.exec(sql), sql).toThrow(
        /the tree of the log only grows|the log has one tree/,
      );
    }
  });

  it('is damaged where a node is missing', async () => {
    const { db, log, tree } = given();
    await append(log, 600);
    db.exec('DROP TRIGGER tree_nodes_are_never_deleted; DELETE FROM tree_nodes WHERE place = 1');
    const damage = new DamagedStore('the tree of the log lacks nodes at height 8');
    await expect(treeRoot(600, tree)).rejects.toThrow(damage);
    expect(() => tree.nodes(8, 0, 2)).toThrow(DamagedStore);
  });

  it('reveals at a start that the last acknowledged event was rewritten', async () => {
    const file = temporaryFile();
    const log = openLog(file, openDatabase(file));
    await append(log, 3);
    await log.close();
    const db = new Database(file);
    db.exec('DROP TRIGGER tree_only_grows');
    const edge = db.prepare('SELECT edge FROM tree').pluck().get() as Buffer;
    edge.writeUInt8(edge.readUInt8(20) ^ 1, 20);
    db.prepare('UPDATE tree SET edge = ?').run(edge);
    db.close();
    expect(() => openDatabase(file)).toThrow(/is not the log whose position 3 was acknowledged/);
  });
});
