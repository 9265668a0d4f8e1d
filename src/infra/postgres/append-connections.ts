import type { Connection } from './connection/connection.ts';
import type { Database } from './connection/database.ts';

/**
 * The time without an append after which its connection is returned to the pool, in milliseconds.
 */
const READY_MS = 1_000;

/**
 * The connections of appends. The last one is kept ready, so that the next append is sent at once.
 */
export class AppendConnections {
  readonly #db: Database;
  #ready: Connection | undefined;
  #unused: NodeJS.Timeout | undefined;
  /** The connections of all appends in flight, once for each append. */
  readonly #inUse: Connection[] = [];
  #isClosed = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the connection that is ready, if there is one, without waiting. */
  ready(): Connection | undefined {
    const connection = this.#ready;
    this.#ready = undefined;
    if (connection === undefined || (connection.isOpen && !this.#db.isRefused)) return connection;
    connection.release(new Error('it is not to be used any more'));
    return undefined;
  }

  /** Does work on a connection, and keeps it ready when its last append has ended. */
  async use<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
    this.#inUse.push(connection);
    try {
      return await work();
    } finally {
      this.#inUse.splice(this.#inUse.indexOf(connection), 1);
      if (connection.isOpen && !this.#inUse.includes(connection)) this.#keepReady(connection);
    }
  }

  /** Releases the connection that is ready, and from now on every other one after its use. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#unused);
    this.ready()?.release();
  }

  #keepReady(connection: Connection): void {
    // One is ready already if two appends had a connection each.
    if (this.#ready !== undefined || this.#isClosed) {
      connection.release();
      return;
    }
    this.#ready = connection;
    this.#unused ??= setTimeout(() => this.ready()?.release(), READY_MS).unref();
    this.#unused.refresh();
  }
}
