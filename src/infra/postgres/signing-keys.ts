/** The record of the signing keys of a store in PostgreSQL. */

import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';
import { signedWithIn } from '../checking/stored-check.ts';
import type { Queryable, Statement } from './connection/connection.ts';

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
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async list(): Promise<readonly SignedWith[]> {
    return signingKeysIn(this.#db);
  }

  async add({ verifierKey, since }: SignedWith, known: number): Promise<boolean> {
    return (await this.#db.query(ADD, [known, verifierKey, since])).length === 1;
  }
}
