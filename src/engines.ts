/** The choice of the engine by the configured database, made here and nowhere else. */

import { CheckedTrail } from './app/audit/trail/checked-trail.ts';
import type { Engine, EngineSettings } from './app/ports/engine.ts';
import { isDamage, type Store, StoreUnavailable } from './app/ports/store.ts';
import type { DatabaseConfig } from './infra/settings/database-setting.ts';
import { engineOf as sqliteEngineOf } from './infra/sqlite/engine.ts';
import { storageFaultOf } from './infra/sqlite/storage/fault.ts';

/** The settings of engines that serve nothing. */
const NO_SETTINGS: EngineSettings = { databaseWaitMs: 0, scrubBytesPerSecond: 0 };

/**
 * Returns the engine of a database. The modules of PostgreSQL are loaded only if it is used.
 */
export async function engineOf(
  database: DatabaseConfig,
  settings: EngineSettings = NO_SETTINGS,
): Promise<Engine> {
  switch (database.engine) {
    case 'sqlite':
      return checked(sqliteEngineOf(database.file, settings));
    case 'postgres': {
      const postgres = await import('./infra/postgres/engine.ts');
      return checked(postgres.engineOf(database.url, settings));
    }
  }
}

/** Returns an engine whose stores check each event against the tree before they return it. */
function checked(engine: Engine): Engine {
  return {
    ...engine,
    openStore: async (watcher) => withCheckedTrail(await engine.openStore(watcher)),
    openForCommandLine: async (ifAbsent) =>
      withCheckedTrail(await engine.openForCommandLine(ifAbsent)),
  };
}

function withCheckedTrail<Opened extends Pick<Store, 'trail'>>(store: Opened): Opened {
  return { ...store, trail: new CheckedTrail(store.trail) };
}

/** Returns true if an error may pass by itself: the database is unreachable, or the disk full. */
export function mayPass(error: unknown): boolean {
  if (isDamage(error)) return false;
  return error instanceof StoreUnavailable || storageFaultOf(error, '.') !== undefined;
}
