import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/sqlite-event-log.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/sqlite-trail.ts';
import { trailContract } from '../../contract/trail.ts';
import { temporaryFile } from '../../support/folder.ts';

trailContract('SQLite', async () => {
  const db = openDatabase(temporaryFile());
  return { log: new SqliteEventLog(db), trail: new SqliteTrail(db) };
});
