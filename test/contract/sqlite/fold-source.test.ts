import { join } from 'node:path';
import type { FoldSource } from '../../../src/app/ports/event-log.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SideReader } from '../../../src/infra/sqlite/side-reader.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { foldSourceIn } from '../../../src/infra/sqlite/stored-events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { foldSourceContract } from '../fold-source.ts';

const newFile = () => join(temporaryFolder(), 'store.db');

foldSourceContract('SQLite, read in another thread,', async () => {
  const file = newFile();
  const store = openSqliteForCommandLine(file);
  const db = openDatabase(file);
  let side: SideReader | undefined;
  const aside = (sql: string) => {
    side = new SideReader(file, sql);
    return side;
  };
  const foldSource = foldSourceIn(db, aside, 0);
  // The first read is in this thread, and starts the other. Without the fast path there is no other.
  await foldSource.next(0, () => true);
  await side?.ready;
  return {
    ...store,
    foldSource,
    tamper: async (sql) => tamper(file, (db) => db.exec(sql('events'))),
    async close() {
      await foldSource.close?.();
      db.close();
      await store.close();
    },
  };
});

foldSourceContract('SQLite', async () => {
  const file = newFile();
  const store = openSqliteForCommandLine(file);
  return {
    ...store,
    foldSource: store.foldSource as FoldSource,
    tamper: async (sql) => tamper(file, (db) => db.exec(sql('events'))),
  };
});
