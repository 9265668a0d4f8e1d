import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { enterEpochs, storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { memoryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { changedCellContract, cutTwice, fillAll, type StoredColumn } from '../changed-cells.ts';
import { plantedRowContract } from '../planted-rows.ts';

const TYPES = { INTEGER: 'integer', TEXT: 'text', BLOB: 'bytes' } as const;

/** The refusals have a file of their own. */
const FILES = ['', '-refusals'];

async function given() {
  const file = join(memoryFolder(), 'store.db');
  const db = openDatabase(file);
  enterEpochs(db, cutTwice(storeIdOf(db)));
  db.close();
  const store = openSqliteForCommandLine(file);
  await fillAll(store);
  await store.close();
  const kept = join(dirname(file), 'kept');
  const fileOf = (table: string) => (table === 'refusals' ? `${file}-refusals` : file);
  const reading = <Result>(of: string, read: (db: Database.Database) => Result) => {
    const reader = new Database(of, { readonly: true });
    try {
      return read(reader);
    } finally {
      reader.close();
    }
  };
  for (const end of FILES) reading(file + end, () => copyFileSync(file + end, kept + end));
  return {
    async open() {
      // In one thread: it would be started for each change.
      const { treeAside: _, ...evidence } = openSqliteEvidence(file);
      return evidence;
    },
    checkAll: () => checkSqliteStore(file, async () => {}),
    columns: async () => FILES.flatMap((end) => reading(file + end, columnsIn)),
    rows: async ({ table, key }: StoredColumn) => {
      const parts = key.map((column) => `'${column} = ' || quote(${column})`);
      const select = `SELECT ${parts.join(` || ' AND ' || `) || `'true'`} FROM ${table}`;
      const order = key.length > 0 ? `ORDER BY ${key}` : '';
      return reading(fileOf(table), (db) =>
        db.prepare(`${select} ${order}`).pluck().all(),
      ) as string[];
    },
    async change({ table, column }: StoredColumn, row: string, value: string) {
      let changes = 0;
      tamper(fileOf(table), (db) => {
        const sql = `UPDATE ${table} SET ${column} = ${value} WHERE ${row} AND ${column} IS NOT ${value}`;
        try {
          ({ changes } = db.prepare(sql).run());
        } catch (error) {
          if (!(error instanceof Database.SqliteError)) throw error;
        }
      });
      return changes > 0;
    },
    async write(table: string, statement: string) {
      const db = new Database(fileOf(table));
      try {
        const before = db.prepare('SELECT total_changes()').pluck().get();
        db.exec(statement);
        return db.prepare('SELECT total_changes()').pluck().get() !== before;
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        return false;
      } finally {
        db.close();
      }
    },
    async restore() {
      for (const end of FILES) {
        for (const log of ['-wal', '-shm']) rmSync(file + end + log, { force: true });
        copyFileSync(kept + end, file + end);
      }
    },
  };
}

function columnsIn(db: Database.Database): readonly StoredColumn[] {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck();
  return (tables.all() as string[]).flatMap((table) => {
    const columns = db.pragma(`table_info(${table})`) as {
      readonly name: string;
      readonly type: keyof typeof TYPES;
      readonly pk: number;
    }[];
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
    return columns.map(({ name, type }) => ({ table, column: name, type: TYPES[type], key }));
  });
}

changedCellContract('SQLite', given, (digits) => `x'${digits}'`, {
  'store.is_copy': 'the mark of older versions for a store that was moved: it begins an epoch',
});

plantedRowContract('SQLite', given, {
  noBytes: `x''`,
  inserts: ['INSERT INTO', 'INSERT OR REPLACE INTO'],
  rowid: 'rowid',
});
