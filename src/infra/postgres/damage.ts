/**
 * Damage that is found while a store is served. What filters hide looks like damage, such as rows
 * behind row security: so before damage is reported, the schema is compared.
 */

import { UnreadableEvent } from '../../app/ports/event-log.ts';
import { AlteredSchema, isDamage, MissingRows, type StoreWatcher } from '../../app/ports/store.ts';
import { Reported } from '../checking/reported.ts';
import { decode } from '../events/codec.ts';
import type { Queryable } from './connection/connection.ts';
import { Database } from './connection/database.ts';
import { MerkleTables } from './merkle-tables.ts';
import { gravestFlaws, OWN_TABLES } from './schema-check.ts';
import { readStored } from './stored-events.ts';

/** Until it ends, no table is altered: the schema and what is read belong together. */
const BEGIN_UNALTERED = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  LOCK TABLE ${OWN_TABLES.map((table) => `store_orders.${table}`)} IN ACCESS SHARE MODE`;

/** The judge of damage that is found while a store is served. */
export class FoundDamage {
  readonly #url: string;
  readonly #watcher: Pick<StoreWatcher, 'impaired'>;
  readonly #altered: Reported;
  #judging: Promise<void> | undefined;

  constructor(url: string, watcher: Pick<StoreWatcher, 'impaired' | 'mended'>) {
    this.#url = url;
    this.#watcher = watcher;
    this.#altered = new Reported(watcher, 'schema_altered');
  }

  /** True while the schema is found to be altered: see {@link look}. */
  get isAltered(): boolean {
    return this.#altered.isOn;
  }

  /**
   * Reports damage, or the altered schema that explains it. Damage that cannot be judged now, or is
   * found during a judgement, is found again by the next look or request.
   */
  readonly report = (cause: Error): void => {
    this.#judging ??= this.#judge(cause).finally(() => {
      this.#judging = undefined;
    });
  };

  /** Looks if an altered schema is as it was. */
  async look(db: Queryable): Promise<void> {
    if (this.isAltered) this.#altered.noteFirst(await gravestFlaws(db));
  }

  async #judge(cause: Error): Promise<void> {
    const why = await judged(this.#url, cause).catch(() => undefined);
    if (why instanceof AlteredSchema) this.#altered.note(why);
    else if (why !== undefined) this.#watcher.impaired('store_damaged', why);
  }
}

/** Returns the reason for damage: an altered schema, or itself; undefined if it has passed. */
async function judged(url: string, cause: Error): Promise<Error | undefined> {
  // A new connection of the service would be refused because of the damage.
  const db = new Database(url);
  try {
    return await db.use(async (connection) => {
      await connection.run(BEGIN_UNALTERED);
      const [flaw] = await gravestFlaws(connection);
      const reason = flaw === undefined ? cause : new AlteredSchema(flaw);
      const hasPassed = reason === cause && (await isThere(connection, cause));
      await connection.run('COMMIT');
      return hasPassed ? undefined : reason;
    });
  } finally {
    await db.close();
  }
}

/** Returns true if what was missing is there. */
async function isThere(db: Queryable, cause: Error): Promise<boolean> {
  try {
    if (cause instanceof UnreadableEvent) {
      const [event] = await readStored(db, cause.position - 1, 1);
      return event?.position === cause.position && decode(event).position === cause.position;
    }
    if (!(cause instanceof MissingRows)) return false;
    await new MerkleTables(db).requireWhole();
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
