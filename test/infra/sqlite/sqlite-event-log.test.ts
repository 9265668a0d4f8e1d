import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/sqlite-event-log.ts';
import { eventLogContract } from '../../contract/event-log.ts';
import { temporaryFile } from '../../support/folder.ts';

eventLogContract('SQLite', async () => {
  const file = temporaryFile();
  return async () => new SqliteEventLog(openDatabase(file));
});
