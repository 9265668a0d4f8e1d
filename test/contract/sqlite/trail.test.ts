import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/trail.ts';
import { temporaryFile } from '../../support/folder.ts';
import { trailContract } from '../trail.ts';

trailContract('SQLite', async () => {
  const db = openDatabase(temporaryFile());
  return { log: new SqliteEventLog(db), trail: new SqliteTrail(db) };
});
