/** A working table in a temporary database of SQLite, which spills what its cache cannot hold. */

import { accessSync, constants, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Entry, WorkingTable } from '../../app/ports/working-table.ts';

/** The pages that stay in memory, in KiB. A table that fits into them is never written to a disk. */
const CACHE_KIB = 32 * 1_024;
/** The entries that are read at once. */
const PAGE_ENTRIES = 2_048;
/** The entries of one statement. One by one, an entry takes three times as long. */
const STATEMENT_ENTRIES = 64;

/**
 * The name of a database that SQLite keeps in memory as far as its cache goes, and beyond that in a
 * file of the folder for temporary files. It removes the file's name at once, so that nobody else opens
 * it, and nothing is left of it after the process (https://www.sqlite.org/inmemorydb.html#temp_db).
 */
const TEMPORARY = '';

const SCHEMA = `
  PRAGMA cache_size = -${CACHE_KIB};
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    key   INTEGER NOT NULL UNIQUE,
    text  TEXT NOT NULL
  ) STRICT;
  BEGIN;
`;

/** Opens an empty working table. */
export function openWorkingTable(): WorkingTable {
  return new TemporaryTable(new Database(TEMPORARY).exec(SCHEMA));
}

class TemporaryTable implements WorkingTable {
  readonly #db: Database.Database;
  readonly #size: Database.Statement;
  readonly #add: Statements;
  readonly #put: Statements;
  readonly #get: Database.Statement;
  readonly #getAll: Statements;
  readonly #page: Database.Statement;
  readonly #highest: Database.Statement;
  /** An import into a new store asks an empty table about each order, which took 8 % of its time. */
  #isEmpty = true;

  constructor(db: Database.Database) {
    this.#db = db;
    // Places count from 1, without gaps: no entry is ever removed.
    this.#size = db.prepare('SELECT coalesce(max(place), 0) FROM entries').pluck();
    const insert = (rows: string, otherwise: string) =>
      db.prepare(
        `INSERT INTO entries (key, text) VALUES ${rows} ON CONFLICT (key) DO ${otherwise}`,
      );
    this.#add = new Statements('(?, ?)', (rows) => insert(rows, 'NOTHING'));
    this.#put = new Statements('(?, ?)', (rows) => insert(rows, 'UPDATE SET text = excluded.text'));
    const select = (condition: string) =>
      db.prepare(`SELECT key, text FROM entries WHERE ${condition}`).raw().safeIntegers();
    this.#get = db.prepare('SELECT text FROM entries WHERE key = ?').pluck();
    this.#getAll = new Statements('?', (keys) => select(`key IN (${keys})`));
    this.#page = select(`place > ? ORDER BY place LIMIT ${PAGE_ENTRIES}`);
    this.#highest = db.prepare('SELECT max(key) FROM entries').pluck().safeIntegers();
  }

  get size(): number {
    return this.#size.get() as number;
  }

  add(entries: readonly Entry[]): readonly Entry[] {
    const leftOut: Entry[] = [];
    this.#isEmpty &&= entries.length === 0;
    for (const [statement, some] of this.#add.for(entries)) {
      const { changes } = orRefused(() => statement.run(some.flat()));
      if (changes === some.length) continue;
      leftOut.push(...some.filter(([key, text]) => this.get(key) !== text));
    }
    return leftOut;
  }

  put(entries: Iterable<Entry>): void {
    const all = [...entries];
    this.#isEmpty &&= all.length === 0;
    for (const [statement, some] of this.#put.for(all)) {
      orRefused(() => statement.run(some.flat()));
    }
  }

  get(key: bigint): string | undefined {
    if (this.#isEmpty) return undefined;
    return orRefused(() => this.#get.get(key)) as string | undefined;
  }

  getAll(keys: Iterable<bigint>): ReadonlyMap<bigint, string> {
    const found = new Map<bigint, string>();
    if (this.#isEmpty) return found;
    for (const [statement, some] of this.#getAll.for([...keys])) {
      const entries = orRefused(() => statement.all(some)) as Entry[];
      for (const [key, text] of entries) found.set(key, text);
    }
    return found;
  }

  *pages(): Iterable<readonly Entry[]> {
    for (let place = 0; ; place += PAGE_ENTRIES) {
      const entries = orRefused(() => this.#page.all(place)) as Entry[];
      if (entries.length > 0) yield entries;
      if (entries.length < PAGE_ENTRIES) return;
    }
  }

  highestKey(): bigint | undefined {
    return (this.#highest.get() as bigint | null) ?? undefined;
  }

  close(): void {
    this.#db.close();
  }
}

/** A statement for many items at once, and the same for one. */
class Statements {
  readonly #many: Database.Statement;
  readonly #one: Database.Statement;

  /**
   * @param item The parameters of one item.
   * @param prepare Returns the statement for items, which are separated by commas.
   */
  constructor(item: string, prepare: (items: string) => Database.Statement) {
    this.#many = prepare(Array<string>(STATEMENT_ENTRIES).fill(item).join(', '));
    this.#one = prepare(item);
  }

  /** Yields the statements for items, with the items of each. */
  *for<Item>(items: readonly Item[]): Iterable<readonly [Database.Statement, readonly Item[]]> {
    const whole = items.length - (items.length % STATEMENT_ENTRIES);
    for (let at = 0; at < whole; at += STATEMENT_ENTRIES) {
      yield [this.#many, items.slice(at, at + STATEMENT_ENTRIES)];
    }
    for (const item of items.slice(whole)) yield [this.#one, [item]];
  }
}

/** Does work on a table. Its errors are those of the disk, which the user can remedy. */
function orRefused<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new UserError(
      `The folder for temporary files, ${temporaryFolder()}, cannot be used: ` +
        `${(error as Error).message}. SQLITE_TMPDIR, or else TMPDIR, names another.`,
      { cause: error },
    );
  }
}

/** Returns the folder in which SQLite makes temporary files (os_unix.c, unixTempFileDir). */
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const places = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return places.find((place) => place !== undefined && isWritableFolder(place)) ?? '.';
}

function isWritableFolder(place: string): boolean {
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
