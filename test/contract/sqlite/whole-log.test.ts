import Database from 'better-sqlite3';
import { readHeadFile, replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/trail.ts';
import { temporaryFile } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { wholeLogContract } from '../whole-log.ts';

wholeLogContract('SQLite', async () => {
  const file = temporaryFile();
  return {
    async openLog(damaged) {
      const db = openDatabase(file);
      return { log: openLog(file, db, { damaged }), trail: new SqliteTrail(db) };
    },
    async open() {
      // Without what is noted beside the database, which tells that it is shorter.
      const head = readHeadFile(`${file}-head`);
      if (head) replaceHeadFile(`${file}-head`, { ...head, position: 0, root: undefined });
      await openSqliteForCommandLine(file).close();
    },
    openEvidence: async () => openSqliteEvidence(file),
    async execute(sql) {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    },
    removal: (position) => `DROP TRIGGER events_are_never_deleted;
      DELETE FROM events WHERE position = ${position}`,
    tamper: async (sql) => tamper(file, (db) => void db.exec(sql)),
    literal: (bytes) => `x'${bytes.toString('hex')}'`,
  };
});
