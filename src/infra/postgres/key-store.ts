/** The API keys of a store in PostgreSQL. */

import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, KeyLimits, KeyStore } from '../../app/ports/key-store.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  type KeyChangeRow,
  type KeyRow,
  keyIn,
  keyRow,
  limitingOf,
  revocationOf,
} from '../events/row-mapping.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { orFound } from './connection/lost-answer.ts';
import { SCHEMA_VERSION, WITH_LIMITS, WITH_SECOND_PLACES } from './schema.ts';

/** The order and the number of the keys that are read at once. */
const NEXT_KEYS = 'ORDER BY id LIMIT 250';

const COLUMNS = 'id, name, hash, scopes, created_at, expires_at, revoked_at, checksum';

/**
 * Returns the statement that selects each {@link KeyRow} in a schema of this version: all keys,
 * oldest first, or the one with the id `$1`, each with its row of {@link selectGone}; or the `next`
 * in the order of ids, after `$1`, a chunk at a time. A key's checksum changes by a revocation only:
 * one in force has never had another.
 */
function selectKeys(which: 'oldest first' | 'one' | 'next', version = SCHEMA_VERSION): string {
  const [where, order] = {
    'oldest first': ['true', 'ORDER BY created_at, number'],
    one: ['id = $1', ''],
    next: ['id > $1', NEXT_KEYS],
  }[which] as [string, string];
  const limits = version < WITH_LIMITS ? 'NULL, NULL' : 'limits, limits_checksum';
  const isAsLastChanged = `
    (SELECT (checksum, limits_checksum) IS NOT DISTINCT FROM (k.checksum, k.limits_checksum)
          AND change = (SELECT count(*) FROM store_orders.key_changes WHERE id = k.id AND change > 0)
        FROM store_orders.key_changes WHERE id = k.id ORDER BY change DESC LIMIT 1)
    AND (revoked_at IS NOT NULL OR NOT EXISTS (
      SELECT FROM store_orders.key_changes WHERE id = k.id AND checksum <> k.checksum))`;
  const isCovered = version >= WITH_SECOND_PLACES;
  const gone = isCovered && which !== 'next' ? `UNION ALL ${selectGone(where)}` : '';
  return `
    SELECT ${COLUMNS}, ${limits}, ${isCovered ? isAsLastChanged : 'true'}, number
      FROM store_orders.api_keys AS k
      WHERE ${where} ${gone} ${order}`;
}

/**
 * Returns the statement that selects a row without columns for each key of which only changes are
 * left, and for each change with a number that none can have.
 */
function selectGone(where: string): string {
  return `
    SELECT id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
      FROM store_orders.key_changes AS c
      WHERE ${where} AND
        (change < 1 OR NOT EXISTS (SELECT FROM store_orders.api_keys WHERE id = c.id))`;
}

/** Keys in the order of their ids, and the changes of each, read before it. */
export interface KeyChunk {
  readonly rows: readonly KeyRow[];
  readonly changes: ReadonlyMap<string, readonly KeyChangeRow[]>;
}

/** Yields the rows of all keys, of which only one chunk is in memory at a time. */
export async function* keyRowsIn(db: Queryable, version = SCHEMA_VERSION): AsyncIterable<KeyChunk> {
  const isCovered = version >= WITH_SECOND_PLACES;
  const next: Statement = { name: `next_keys_${version}`, text: selectKeys('next', version) };
  const first: Statement = { name: `first_key_${version}`, text: selectKeys('one', version) };
  if (isCovered) yield { rows: await db.query<KeyRow>(GONE), changes: new Map() };
  // No id is before this one.
  yield { rows: await db.query<KeyRow>(first, ['']), changes: new Map() };
  for (let after: string | undefined = ''; after !== undefined; ) {
    // A key that is added meanwhile may move the last ones to the next chunk.
    const changes: KeyChangeRow[] = isCovered ? await db.query(NEXT_CHANGES, [after]) : [];
    const rows: KeyRow[] = await db.query(next, [after]);
    yield { rows, changes: Map.groupBy(changes, ([id]) => id) };
    after = rows.at(-1)?.[0];
  }
}

const GONE: Statement = { name: 'gone_keys', text: selectGone('true') };
const NEXT_CHANGES: Statement = {
  name: 'next_key_changes',
  text: `SELECT id, checksum, limits_checksum FROM store_orders.key_changes
           WHERE id IN (SELECT id FROM store_orders.api_keys WHERE id > $1 ${NEXT_KEYS})`,
};
const FIND: Statement = { name: 'find_key', text: selectKeys('one') };
const LIST: Statement = { name: 'list_keys', text: selectKeys('oldest first') };
const ADD: Statement = {
  name: 'add_key',
  text: `INSERT INTO store_orders.api_keys (${COLUMNS}, limits, limits_checksum)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
             WHERE NOT EXISTS (SELECT FROM store_orders.key_changes WHERE id = $1)
           ON CONFLICT DO NOTHING RETURNING id`,
};
const REVOKE: Statement = {
  name: 'revoke_key',
  text: `UPDATE store_orders.api_keys SET revoked_at = $1, checksum = $2
           WHERE id = $3 AND checksum = $4 RETURNING id`,
};
const LIMIT: Statement = {
  name: 'limit_key',
  text: `UPDATE store_orders.api_keys SET limits = $1, limits_checksum = $2
           WHERE id = $3 AND ($4::boolean OR limits_checksum IS NOT DISTINCT FROM $5)
           RETURNING id`,
};

/** The API keys in PostgreSQL. */
export class PostgresKeyStore implements KeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const [row] = await this.#db.query<KeyRow>(FIND, [id]);
    return row && keyOf(row);
  }

  async list(): Promise<readonly ApiKey[]> {
    return (await this.#db.query<KeyRow>(LIST)).map(keyOf);
  }

  async count(): Promise<number> {
    let count = 0;
    for await (const { rows } of keyRowsIn(this.#db)) count += rows.map(keyIn).length;
    return count;
  }

  async add(key: ApiKey): Promise<boolean> {
    const row = keyRow({ ...key, name: JSON.stringify(key.name) });
    const isAdded = await this.#change(`the key ${key.id} was added`, ADD, row, async () => {
      return (await this.find(key.id))?.hash.equals(key.hash) === true;
    });
    if (isAdded) return true;
    // Throws if the row of the key that has the id is gone.
    await this.find(key.id);
    return false;
  }

  async revoke(id: string, at: Instant): Promise<boolean> {
    const [row] = await this.#db.query<KeyRow>(FIND, [id]);
    const values = revocationOf(row, at);
    if (values === undefined) return false;
    return this.#change(`the key ${id} was revoked`, REVOKE, values, async () => {
      return (await this.find(id))?.revokedAt === at;
    });
  }

  async limit(id: string, limits: KeyLimits, before?: KeyLimits): Promise<boolean> {
    const [row] = await this.#db.query<KeyRow>(FIND, [id]);
    const values = limitingOf(row, limits, before);
    if (values === undefined) return false;
    return this.#change(`the limits of the key ${id} were changed`, LIMIT, values, async () => {
      return isDeepStrictEqual((await this.find(id))?.limits ?? {}, limits);
    });
  }

  /** Returns true if a statement has changed a row. */
  async #change(
    clause: string,
    statement: Statement,
    values: readonly unknown[],
    isMade: () => Promise<boolean>,
  ): Promise<boolean> {
    const change = () => this.#db.query(statement, values);
    return (await orFound(this.#db.place, clause, change, isMade))?.length !== 0;
  }
}

function keyOf(row: KeyRow): ApiKey {
  const key = keyIn(row);
  return { ...key, name: JSON.parse(key.name) as string };
}
