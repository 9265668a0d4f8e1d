/** The database of a store: a pool of checked connections. */

import type pg from 'pg';
import { StoreUnavailable } from '../../../app/ports/store.ts';
import { shownAddress } from '../../settings/postgres-address.ts';
import { Connection, type Queryable, type Statement } from './connection.ts';
import { isOutage, isRefusal } from './errors.ts';
import { TIMEOUTS } from './limits.ts';
import { Unanswered } from './lost-answer.ts';
import { Pool } from './pool.ts';
import { Pulse } from './pulse.ts';
import { type Reach, UNWATCHED } from './reach.ts';
import { Route, type RoutedClient } from './route.ts';
import { applySettings, HOLD_SERVING_LOCK, prepareSession, type SessionUse } from './session.ts';
import { Standbys, Unconfirmed, waitForStandbys } from './standbys.ts';
import { Waiting } from './waiting.ts';

/**
 * The application name of the connection on which a running service listens; the other connections
 * have another one. Counting these counts the running instances, also those of earlier versions.
 */
export const SERVER_NAME = 'store-orders server';

/** The database of a store, over a few connections. Each is checked before it is used. */
export class Database implements Queryable {
  /** The name of the database for people. */
  readonly place: string;
  readonly standbys: Standbys;
  readonly #pool: Pool;
  readonly #route: Route;
  readonly #settings: pg.ClientConfig;
  readonly #statementMs: number;
  readonly #reach: Reach;
  readonly #pulse: Pulse;
  readonly #clients = new Set<RoutedClient>();
  readonly #waiting = new Waiting();
  #isInReach = true;
  #isServing = false;
  #refusal: Error | undefined;
  /** Checks each new connection before its first use. Throws if the connection must not be used. */
  admit: (connection: Connection) => Promise<void> = async () => {};

  constructor(url: string, reach: Reach = UNWATCHED, { connect, answer } = TIMEOUTS) {
    this.place = shownAddress(url);
    this.#route = new Route(url, connect);
    this.#settings = { application_name: 'store-orders', query_timeout: answer, pipeline: true };
    // The server cancels a statement while its client still waits for the answer.
    this.#statementMs = 0.8 * answer;
    this.#reach = reach;
    const opened = (client: RoutedClient) => applySettings(client, this.#use);
    this.#pulse = new Pulse(this.#route, {
      silent: (cause) => this.#silent(cause),
      standbySilent: () => this.standbys.unconfirmed(),
      opened,
    });
    const changed = () => this.#standbysChanged();
    this.standbys = new Standbys(this.#route, this.#settings, { changed, opened });
    this.#pool = new Pool({
      Client: this.#route.clientsWith(this.#settings, this.#clients),
      connectMs: this.#route.connectMs,
      onConnect: (client) => this.#prepare(client as RoutedClient),
      failed: (error) => this.#failed(error),
    });
  }

  /**
   * From now on, fails calls as soon as the database is found to be unreachable, instead of letting
   * each wait for its timeout.
   */
  followPulse(): void {
    this.standbys.follow();
    this.#pulse.begin();
  }

  /** True while the database has not answered anything for too long. */
  get isSilent(): boolean {
    return this.#pulse.silence !== undefined;
  }

  /** Sends one statement. Throws {@link StoreUnavailable}; {@link Unanswered} if it may be carried out. */
  async query<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[] = [],
  ) {
    return this.use(async (connection) => {
      try {
        const rows = await connection.query<Row>(statement, values);
        await connection.confirm();
        // Only after an answer: a connection opened before an outage does not show that it is over.
        this.#succeeded();
        return rows;
      } catch (error) {
        const failure = this.#failed(error as Error);
        throw isRefusal(error) ? failure : new Unanswered(failure.cause as Error);
      }
    });
  }

  /**
   * Returns a connection for the caller alone, which must release it. Throws {@link
   * StoreUnavailable} if there is none.
   */
  async connect(): Promise<Connection> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#pulse.silence !== undefined) throw this.#failed(this.#pulse.silence);
    try {
      return new Connection(await this.#take(), this.#pulse);
    } catch (error) {
      throw this.#failed(this.standbys.silence ?? (error as Error));
    }
  }

  /** Runs `work` on a connection of its own, which is closed if `work` throws. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.connect();
    try {
      const result = await work(connection);
      connection.release();
      return result;
    } catch (error) {
      connection.release(error as Error);
      throw error;
    }
  }

  /**
   * Enters all sessions, those that are open and those to come, among the sessions of running services:
   * each holds the lock by which a command finds out that the store is served. So an instance is found
   * as long as any of its sessions is open.
   */
  async serve(): Promise<void> {
    this.#isServing = true;
    await Promise.all([...this.#clients].map((client) => client.query(HOLD_SERVING_LOCK)));
  }

  /**
   * Connects a client outside of the pool, for listening.
   * @param made Receives each client before it is connected: one for each way that is tried.
   */
  async listener(made: (client: pg.Client) => void): Promise<pg.Client> {
    const settings = { ...this.#settings, application_name: SERVER_NAME };
    const client = await this.#route.open(settings, this.#clients, made);
    await applySettings(client, this.#use);
    return client;
  }

  get #use(): SessionUse {
    return { statementMs: this.#statementMs, isServing: this.#isServing };
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Fails every call until {@link reconsider} succeeds. Returns false if calls fail already. */
  refuse(error: Error): boolean {
    if (this.#refusal !== undefined) return false;
    this.#refusal = error;
    // The open connections lead to a different log.
    for (const client of this.#clients) client.cut();
    return true;
  }

  /** Accepts calls again if a new connection passes {@link admit}. Throws if it does not. */
  async reconsider(): Promise<void> {
    (await this.#take()).release();
    this.#refusal = undefined;
  }

  async close(): Promise<void> {
    this.#pulse.close();
    this.standbys.close();
    await this.#pool.end();
  }

  /** The number of connections in each state, and of the calls that wait for one. */
  get connections(): Readonly<Record<'idle' | 'used' | 'waiting', number>> {
    return this.#pool.counts;
  }

  /** Takes a connection from the pool. Rejects as soon as the database, or a standby, is silent. */
  #take(): Promise<pg.PoolClient> {
    const taken = this.#pulse.during(this.#route.first(() => this.#pool.connect()));
    return this.#waiting.until(taken, (client) => client.release());
  }

  // The pool hands out a connection after this has resolved, and closes it if this throws.
  async #prepare(client: RoutedClient): Promise<void> {
    // Statements in flight fail by themselves; an error without a listener would end the process.
    client.on('error', () => {});
    try {
      await prepareSession(client, this.#use);
      await this.#pulse.during(waitForStandbys(client));
      this.#succeeded();
      const connection = new Connection(client as unknown as pg.PoolClient, this.#pulse);
      await this.admit(connection);
      connection.detach();
    } catch (error) {
      if (error instanceof Unconfirmed) this.standbys.unconfirmed(error);
      client.failed(error as Error);
      throw error;
    }
  }

  #succeeded(): void {
    this.#pulse.answered();
    if (this.#isInReach) return;
    this.#isInReach = true;
    this.#reach.inReach();
  }

  /**
   * Fails everything in flight. What was sent may still be carried out when the database is back.
   */
  #silent(cause: Error): void {
    this.#waiting.fail(cause);
    for (const client of this.#clients) client.cut();
    this.#failed(cause);
  }

  /** While a standby is silent, opens no connection, which would wait: the open ones have to suffice. */
  #standbysChanged(): void {
    const { silence } = this.standbys;
    this.#pool.standbyIsSilent(silence !== undefined);
    if (silence) this.#waiting.fail(silence);
    this.#reach.standbyIsSilent(silence !== undefined);
  }

  #failed(error: Error): StoreUnavailable {
    const isAway = this.#refusal === undefined && !this.#pool.isEnding && isOutage(error);
    // A close is no outage. A silent database has its connections cut: their errors are not the reason.
    const cause = isAway ? (this.#pulse.silence ?? error) : error;
    if (this.#isInReach && isAway) {
      this.#isInReach = false;
      this.#reach.outOfReach(cause);
    }
    return cause instanceof StoreUnavailable ? cause : new StoreUnavailable(cause);
  }
}
