import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/key-store.ts';
import { SqliteSigningKeys } from '../../../src/infra/sqlite/signing-keys.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { temporaryFile } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { changedRowContract } from '../changed-rows.ts';

changedRowContract('SQLite', async () => {
  const file = temporaryFile();
  const db = openDatabase(file);
  return {
    openLog: async (damaged) => openLog(file, db, { damaged }),
    openKeys: async () => new SqliteKeyStore(db),
    openSigningKeys: async () => new SqliteSigningKeys(db),
    change: async (sql) => tamper(file, (changed) => changed.exec(sql)),
    bytes: (digits) => `x'${digits}'`,
    check: () => checkSqliteStore(file, async () => {}),
  };
});
