import type Database from 'better-sqlite3';
import type { KeptOutcome, KeptOutcomes, OutcomeName } from '../../app/ports/event-log.ts';
import type { Decided, Refusal } from '../../app/submission.ts';
import type { OrderId } from '../../domain/order-id.ts';

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
    return row && { by, key, fingerprint: row[0], decided: decidedIn(row) };
  }

  /** The first that were kept after a name, in the order of askers and keys. */
  after({ by, key }: OutcomeName, limit: number): KeptOutcome[] {
    const rows = this.#selectAfter.all(by, key, limit) as [string, string, ...Row][];
    return rows.map(([asker, name, ...row]) => {
      return { by: asker, key: name, fingerprint: row[0], decided: decidedIn(row) };
    });
  }

  keep({ by, key, fingerprint, decided }: KeptOutcome): void {
    const columns =
      decided.kind === 'accepted'
        ? [decided.orderId, decided.version, null]
        : [null, null, decided.reason];
    this.#insert.run(by, key, fingerprint, ...columns);
  }
}

type Row = [fingerprint: string, orderId: OrderId, version: bigint, refusal: Refusal | null];

function decidedIn([, orderId, version, refusal]: Row): Decided {
  return refusal === null
    ? { kind: 'accepted', orderId, version: Number(version) }
    : { kind: 'rejected', reason: refusal };
}
