import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Engine, EngineSettings } from '../../app/ports/engine.ts';
import { acceptLossInSqlite } from './accept-loss.ts';
import { openSqliteCopy, openSqliteOriginal } from './copy.ts';
import { openSqliteForCommandLine, openSqliteStore } from './store.ts';
import { openEvidenceWithRefusals } from './store-check.ts';
import { fileBehind, namingFile } from './store-file.ts';

/** Returns the engine of a store in a SQLite file, which may be named by a symbolic link. */
export function engineOf(name: string, { scrubBytesPerSecond }: EngineSettings): Engine {
  const file = fileBehind(name);
  return {
    file,
    openStore: (watcher) => openSqliteStore(file, watcher, scrubBytesPerSecond),
    openForCommandLine: async (ifAbsent) => openSqliteForCommandLine(file, ifAbsent),
    openEvidence: () => openEvidenceWithRefusals(file),
    openOriginal: async () => openSqliteOriginal(file),
    openCopy: async (id) => openSqliteCopy(file, id),
    acceptLoss: () => acceptLossInSqlite(file),
    async migrate() {
      throw new UserError('A store in SQLite is brought up to date at every start.');
    },
    named: (error) => namingFile(error, file),
  };
}
