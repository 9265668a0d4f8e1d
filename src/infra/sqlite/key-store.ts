/** The API keys of a store in SQLite. */

import type Database from 'better-sqlite3';
import type { ApiKey, KeyLimits, KeyStore } from '../../app/ports/key-store.ts';
import type { Instant } from '../../domain/instant.ts';
import { type KeyRow, keyIn, keyRow, limitColumns } from '../events/row-mapping.ts';
import { SCHEMA_VERSION, WITH_LIMITS } from './schema.ts';
import { orUnavailable } from './storage/fault.ts';

/** Returns the columns of {@link KeyRow} in a schema of this version. */
export function keyColumns(version: number): string {
  const limits = version < WITH_LIMITS ? 'NULL, NULL' : 'limits, limits_checksum';
  return `id, name, hash, scopes, created_at, expires_at, revoked_at, checksum, ${limits}`;
}

const COLUMNS = keyColumns(SCHEMA_VERSION);

/** The API keys in SQLite, over a connection that the caller closes. */
export class SqliteKeyStore implements KeyStore {
  readonly #find: Database.Statement;
  readonly #list: Database.Statement;
  readonly #add: Database.Statement;
  readonly #revoke: Database.Statement;
  readonly #limit: Database.Statement;

  constructor(db: Database.Database) {
    this.#find = db.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`).raw();
    this.#list = db.prepare(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, rowid`).raw();
    this.#add = db.prepare(
      `INSERT INTO api_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
    );
    this.#revoke = db.prepare(
      'UPDATE api_keys SET revoked_at = ?, checksum = ? WHERE id = ? AND checksum = ?',
    );
    this.#limit = db.prepare('UPDATE api_keys SET limits = ?, limits_checksum = ? WHERE id = ?');
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = this.#row(id);
    return row && keyIn(row);
  }

  async list(): Promise<readonly ApiKey[]> {
    return orUnavailable(() => this.#list.all() as KeyRow[]).map(keyIn);
  }

  async add(key: ApiKey): Promise<boolean> {
    return orUnavailable(() => this.#add.run(...keyRow(key))).changes === 1;
  }

  async revoke(id: string, at: Instant): Promise<boolean> {
    // If another process revokes the key first, its checksum differs and nothing is updated here.
    const row = this.#row(id);
    const key = row && keyIn(row);
    if (row === undefined || key === undefined || key.revokedAt !== undefined) return false;
    const revoked = keyRow({ ...key, revokedAt: at });
    const changed = orUnavailable(() => this.#revoke.run(at, revoked[7], id, row[7]));
    return changed.changes === 1;
  }

  async limit(id: string, limits: KeyLimits): Promise<boolean> {
    return orUnavailable(() => this.#limit.run(...limitColumns(id, limits), id)).changes === 1;
  }

  #row(id: string): KeyRow | undefined {
    return orUnavailable(() => this.#find.get(id) as KeyRow | undefined);
  }
}
