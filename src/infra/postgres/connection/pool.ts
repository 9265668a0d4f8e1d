/**
 * The pool of a database's connections. While no other can be opened, those that are open have to
 * suffice: each call waits for one, instead of failing because the server has none left.
 */

import pg from 'pg';
import { isUsedUp } from './errors.ts';

/** The connections of an instance at most, beside the one that listens. */
const MAX_CONNECTIONS = 6;
/** The longest wait for one of them while no other can be opened, in milliseconds. */
const FREE_WITHIN_MS = 250;
/** The time for which no other is opened after the server had none left, in milliseconds. */
const PAUSE_MS = 1_000;

interface PoolOptions extends Pick<pg.PoolConfig, 'Client' | 'onConnect'> {
  /** The longest time to open a connection, or to wait for a free one, in milliseconds. */
  readonly connectMs: number;
  /** Receives the error of an idle connection that has failed. */
  readonly failed: (error: Error) => void;
}

export class Pool {
  readonly #pool: pg.Pool;
  readonly #connectMs: number;
  /** The connections that were opened, and are not closed. Some that are cut were never opened. */
  readonly #open = new Set<pg.PoolClient>();
  #isStandbySilent = false;
  /** The server's error when it had no connection left, for as long as no other is opened. */
  #usedUp: Error | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor({ connectMs, failed, ...options }: PoolOptions) {
    this.#connectMs = connectMs;
    this.#pool = new pg.Pool({
      ...options,
      connectionTimeoutMillis: connectMs,
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: 60_000,
    });
    // The pool replaces an idle connection that has failed when the next one is needed.
    this.#pool.on('error', failed);
    this.#pool.on('connect', (client) => this.#open.add(client));
    this.#pool.on('remove', (client) => this.#open.delete(client));
  }

  /** True once the pool is being closed. */
  get isEnding(): boolean {
    return this.#pool.ending;
  }

  /** The number of connections in each state, and of the calls that wait for one. */
  get counts(): Readonly<Record<'idle' | 'used' | 'waiting', number>> {
    const { idleCount: idle, totalCount, waitingCount } = this.#pool;
    // The pool assigns idle connections to waiting calls only in the next tick.
    return { idle, used: totalCount - idle, waiting: Math.max(0, waitingCount - idle) };
  }

  /**
   * Takes a connection. Rejects with the error of a server that has none left if no open one becomes
   * free in time.
   */
  async connect(): Promise<pg.PoolClient> {
    const begun = performance.now();
    for (;;) {
      const leftMs = Math.max(0, FREE_WITHIN_MS - (performance.now() - begun));
      const usedUp = this.#usedUp;
      try {
        return await (usedUp ? this.#free(usedUp, leftMs) : this.#pool.connect());
      } catch (error) {
        // A call that has waited in vain has not asked the server: it does not prolong the pause.
        const isAnswer = isUsedUp(error) && error !== usedUp;
        if (!isAnswer || this.#open.size === 0 || leftMs === 0) throw error;
        this.#serverHasNoneLeft(error);
      }
    }
  }

  /** While a standby is silent, opens no connection, which would wait. */
  standbyIsSilent(isSilent: boolean): void {
    this.#isStandbySilent = isSilent;
    this.#limit();
  }

  async end(): Promise<void> {
    clearTimeout(this.#pause);
    if (!this.isEnding) await this.#pool.end();
  }

  /** Waits for a connection that is open. Rejects with `cause` if none is free in time. */
  async #free(cause: Error, withinMs: number): Promise<pg.PoolClient> {
    const taken = this.#pool.connect();
    const { promise: late, reject } = Promise.withResolvers<never>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(cause);
    }, withinMs);
    taken.then(
      (client) => (isLate ? client.release() : undefined),
      () => {},
    );
    return Promise.race([taken, late]).finally(() => clearTimeout(timer));
  }

  #serverHasNoneLeft(error: Error): void {
    this.#usedUp = error;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#usedUp = undefined;
      this.#limit();
    }, PAUSE_MS).unref();
    this.#limit();
  }

  #limit(): void {
    const { options } = this.#pool;
    const most = this.#usedUp ? this.#open.size : MAX_CONNECTIONS;
    options.max = this.#isStandbySilent ? 0 : most;
    options.connectionTimeoutMillis = this.#isStandbySilent ? FREE_WITHIN_MS : this.#connectMs;
  }
}
