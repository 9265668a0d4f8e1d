/** The repeated looks at a database that is served: they find out if requests can be answered. */

import { CLOCKS } from '../../app/clock.ts';
import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';
import { Readability } from '../checking/readability.ts';
import { Reported } from '../checking/reported.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import {
  isRefusedForGood,
  isRefusedForNow,
  isRefusedRead,
  notDurableIn,
} from './connection/errors.ts';
import type { FoundDamage } from './damage.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { gravestFlaws } from './schema-check.ts';
import { missingRights, unsafeSettings } from './start/checks.ts';
import { refusalIn, refusedWrites } from './start/writes.ts';

/** The interval of the looks beside the head, in milliseconds. After a failure, none is left out. */
const LOOK_INTERVAL_MS = 3_000;

/** The looks that have to fail in succession for a reason that may pass, such as a lock. */
const MIN_FAILURES = 2;

/**
 * Reads no row of the tables that requests need. It fails if a table or a right is missing, or if
 * another session has locked a table. The head is read from `events` and `tree`.
 */
const TABLES: Statement = {
  name: 'tables',
  text: `SELECT FROM store_orders.api_keys, store_orders.key_changes, store_orders.kept_outcomes,
                     store_orders.tree_nodes, store_orders.event_traces, store_orders.epochs,
                     store_orders.store
           WHERE false`,
};

type Reports = Pick<StoreWatcher, 'impaired' | 'mended'>;

/** The looks at a database while its store is served, and what they have found. */
export class Looks {
  readonly #db: Queryable;
  readonly #damage: FoundDamage;
  readonly #settings: Reported;
  readonly #rights: Reported;
  readonly #writes: Reported;
  readonly #readability: Readability;
  #failures = 0;
  #dueMs = 0;

  constructor(db: Queryable, watcher: Reports, damage: FoundDamage) {
    this.#db = db;
    this.#damage = damage;
    this.#settings = new Reported(watcher, 'settings_unsafe');
    this.#rights = new Reported(watcher, 'rights_missing');
    this.#writes = new Reported(watcher, 'writes_refused');
    this.#readability = new Readability(watcher);
  }

  /**
   * Must be called after each look, with its error if it failed. It reports that the store cannot be
   * read, and that it can again. An outage is reported by others.
   */
  readonly looked = (error: Error | undefined): void => {
    this.#failures = error !== undefined && isRefusedForNow(error) ? this.#failures + 1 : 0;
    const notDurable = error && notDurableIn(error);
    if (error !== undefined && isDamage(error)) this.#damage.report(error);
    else if (notDurable !== undefined) this.#settings.note(notDurable);
    else if (error === undefined || isRefusedRead(error) || this.#failures >= MIN_FAILURES)
      this.#readability.note(error);
  };

  /** Reports a write that the server has refused, unless that passes by itself. */
  readonly refused = (error: Error): void => {
    if (isRefusedForGood(error)) this.#writes.note(new Error(refusalIn(error)));
  };

  /**
   * Looks at the settings; and at the tables, the rights of the user and the writes that are let
   * through, but not more often than each {@link LOOK_INTERVAL_MS} as long as all is well. Throws if a
   * table cannot be read.
   */
  readonly besideHead = async (): Promise<void> => {
    const db = this.#db;
    this.#settings.noteFirst(await unsafeSettings(db));
    if (CLOCKS.elapsed() < this.#dueMs && !this.#writes.isOn && !this.#damage.isAltered) return;
    this.#rights.noteFirst(await missingRights(db));
    await db.query(TABLES);
    // Behind the reads: both would wait for a locked table.
    await this.#lookAtWrites();
    await this.#damage.look(db);
    if (!this.#rights.isOn) this.#dueMs = CLOCKS.elapsed() + LOOK_INTERVAL_MS;
  };

  async #lookAtWrites(): Promise<void> {
    const refused = await refusedWrites(this.#db);
    if (refused === undefined) return;
    // A refusal of rows, such as by a constraint of somebody else, is not found without one.
    const isOver =
      !this.#writes.isOn || (await gravestFlaws(this.#db, SCHEMA_VERSION)).length === 0;
    if (refused.length > 0 || isOver) this.#writes.noteFirst(refused);
  }
}

/**
 * Returns a function to call after each look that succeeds, with the reason if there are no
 * notifications of other instances. It logs that, and that they are back.
 */
export function hearingOf(
  watcher: Pick<StoreWatcher, 'noticed'>,
): (cause: Error | undefined) => void {
  let isHearing = true;
  return (cause) => {
    if (isHearing === (cause === undefined)) return;
    isHearing = cause === undefined;
    const message = isHearing
      ? 'notifications of the database are received again'
      : 'notifications of the database are not received: the log is read more often';
    watcher.noticed(message, { cause: cause?.message });
  };
}
