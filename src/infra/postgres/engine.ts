import type { Engine, EngineSettings } from '../../app/ports/engine.ts';
import { acceptLossInPostgres } from './accept-loss.ts';
import { openPostgresCopy, openPostgresOriginal } from './copy.ts';
import { openPostgresEvidence } from './evidence.ts';
import { migrate } from './migrations.ts';
import { openWhenThere } from './start/open-when-there.ts';
import { openPostgresForCommandLine, openPostgresStore } from './store.ts';

/** Returns the engine of a store in a PostgreSQL database. */
export function engineOf(url: string, settings: EngineSettings): Engine {
  const { databaseWaitMs, scrubBytesPerSecond, witnessFile } = settings;
  const witnessPlace = (storeId: string) => witnessFile ?? `./data/postgres-${storeId}-head`;
  return {
    openStore(watcher) {
      const open = () => openPostgresStore(url, watcher, scrubBytesPerSecond, witnessPlace);
      return openWhenThere(open, watcher, databaseWaitMs);
    },
    openForCommandLine: (ifAbsent) => openPostgresForCommandLine(url, ifAbsent, witnessPlace),
    openEvidence: () => openPostgresEvidence(url),
    openOriginal: () => openPostgresOriginal(url),
    openCopy: (id) => openPostgresCopy(url, id),
    acceptLoss: () => acceptLossInPostgres(url, witnessPlace),
    migrate: () => migrate(url, true),
  };
}
