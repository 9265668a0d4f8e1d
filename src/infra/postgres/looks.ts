/** The repeated looks at a database that is served: they find out if requests can be answered. */

import { CLOCKS } from '../../app/clock.ts';
import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';
import { Readability, Reported } from '../checking/reported.ts';
import type { Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import {
  isDiskFull,
  isHeldUp,
  isRefusedForGood,
  isRefusedForNow,
  isRefusedRead,
  notDurableIn,
} from './connection/errors.ts';
import type { FoundDamage } from './damage.ts';
import { gravestFlaws } from './schema-check.ts';
import { missingRights, unsafeSettings } from './start/checks.ts';
import { heldUpWrite, refusalIn, refusedWrites } from './start/writes.ts';

/** The interval of the looks beside the head, in milliseconds. After a failure, none is left out. */
const POLL_INTERVAL_MS = 3_000;

/** The looks that have to fail in succession for a reason that may pass, such as a lock. */
const MIN_FAILURES = 2;

/**
 * Reads no row of the tables that requests need. It fails if a table or a right is missing, or if
 * another session has locked a table. The head is read from `events` and `tree`.
 */
const TABLES_THERE: Statement = {
  name: 'tables',
  text: `SELECT FROM store_orders.api_keys, store_orders.key_changes, store_orders.kept_outcomes,
                     store_orders.tree_nodes, store_orders.event_traces, store_orders.epochs,
                     store_orders.store
           WHERE false`,
};

type Reports = Pick<StoreWatcher, 'impaired' | 'mended'>;

/** The looks at a database while its store is served, and what they have found. */
export class Looks {
  readonly #db: Pick<Database, 'query' | 'connect'>;
  readonly #damage: FoundDamage;
  readonly #settings: Reported;
  readonly #rights: Reported;
  readonly #writes: Reported;
  readonly #space: Reported;
  readonly #readability: Readability;
  #failures = 0;
  #dueMs = 0;
  /** True from a write that was refused for a reason that may pass to the next that succeeds. */
  #isHeldUp = false;
  /** The trials in succession that were refused, too. */
  #refusedTrials = 0;

  constructor(db: Pick<Database, 'query' | 'connect'>, watcher: Reports, damage: FoundDamage) {
    this.#db = db;
    this.#damage = damage;
    this.#settings = new Reported(watcher, 'settings_unsafe');
    this.#rights = new Reported(watcher, 'rights_missing');
    this.#writes = new Reported(watcher, 'writes_refused');
    this.#space = new Reported(watcher, 'storage_full');
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

  /**
   * Reports a write that the server has refused. If that may pass by itself, as a lock does, the looks
   * from then on try to write, and report it if it lasts.
   */
  readonly refused = (error: Error): void => {
    const refusal = new Error(refusalIn(error));
    if (isRefusedForGood(error)) this.#writes.note(refusal);
    else if (isHeldUp(error)) this.#isHeldUp = true;
    if (isDiskFull(error)) this.#space.note(refusal);
  };

  /** Must be called after each write that has succeeded. */
  readonly recorded = (): void => {
    if (!this.#isHeldUp) return;
    this.#isHeldUp = false;
    this.#refusedTrials = 0;
    this.#space.note(undefined);
  };

  /**
   * Looks at the settings; and at the tables, the rights of the user and the writes that are let
   * through, but not more often than each {@link POLL_INTERVAL_MS} as long as all is well. Throws if a
   * table cannot be read.
   */
  readonly besideHead = async (): Promise<void> => {
    const db = this.#db;
    this.#settings.noteFirst(await unsafeSettings(db));
    const isWell = !this.#writes.isOn && !this.#isHeldUp && !this.#damage.isAltered;
    if (CLOCKS.elapsed() < this.#dueMs && isWell) return;
    this.#rights.noteFirst(await missingRights(db));
    await db.query(TABLES_THERE);
    // Behind the reads: both would wait for a locked table.
    await this.#lookAtWrites();
    await this.#damage.look(db);
    if (!this.#rights.isOn) this.#dueMs = CLOCKS.elapsed() + POLL_INTERVAL_MS;
  };

  async #lookAtWrites(): Promise<void> {
    const refusal = this.#isHeldUp ? await heldUpWrite(this.#db) : undefined;
    if (refusal !== undefined) return this.#refusedAgain(refusal);
    this.recorded();
    const refused = await refusedWrites(this.#db);
    if (refused === undefined) return;
    // A refusal of rows, such as by a constraint of somebody else, is not found without one.
    const isOver = !this.#writes.isOn || (await gravestFlaws(this.#db)).length === 0;
    if (refused.length > 0 || isOver) this.#writes.noteFirst(refused);
  }

  #refusedAgain(error: Error): void {
    this.refused(error);
    this.#refusedTrials += 1;
    if (isDiskFull(error) || this.#refusedTrials < MIN_FAILURES) return;
    this.#writes.note(new Error(refusalIn(error)));
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
