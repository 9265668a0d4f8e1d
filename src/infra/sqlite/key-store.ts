/** The API keys of a store in SQLite. */

import type Database from 'better-sqlite3';
import type { ApiKey, KeyLimits, KeyStore } from '../../app/ports/key-store.ts';
import type { Instant } from '../../domain/instant.ts';
import { type KeyRow, keyIn, keyRow, limitingOf, revocationOf } from '../events/row-mapping.ts';
import { noteKeyChanges } from '../head/notes.ts';
import { isCopy, storeIdOf } from './epochs-table.ts';
import { headFileOf } from './head-file.ts';
import { SCHEMA_VERSION, WITH_LIMITS, WITH_SECOND_PLACES } from './schema.ts';
import { orUnavailable } from './storage/fault.ts';

const COLUMNS = 'id, name, hash, scopes, created_at, expires_at, revoked_at, checksum';

/**
 * Returns the statement that selects each {@link KeyRow} in a schema of this version: all keys,
 * oldest first or in any order, or the one with `@id`. A key of which only changes are left, and a change with a
 * number that none can have, have a row without columns. A key's checksum changes by a revocation only:
 * one in force has never had another.
 */
function selectKeys(which: 'oldest first' | 'all' | 'one', version = SCHEMA_VERSION): string {
  const where = which === 'one' ? 'id = @id' : 'true';
  const order = which === 'oldest first' ? 'ORDER BY created_at, number' : '';
  const limits = version < WITH_LIMITS ? 'NULL, NULL' : 'limits, limits_checksum';
  const isAsLastChanged = `
    (SELECT (checksum, limits_checksum) IS (k.checksum, k.limits_checksum)
          AND change = (SELECT count(*) FROM key_changes WHERE id = k.id AND change > 0)
        FROM key_changes WHERE id = k.id ORDER BY change DESC LIMIT 1)
    AND (revoked_at IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM key_changes WHERE id = k.id AND checksum <> k.checksum))`;
  const withoutRow = `UNION ALL
    SELECT id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
      FROM key_changes AS c
      WHERE ${where} AND
        (change < 1 OR NOT EXISTS (SELECT 1 FROM api_keys WHERE id = c.id))`;
  const isCovered = version >= WITH_SECOND_PLACES;
  return `
    SELECT ${COLUMNS}, ${limits}, ${isCovered ? isAsLastChanged : '1'}, rowid AS number
      FROM api_keys AS k WHERE ${where} ${isCovered ? withoutRow : ''} ${order}`;
}

/** Yields the rows of all keys, of which only one is in memory at a time. */
export function keyRowsIn(db: Database.Database, version = SCHEMA_VERSION): Iterable<KeyRow> {
  return db.prepare(selectKeys('all', version)).raw().iterate() as Iterable<KeyRow>;
}

/** Notes the number of changes of API keys that a store has beside it, unless it is a copy. */
export function noteKeyChangesIn(db: Database.Database): void {
  if (isCopy(db)) return;
  const changes = db.prepare('SELECT count(*) FROM key_changes').pluck().get() as number;
  noteKeyChanges(headFileOf(db.name), storeIdOf(db), changes);
}

/** The API keys in SQLite, over a connection that the caller closes. */
export class SqliteKeyStore implements KeyStore {
  readonly #db: Database.Database;
  readonly #find: Database.Statement;
  readonly #list: Database.Statement;
  readonly #add: Database.Statement;
  readonly #revoke: Database.Statement;
  readonly #limit: Database.Statement;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#find = db.prepare(selectKeys('one')).raw();
    this.#list = db.prepare(selectKeys('oldest first')).raw();
    this.#add = db.prepare(
      `INSERT INTO api_keys (${COLUMNS}, limits, limits_checksum)
         SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
           WHERE NOT EXISTS (SELECT 1 FROM key_changes WHERE id = ?)
             AND NOT EXISTS (SELECT 1 FROM api_keys WHERE id = ?)`,
    );
    this.#revoke = db.prepare(
      'UPDATE api_keys SET revoked_at = ?, checksum = ? WHERE id = ? AND checksum = ?',
    );
    this.#limit = db.prepare(
      `UPDATE api_keys SET limits = ?, limits_checksum = ?
         WHERE id = ? AND (? OR limits_checksum IS ?)`,
    );
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = this.#row(id);
    return row && keyIn(row);
  }

  async list(): Promise<readonly ApiKey[]> {
    return orUnavailable(this.#db, () => this.#list.all() as KeyRow[]).map(keyIn);
  }

  async count(): Promise<number> {
    return orUnavailable(this.#db, () => {
      let count = 0;
      for (const row of keyRowsIn(this.#db)) {
        keyIn(row);
        count += 1;
      }
      return count;
    });
  }

  async add(key: ApiKey): Promise<boolean> {
    if (this.#noted(orUnavailable(this.#db, () => this.#add.run(...keyRow(key), key.id, key.id))))
      return true;
    // Throws if the row of the key that has the id is gone.
    await this.find(key.id);
    return false;
  }

  async revoke(id: string, at: Instant): Promise<boolean> {
    const values = revocationOf(this.#row(id), at);
    return (
      values !== undefined &&
      this.#noted(orUnavailable(this.#db, () => this.#revoke.run(...values)))
    );
  }

  async limit(id: string, limits: KeyLimits, before?: KeyLimits): Promise<boolean> {
    const values = limitingOf(this.#row(id), limits, before);
    return (
      values !== undefined && this.#noted(orUnavailable(this.#db, () => this.#limit.run(...values)))
    );
  }

  /** Notes a change that is on the disk. Returns false if there was none. */
  #noted({ changes }: Database.RunResult): boolean {
    if (changes === 1) noteKeyChangesIn(this.#db);
    return changes === 1;
  }

  #row(id: string): KeyRow | undefined {
    return orUnavailable(this.#db, () => this.#find.get({ id }) as KeyRow | undefined);
  }
}
