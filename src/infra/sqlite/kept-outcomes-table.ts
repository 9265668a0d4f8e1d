import type Database from 'better-sqlite3';
import type { KeptOutcome, KeptOutcomes, OutcomeName } from '../../app/ports/event-log.ts';
import type { Refusal } from '../../app/submission.ts';
import { decidedIn, decidedRow } from '../rows.ts';

/** The kept outcomes in SQLite, inside whatever transaction the log has begun. */
export class KeptOutcomesTable implements KeptOutcomes {
  readonly #select: Database.Statement;
  readonly #selectAfter: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(db: Database.Database) {
    this.#select = db
      .prepare(
        `SELECT fingerprint, order_id, version, refusal
           FROM kept_outcomes WHERE asked_by = ? AND key = ?`,
      )
      .raw()
      .safeIntegers();
    this.#selectAfter = db
      .prepare(
        `SELECT asked_by, key, fingerprint, order_id, version, refusal FROM kept_outcomes
           WHERE (asked_by, key) > (?, ?) ORDER BY asked_by, key LIMIT ?`,
      )
      .raw()
      .safeIntegers();
    this.#insert = db.prepare('INSERT INTO kept_outcomes VALUES (?, ?, ?, ?, ?, ?)');
  }

  recall(by: string, key: string): KeptOutcome | undefined {
    const row = this.#select.get(by, key) as Row | undefined;
    return row && keptIn({ by, key }, row);
  }

  /** The first that were kept after a name, in the order of askers and keys. */
  after({ by, key }: OutcomeName, limit: number): KeptOutcome[] {
    const rows = this.#selectAfter.all(by, key, limit) as [string, string, ...Row][];
    return rows.map(([asker, name, ...row]) => keptIn({ by: asker, key: name }, row));
  }

  keep({ by, key, fingerprint, decided }: KeptOutcome): void {
    this.#insert.run(by, key, fingerprint, ...decidedRow(decided));
  }
}

type Row = [
  fingerprint: string,
  orderId: bigint | null,
  version: bigint | null,
  refusal: Refusal | null,
];

function keptIn({ by, key }: OutcomeName, row: Row): KeptOutcome {
  const [fingerprint, orderId, version, refusal] = row;
  // Every whole number comes as a bigint, because an order's id has to.
  const decided = decidedIn([orderId, version === null ? null : Number(version), refusal]);
  return { by, key, fingerprint, decided };
}
