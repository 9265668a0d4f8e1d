import type Database from 'better-sqlite3';
import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';
import { orUnavailable } from './storage/fault.ts';

/** The record of signing keys in SQLite, over a connection that the caller closes. */
export class SqliteSigningKeys implements SigningKeys {
  readonly #list: Database.Statement;
  readonly #add: Database.Statement;

  constructor(db: Database.Database) {
    this.#list = db.prepare(
      'SELECT verifier_key AS verifierKey, since FROM signing_keys ORDER BY number',
    );
    this.#add = db.prepare(
      `INSERT INTO signing_keys SELECT @known + 1, @verifierKey, @since
         WHERE (SELECT count(*) FROM signing_keys) = @known`,
    );
  }

  async list(): Promise<readonly SignedWith[]> {
    return orUnavailable(() => this.#list.all() as SignedWith[]);
  }

  async add(key: SignedWith, known: number): Promise<boolean> {
    return orUnavailable(() => this.#add.run({ ...key, known })).changes === 1;
  }
}
