/**
 * The synchronous standbys of a database, for which commits wait. While they confirm none, a server
 * shows events that a failover would take back: those of a commit whose wait was ended there, and
 * after a restart also those of every other one.
 */

import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Route, RoutedClient } from './route.ts';

/**
 * An empty commit. It waits for the synchronous standby like any other, and so for everything
 * committed before it. As part of the statement, unlike a commit behind it, it is ended by the
 * statement timeout: nothing else ends the session of a client that has left meanwhile.
 */
const BARRIER = `DO $$ BEGIN
  PERFORM pg_catalog.pg_logical_emit_message(true, 'store_orders', ''); COMMIT;
END $$`;

/** The barrier for a user who may not use the language of {@link BARRIER}; no timeout ends it. */
const PLAIN_BARRIER = `SELECT pg_catalog.pg_logical_emit_message(true, 'store_orders', '')`;

/** The pause between two barriers while no commit is confirmed, in milliseconds. */
const RETRY_INTERVAL_MS = 250;

/**
 * Thrown if a commit is not confirmed in time, which happens if a synchronous standby does not
 * answer.
 */
export class Unconfirmed extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`no commit is confirmed (${why}): a synchronous standby may be away`, options);
  }
}

/**
 * Waits until everything committed so far is on the standbys. Throws {@link Unconfirmed} if the
 * session's statement timeout, or somebody else, ends the wait.
 */
export async function waitForStandbys(client: pg.ClientBase): Promise<void> {
  let warning: Error | undefined;
  const noticed = ({
    code,
    message,
  }: {
    code: string | undefined;
    message: string | undefined;
  }) => {
    if (code?.startsWith('01')) warning = new Error(message);
  };
  client.on('notice', noticed);
  try {
    await client.query(BARRIER).catch((error) => {
      if (!LACKS_LANGUAGE.has(error.code)) throw error;
      return client.query(PLAIN_BARRIER);
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError || !/timeout/.test((error as Error).message)) throw error;
    throw new Unconfirmed('no answer in time', { cause: error });
  } finally {
    client.off('notice', noticed);
  }
  if (warning !== undefined) throw waitEnded(warning);
}

/** Returns the error of a commit whose wait for a standby was ended: the server has only warned of it. */
export function waitEnded(warning: Error): Unconfirmed {
  return new Unconfirmed('the wait was ended', { cause: warning });
}

/** The codes for a language that is not there, or that the user may not use. */
const LACKS_LANGUAGE: ReadonlySet<unknown> = new Set(['42704', '42501']);

/** Receives each change of the standbys. */
interface StandbyWatcher {
  /** Called after each change of {@link Standbys.silence}. */
  changed(): void;
  /** Applies the settings of a session to a connection that will wait. */
  opened(client: RoutedClient): Promise<void>;
}

/**
 * Finds out when commits are confirmed again: by one barrier after the other, each on a connection of
 * its own. That nothing waits any more shows nothing, because the sessions that waited may have been
 * ended.
 */
export class Standbys {
  readonly #route: Route;
  readonly #settings: pg.ClientConfig;
  readonly #watcher: StandbyWatcher;
  readonly #clients = new Set<RoutedClient>();
  #silence: Unconfirmed | undefined;
  #isFollowed = false;

  constructor(route: Route, settings: pg.ClientConfig, watcher: StandbyWatcher) {
    this.#route = route;
    this.#settings = settings;
    this.#watcher = watcher;
  }

  /** The reason why nothing new is to be read; undefined while commits are confirmed. */
  get silence(): Unconfirmed | undefined {
    return this.#silence;
  }

  /** From now on, keeps the reason of {@link unconfirmed} until a commit is confirmed. */
  follow(): void {
    this.#isFollowed = true;
  }

  /** Notes that a commit is not confirmed in time. */
  unconfirmed(silence = new Unconfirmed('commits have waited for over 2 seconds')): void {
    if (!this.#isFollowed || this.#silence !== undefined) return;
    this.#silence = silence;
    this.#watcher.changed();
    void this.#untilConfirmed();
  }

  close(): void {
    this.#isFollowed = false;
    for (const client of this.#clients) client.cut();
  }

  async #untilConfirmed(): Promise<void> {
    while (this.#isFollowed) {
      try {
        await this.#confirm();
        this.#silence = undefined;
        this.#watcher.changed();
        return;
      } catch {
        // An outage is noticed by others.
        await setTimeout(RETRY_INTERVAL_MS, undefined, { ref: false });
      }
    }
  }

  async #confirm(): Promise<void> {
    const client = await this.#route.open(this.#settings, this.#clients);
    if (!this.#isFollowed) client.cut();
    try {
      await this.#watcher.opened(client);
      await waitForStandbys(client);
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}
