/**
 * The memory of a witness in a file of SQLite: the key that it signs with, and the latest cosigned
 * checkpoint of each log. A commit is on the disk before it is answered, and any number of processes may
 * use one file. The database itself refuses a smaller checkpoint.
 */

import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { Cosigner } from '../../../app/audit/witness/cosigner.ts';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { DamagedStore, StoreUnavailable } from '../../../app/ports/store.ts';
import type {
  CosignedCheckpoint,
  WitnessDecision,
  WitnessMemory,
} from '../../../app/ports/witness-memory.ts';
import { syncFolder } from '../../process/sync-folder.ts';
import { openDurably } from '../database.ts';
import { refuseForeignFile } from '../migrations.ts';
import { isBusy, orUnavailable } from '../storage/fault.ts';
import { cannotOpen, fileBehind, statStore } from '../store-file.ts';
import { damageIn } from '../wal/guard.ts';
import { Wal } from '../wal/wal.ts';

/** "WITN": the application id of such a file (PRAGMA application_id). */
const APPLICATION_ID = 0x5749544e;
const SCHEMA_VERSION = 1;

const CHECK = 'Check --db.';
/** The ends of the names of the files that SQLite has beside it. */
const BESIDE = ['-wal', '-shm', '-journal'];

const SCHEMA = `
  CREATE TABLE witness (
    verifier_key TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER witness_is_one BEFORE INSERT ON witness
  WHEN EXISTS (SELECT 1 FROM witness)
  BEGIN SELECT RAISE(ABORT, 'a file is of one witness'); END;

  CREATE TRIGGER witness_is_never_updated BEFORE UPDATE ON witness
  BEGIN SELECT RAISE(ABORT, 'a file is of one witness'); END;

  CREATE TRIGGER witness_is_never_deleted BEFORE DELETE ON witness
  BEGIN SELECT RAISE(ABORT, 'a file is of one witness'); END;

  CREATE TABLE cosigned (
    origin TEXT PRIMARY KEY,
    size   INTEGER NOT NULL,
    note   TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER cosigned_only_grow BEFORE UPDATE ON cosigned
  WHEN NEW.origin IS NOT OLD.origin OR NEW.rowid <> OLD.rowid OR NEW.size < OLD.size
  BEGIN SELECT RAISE(ABORT, 'a witness only goes forward'); END;

  -- REPLACE deletes a row without a delete trigger: the one with the same key, or the same rowid.
  CREATE TRIGGER cosigned_are_never_replaced BEFORE INSERT ON cosigned
  WHEN EXISTS (SELECT 1 FROM cosigned WHERE origin = NEW.origin OR rowid = NEW.rowid)
  BEGIN SELECT RAISE(ABORT, 'a witness only goes forward'); END;

  CREATE TRIGGER cosigned_are_never_deleted BEFORE DELETE ON cosigned
  BEGIN SELECT RAISE(ABORT, 'a witness only goes forward'); END;

  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The cosigned checkpoints in a file, which {@link openWitnessMemory} opens. */
export class WitnessMemoryFile implements WitnessMemory {
  readonly #db: Database.Database;
  readonly #wal: Wal;
  readonly #find: Database.Statement;
  readonly #findMisplaced: Database.Statement;
  readonly #add: Database.Statement;
  readonly #advance: Database.Statement;

  constructor(db: Database.Database, wal: Wal) {
    this.#db = db;
    this.#wal = wal;
    this.#find = db.prepare('SELECT size, note FROM cosigned WHERE origin = ?');
    this.#findMisplaced = db.prepare(
      'SELECT 1 FROM cosigned WHERE substr(note, 1, length(@origin) + 1) = @origin || char(10)',
    );
    this.#add = db.prepare('INSERT INTO cosigned (size, note, origin) VALUES (?, ?, ?)');
    this.#advance = db.prepare('UPDATE cosigned SET size = ?, note = ? WHERE origin = ?');
  }

  latest(origin: string): CosignedCheckpoint | undefined {
    return orAway(this.#db, () => this.#latest(origin));
  }

  update<Result>(
    origin: string,
    decide: (latest: CosignedCheckpoint | undefined) => WitnessDecision<Result>,
  ): Result {
    const work = this.#db.transaction(() => {
      const latest = this.#latest(origin);
      const { result, record } = decide(latest);
      const write = latest === undefined ? this.#add : this.#advance;
      if (record !== undefined) write.run(record.size, record.note, origin);
      return result;
    });
    return orAway(this.#db, () => {
      // The next start knows nothing of what is recorded in a file that was moved away.
      this.#wal.requireInPlace();
      return work.immediate();
    });
  }

  #latest(origin: string): CosignedCheckpoint | undefined {
    const latest = this.#find.get(origin) as CosignedCheckpoint | undefined;
    // Otherwise a log whose row has another origin would be new, and any history of it be cosigned.
    if (latest === undefined && this.#findMisplaced.get({ origin }) !== undefined) {
      throw new DamagedStore(`the recorded checkpoint of ${origin} has another origin beside it`);
    }
    return latest;
  }

  close(): void {
    this.#wal.close();
    this.#db.close();
  }
}

/** Throws {@link StoreUnavailable} also for a lock that another process holds for too long. */
function orAway<Result>(db: Database.Database, ask: () => Result): Result {
  try {
    return orUnavailable(db, ask);
  } catch (error) {
    throw isBusy(error) ? new StoreUnavailable(error as Error) : error;
  }
}

/** The key of a witness in its file: the reading of it, and the making. */
export interface CosignerFile {
  /** The name of the file. */
  readonly file: string;
  /** Returns `undefined` if there is no file. */
  readonly read: () => Cosigner | undefined;
  /** Throws {@link UserError} if no name is given for a new key. */
  readonly make: () => Cosigner;
}

/**
 * Opens the memory of a witness with its key. Both are made together: a key without its memory may have
 * cosigned what is forgotten, and could cosign another history. Throws {@link UserError} unless
 * they belong together.
 */
export function openWitnessMemory(
  name: string,
  key: CosignerFile,
): { readonly cosigner: Cosigner; readonly memory: WitnessMemoryFile } {
  const file = fileBehind(name, CHECK);
  statStore(file, BESIDE, CHECK);
  const db = openDurably(file, refuseDamaged, {
    check: (db) => refuseForeign(db, file),
    migrate(db) {
      const create = db.transaction(() => {
        if (refuseForeign(db, file) === 0) db.exec(SCHEMA);
      });
      create.immediate();
      syncFolder(dirname(file));
    },
    damaged: NEW_WITNESS,
  });
  try {
    const cosigner = db.transaction(() => ownKey(db, file, key)).immediate();
    return { cosigner, memory: new WitnessMemoryFile(db, new Wal(file)) };
  } catch (error) {
    db.close();
    throw cannotOpen(error, file, 'opened', NEW_WITNESS);
  }
}

function refuseForeign(db: Database.Database, file: string): number {
  return refuseForeignFile(db, file, { id: APPLICATION_ID, newest: SCHEMA_VERSION });
}

function refuseDamaged(file: string): void {
  const damage = damageIn(`${file}-wal`);
  if (damage === undefined) return;
  throw new UserError(
    `${file}-wal is damaged at ${damage}, and what was cosigned later would be forgotten. ${NEW_WITNESS}`,
  );
}

const NEW_WITNESS =
  'A witness that has forgotten what it cosigned must not go on: make another one, with a new key and a ' +
  'new file, and give its public key to those who rely on it.';

function ownKey(db: Database.Database, file: string, key: CosignerFile): Cosigner {
  const known = db.prepare('SELECT verifier_key FROM witness').pluck().get();
  const there = key.read();
  if (known === undefined && there === undefined) {
    const made = key.make();
    db.prepare('INSERT INTO witness VALUES (?)').run(made.verifierKey);
    return made;
  }
  if (known === undefined) {
    throw new UserError(
      `${file} has no record of this key, which may have cosigned before. ${NEW_WITNESS}`,
    );
  }
  // The table is STRICT: a page of it was changed.
  if (typeof known !== 'string') {
    throw new UserError(`${file} is damaged: its record of the key is no text. ${NEW_WITNESS}`);
  }
  if (there === undefined) {
    throw new UserError(
      `${key.file} is missing, and this witness signs with the key in it, ${known}. ` +
        'Restore a copy of the file.',
    );
  }
  if (there.verifierKey === known) return there;
  throw new UserError(`${file} is the memory of another witness: ${known}.`);
}
