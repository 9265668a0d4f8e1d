import pg from 'pg';
import { StoreUnavailable } from '../../app/ports/store.ts';
import { Pulse } from './pulse.ts';
import { Route, type RoutedClient } from './route.ts';
import { prepareSession, Unconfirmed, waitForStandbys } from './session.ts';

/** How many connections an instance has at most, beside the one that listens. */
const CONNECTIONS = 6;

/** How long is waited, in milliseconds. */
export interface Timeouts {
  /** For a connection: for a new one, or for one that is free. */
  readonly connect: number;
  /** For an answer, of a server that may not be heard any more. */
  readonly answer: number;
}

const TIMEOUTS: Timeouts = { connect: 3_000, answer: 10_000 };

/** Those of a server, whose clients wait. */
export const SERVING: Timeouts = { connect: 3_000, answer: 5_000 };

/** By what name a server's listening connection goes. Others go by another. */
export const SERVER_NAME = 'store-orders server';

/** A statement that a connection prepares once. Its rows are arrays, in the order of its columns. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A connection, or whatever else statements can be sent to. */
export interface Queryable {
  query<Row extends readonly unknown[]>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** Is told whether the database can be reached and written, each time that this changes. */
export interface Reach {
  outOfReach(cause: Error): void;
  inReach(): void;
  /** Whether commits wait for a synchronous standby that does not answer. */
  standbyIsSilent(isSilent: boolean): void;
}

const NOBODY: Reach = { outOfReach() {}, inReach() {}, standbyIsSilent() {} };

/** The database of a store, over a few connections. Each is checked before it is used. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #route: Route;
  readonly #settings: pg.ClientConfig;
  readonly #statementMs: number;
  readonly #reach: Reach;
  readonly #pulse: Pulse;
  readonly #clients = new Set<RoutedClient>();
  /** Those that wait for a connection, to be told that there is none. */
  readonly #waiting = new Set<(cause: Error) => void>();
  #isInReach = true;
  #refusal: Error | undefined;
  /** Looks at each new connection before it is used, and throws where it must not be. */
  admit: (connection: Queryable) => Promise<void> = async () => {};

  constructor(url: string, reach: Reach = NOBODY, { connect, answer } = TIMEOUTS) {
    this.#route = new Route(url, connect);
    this.#settings = { application_name: 'store-orders', query_timeout: answer, pipeline: true };
    // The server ends a statement before nobody waits for its answer any more.
    this.#statementMs = 0.8 * answer;
    this.#reach = reach;
    this.#pulse = new Pulse(this.#route, {
      silent: (cause) => this.#silent(cause),
      standby: (isSilent) => {
        // New connections would wait for the standby: those that there are have to do.
        this.#pool.options.max = isSilent ? 1 : CONNECTIONS;
        reach.standbyIsSilent(isSilent);
      },
    });
    this.#pool = new pg.Pool({
      Client: this.#route.clientsWith(this.#settings, this.#clients),
      connectionTimeoutMillis: this.#route.connectMs,
      max: CONNECTIONS,
      idleTimeoutMillis: 60_000,
      onConnect: (client) => this.#prepare(client as RoutedClient),
    });
    // A connection that fails while nobody uses it is replaced when somebody needs one.
    this.#pool.on('error', (error) => this.#failed(error));
  }

  /** Gives up on a database that is away, from now on, instead of waiting for each answer. */
  followPulse(): void {
    this.#pulse.begin();
  }

  /** Nothing has been heard of the database for too long, and nothing since. */
  get isSilent(): boolean {
    return this.#pulse.silence !== undefined;
  }

  /** Sends one statement. Throws {@link StoreUnavailable} where it was not carried out. */
  async query<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[] = [],
  ) {
    const connection = await this.connect();
    try {
      const rows = await connection.query<Row>(statement, values);
      // Only now: a connection that was made before an outage is no sign that it is over.
      this.#succeeded();
      return rows;
    } catch (error) {
      connection.release(error as Error);
      throw this.#failed(error as Error);
    } finally {
      connection.release();
    }
  }

  /** A connection of one's own, to be released. Throws {@link StoreUnavailable} if there is none. */
  async connect(): Promise<Connection> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#pulse.silence !== undefined) throw this.#failed(this.#pulse.silence);
    try {
      return new Connection(await this.#take(), this.#pulse);
    } catch (error) {
      throw this.#failed(error as Error);
    }
  }

  /** A connection that is kept for itself, to listen. It is not connected yet. */
  listener(): pg.Client {
    const settings = { ...this.#settings, application_name: SERVER_NAME };
    return new (this.#route.clientsWith(settings, this.#clients))();
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Refuses every use, until it is {@link reconsider}ed. False if it does so already. */
  refuse(error: Error): boolean {
    if (this.#refusal !== undefined) return false;
    this.#refusal = error;
    // Whatever connection is left leads to a log that is another one.
    for (const client of this.#clients) client.cut();
    return true;
  }

  /** Goes on where a new connection is admitted. Throws where none is. */
  async reconsider(): Promise<void> {
    (await this.#take()).release();
    this.#refusal = undefined;
  }

  async close(): Promise<void> {
    this.#pulse.close();
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** Takes a connection out of the pool; where the database falls silent, it waits no longer. */
  #take(): Promise<pg.PoolClient> {
    const taken = this.#pulse.during(this.#route.first(() => this.#pool.connect()));
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const isAwaited = () => this.#waiting.delete(reject);
      taken.then(
        (client) => (isAwaited() ? resolve(client) : client.release()),
        (error) => (isAwaited() ? reject(error) : undefined),
      );
    });
  }

  // The pool hands a connection out when this has resolved, and closes it when it throws.
  async #prepare(client: RoutedClient): Promise<void> {
    // A connection that fails in use fails its statements. Without a listener it would end the process.
    client.on('error', () => {});
    try {
      await prepareSession(client, this.#statementMs);
      const connection = new Connection(client as unknown as pg.PoolClient, this.#pulse);
      await waitForStandbys((text) => connection.run(text));
      const [warning] = connection.warnings;
      if (warning !== undefined) throw warning;
      await this.admit(connection);
      connection.detach();
    } catch (error) {
      client.failed(error as Error);
      throw error;
    }
  }

  #succeeded(): void {
    if (this.#isInReach) return;
    this.#isInReach = true;
    this.#reach.inReach();
  }

  /** Fails all that is under way: what was sent may be carried out when the database is back. */
  #silent(cause: Error): void {
    for (const reject of this.#waiting) reject(cause);
    this.#waiting.clear();
    for (const client of this.#clients) client.cut();
    this.#failed(cause);
  }

  #failed(error: Error): Error {
    const isAway = error instanceof pg.DatabaseError ? endsSession(error) : !isThere(error);
    if (this.#isInReach && isAway) {
      this.#isInReach = false;
      this.#reach.outOfReach(error);
    }
    return error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
}

/** A connection that was taken out of the pool. */
export class Connection implements Queryable {
  readonly #client: pg.PoolClient;
  readonly #pulse: Pulse;
  readonly #warnings: Error[] = [];
  #isReleased = false;
  #isOpen = true;

  constructor(client: pg.PoolClient, pulse: Pulse) {
    this.#client = client;
    this.#pulse = pulse;
    client.on('notice', this.#noticed);
    client.on('end', this.#ended);
  }

  /** False once it was lost or given back: nothing more can be sent on it. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#isReleased;
  }

  async query<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[] = [],
  ) {
    const reply = this.#client.query(configOf(statement), [...values]);
    return (await this.#pulse.during(reply)).rows as unknown as Row[];
  }

  /** Sends what has no rows and is not worth preparing. Returns the name of what was done. */
  async run(text: string): Promise<string> {
    return (await this.#pulse.during(this.#client.query(text))).command;
  }

  /** What the server has warned of, instead of refusing it. */
  get warnings(): readonly Error[] {
    return this.#warnings;
  }

  /** Gives it back; with an error, it is closed. */
  release(error?: Error): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.detach();
    this.#client.release(error);
  }

  /** Undoes its transaction, and gives it back. */
  async rollBack(): Promise<void> {
    try {
      await this.run('ROLLBACK');
      this.release();
    } catch (error) {
      this.release(error as Error);
    }
  }

  /** Hears nothing of it any more. */
  detach(): void {
    this.#client.off('notice', this.#noticed);
    this.#client.off('end', this.#ended);
  }

  readonly #ended = () => {
    this.#isOpen = false;
  };

  readonly #noticed = (notice: { code: string | undefined; message: string | undefined }) => {
    if (notice.code?.startsWith('01')) this.#warnings.push(new Error(notice.message));
  };
}

/**
 * Whether the server has said that a statement failed, so that its transaction certainly has. A
 * server that goes down says something, too, but by then it may have committed.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !endsSession(error);
}

/** Whether the server has said that its user has not the right. */
export function isDenied(error: Error): boolean {
  const { code } = (error.cause ?? error) as pg.DatabaseError;
  return code === '42501';
}

/** Whether the server has said that what lies on its disk cannot be read. */
export function isDamage(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:22|58|XX)/.test(error.code ?? '');
}

/** Whether the database is there all the same: no commit is confirmed, or no connection is free. */
function isThere(error: Error): boolean {
  return error instanceof Unconfirmed || error.message === NONE_FREE;
}

/** The pool's words. */
const NONE_FREE = 'timeout exceeded when trying to connect';

// Appendix A of PostgreSQL's manual: connection exceptions, the server going down, trouble with
// files, and what should never happen.
function endsSession({ code = 'XX000' }: pg.DatabaseError): boolean {
  return /^(?:08|57P|58|XX)/.test(code);
}

/** The type bigint, by its number. */
const INT8 = 20;

// Positions are numbers. Columns that hold all 64 bits are selected as text.
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

const configs = new WeakMap<Statement, pg.QueryArrayConfig>();

/**
 * A statement as the driver takes it. The driver copies all members of what it is given, for each query
 * anew, which takes it ten times as long as the rest of what it does then; what stands in the prototype
 * it takes over as it is.
 */
function configOf(statement: Statement): pg.QueryArrayConfig {
  const known = configs.get(statement);
  if (known !== undefined) return known;
  const config = Object.create({ ...statement, rowMode: 'array', types: TYPES });
  configs.set(statement, config);
  return config;
}
