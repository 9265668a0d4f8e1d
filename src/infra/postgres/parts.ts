import type { StoreParts } from '../../app/ports/store.ts';
import type { Database } from './connection/database.ts';
import { PostgresKeyStore } from './key-store.ts';
import { PostgresRefusals } from './refusals.ts';
import { PostgresSigningKeys } from './signing-keys.ts';
import { type KnownLog, PostgresTrail } from './trail.ts';

/**
 * Returns the parts of a store in PostgreSQL over its database.
 * @param known See {@link PostgresTrail}.
 */
export function partsOf(db: Database, known?: KnownLog): StoreParts {
  return {
    trail: new PostgresTrail(db, known),
    refusals: new PostgresRefusals(db),
    keys: new PostgresKeyStore(db),
    signingKeys: new PostgresSigningKeys(db),
  };
}
