/** The record of the signing keys of a store in PostgreSQL. */

import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';
import { signedWithIn } from '../checking/stored-check.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { orFound } from './connection/lost-answer.ts';

const LIST: Statement = {
  name: 'list_signing_keys',
  text: 'SELECT number, verifier_key, since FROM store_orders.signing_keys ORDER BY number',
};
// Of two additions at once, one conflicts with the number of the other.
const ADD: Statement = {
  name: 'add_signing_key',
  text: `INSERT INTO store_orders.signing_keys SELECT $1::integer + 1, $2, $3
           WHERE (SELECT count(*) FROM store_orders.signing_keys) = $1::integer
           ON CONFLICT DO NOTHING RETURNING number`,
};

/** Returns all signing keys, oldest first. Throws {@link DamagedStore} for an impossible row. */
export async function signingKeysIn(db: Queryable): Promise<readonly SignedWith[]> {
  return signedWithIn(await db.query<[number, string, string]>(LIST));
}

/** The record of signing keys in PostgreSQL. */
export class PostgresSigningKeys implements SigningKeys {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(): Promise<readonly SignedWith[]> {
    return signingKeysIn(this.#db);
  }

  async add({ verifierKey, since }: SignedWith, known: number): Promise<boolean> {
    const change = () => this.#db.query(ADD, [known, verifierKey, since]);
    const rows = await orFound(this.#db.place, 'the signing key was added', change, async () => {
      return (await this.list())[known]?.verifierKey === verifierKey;
    });
    return rows?.length !== 0;
  }
}
