import { join } from 'node:path';
import type { FoldSource } from '../../../src/app/ports/event-log.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { foldSourceContract } from '../fold-source.ts';

const newFile = () => join(temporaryFolder(), 'store.db');

foldSourceContract('SQLite', async () => {
  const file = newFile();
  const store = openSqliteForCommandLine(file);
  return {
    ...store,
    foldSource: store.foldSource as FoldSource,
    tamper: async (sql) => tamper(file, (db) => db.exec(sql('events'))),
  };
});
