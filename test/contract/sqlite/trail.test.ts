import { AppendSignal } from '../../../src/infra/sqlite/append-signal.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { partsOf } from '../../../src/infra/sqlite/parts.ts';
import { temporaryFile } from '../../support/folder.ts';
import { trailContract } from '../trail.ts';

trailContract('SQLite', async () => {
  const file = temporaryFile();
  const db = openDatabase(file);
  const signal = new AppendSignal();
  const log = openLog(file, db, { signal });
  const openBeside = async () => openLog(file, openDatabase(file));
  return { ...partsOf(db, signal), log, openBeside };
});
