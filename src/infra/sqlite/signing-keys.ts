/** The record of the signing keys of a store in SQLite. */

import type Database from 'better-sqlite3';
import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';
import { type SigningKeyRow, signedWithIn } from '../checking/stored-check.ts';
import { orUnavailable } from './storage/fault.ts';

/** Returns all signing keys, oldest first. Throws {@link DamagedStore} for an impossible row. */
export function signingKeysIn(db: Database.Database): readonly SignedWith[] {
  const select = db.prepare('SELECT number, verifier_key, since FROM signing_keys ORDER BY number');
  return signedWithIn(orUnavailable(db, () => select.raw().all() as SigningKeyRow[]));
}

/** The record of signing keys in SQLite, over a connection that the caller closes. */
export class SqliteSigningKeys implements SigningKeys {
  readonly #db: Database.Database;
  readonly #add: Database.Statement;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#add = db.prepare(
      `INSERT INTO signing_keys SELECT @known + 1, @verifierKey, @since
         WHERE (SELECT count(*) FROM signing_keys) = @known`,
    );
  }

  async list(): Promise<readonly SignedWith[]> {
    return signingKeysIn(this.#db);
  }

  async add(key: SignedWith, known: number): Promise<boolean> {
    return orUnavailable(this.#db, () => this.#add.run({ ...key, known })).changes === 1;
  }
}
