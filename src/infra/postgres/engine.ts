import type { Engine, EngineSettings } from '../../app/ports/engine.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import { acceptLossInPostgres } from './accept-loss.ts';
import { namingLock } from './connection/errors.ts';
import { openPostgresCopy, openPostgresOriginal } from './copy.ts';
import { openPostgresEvidence } from './evidence.ts';
import { migrate } from './migrations.ts';
import { openWhenThere } from './start/open-when-there.ts';
import { openPostgresForCommandLine, openPostgresStore } from './store.ts';

/** Returns the engine of a store in a PostgreSQL database. */
export function engineOf(url: string, settings: EngineSettings): Engine {
  const { databaseWaitMs, scrubBytesPerSecond, headFile } = settings;
  const headFilePlace = (storeId: string) => headFile ?? `./data/postgres-${storeId}-head`;
  return {
    openStore(watcher) {
      const open = () => openPostgresStore(url, watcher, scrubBytesPerSecond, headFilePlace);
      return openWhenThere(open, watcher, databaseWaitMs);
    },
    openForCommandLine: (ifAbsent) => openPostgresForCommandLine(url, ifAbsent, headFilePlace),
    openEvidence: () => openPostgresEvidence(url),
    openOriginal: () => openPostgresOriginal(url),
    openCopy: (id) => openPostgresCopy(url, id),
    acceptLoss: () => acceptLossInPostgres(url, headFilePlace),
    migrate: () => migrate(url, true),
    // Its words about its disk name the file on its server.
    named: (error) => namingLock(error, shownAddress(url)),
  };
}
