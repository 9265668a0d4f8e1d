import type Database from 'better-sqlite3';
import type { KeptOutcome, KeptOutcomes, OutcomeName } from '../../app/ports/event-log.ts';
import { type KeptRow, keptIn, keptRow } from '../events/row-mapping.ts';

const COLUMNS = 'asked_by, key, fingerprint, order_id, version, refusal, checksum';

/** The outcomes kept under idempotency keys in SQLite, inside the transaction of the log. */
export class KeptOutcomesTable implements KeptOutcomes {
  readonly #select: Database.Statement;
  readonly #selectAfter: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(db: Database.Database) {
    this.#select = db
      .prepare(`SELECT ${COLUMNS} FROM kept_outcomes WHERE asked_by = ? AND key = ?`)
      .raw()
      .safeIntegers();
    this.#selectAfter = db
      .prepare(
        `SELECT ${COLUMNS} FROM kept_outcomes
           WHERE (asked_by, key) > (?, ?) ORDER BY asked_by, key LIMIT ?`,
      )
      .raw()
      .safeIntegers();
    this.#insert = db.prepare('INSERT INTO kept_outcomes VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  recall(by: string, key: string): KeptOutcome | undefined {
    const row = this.#select.get(by, key) as KeptRow | undefined;
    return row && keptIn(row);
  }

  /** Returns the first outcomes after a name, in the order of names. */
  after({ by, key }: OutcomeName, limit: number): KeptOutcome[] {
    return (this.#selectAfter.all(by, key, limit) as KeptRow[]).map(keptIn);
  }

  keep(outcome: KeptOutcome): void {
    this.#insert.run(...keptRow(outcome));
  }
}
