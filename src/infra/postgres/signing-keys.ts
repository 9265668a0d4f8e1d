import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Queryable, Statement } from './connection/connection.ts';

const LIST: Statement = {
  name: 'list_signing_keys',
  text: 'SELECT verifier_key, since FROM store_orders.signing_keys ORDER BY number',
};
// Of two additions at once, one conflicts with the number of the other.
const ADD: Statement = {
  name: 'add_signing_key',
  text: `INSERT INTO store_orders.signing_keys SELECT $1::integer + 1, $2, $3
           WHERE (SELECT count(*) FROM store_orders.signing_keys) = $1::integer
           ON CONFLICT DO NOTHING RETURNING number`,
};

/** The record of signing keys in PostgreSQL. */
export class PostgresSigningKeys implements SigningKeys {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async list(): Promise<readonly SignedWith[]> {
    const rows = await this.#db.query<[verifierKey: string, since: Instant]>(LIST);
    return rows.map(([verifierKey, since]) => ({ verifierKey, since }));
  }

  async add({ verifierKey, since }: SignedWith, known: number): Promise<boolean> {
    return (await this.#db.query(ADD, [known, verifierKey, since])).length === 1;
  }
}
