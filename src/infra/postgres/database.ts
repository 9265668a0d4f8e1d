import pg from 'pg';
import { CannotStart } from '../../app/cannot-start.ts';
import { StoreUnavailable } from '../../app/ports/store.ts';

/** PostgreSQL 15: older ones lack what the schema and the roles are made of. */
const OLDEST_SERVER = 150_000;

/** How many connections an instance has at most, beside the one that listens. */
const CONNECTIONS = 6;

/** How long is waited, in milliseconds. */
interface Timeouts {
  /** For a connection: for a new one, or for one that is free. */
  readonly connect: number;
  /** For an answer, of a server that may not be heard any more. */
  readonly answer: number;
}

const TIMEOUTS: Timeouts = { connect: 3_000, answer: 10_000 };

/** How long a statement may take, in milliseconds; the server ends it then. */
const STATEMENT_TIMEOUT = 8_000;

/**
 * What every session is set to, whatever the server's defaults are. Whoever holds a lock and is not
 * heard of any more must not keep it: the server ends such a session by itself.
 */
const SESSION = `
  SET statement_timeout = ${STATEMENT_TIMEOUT};
  SET lock_timeout = 5000;
  SET idle_in_transaction_session_timeout = 5000;
  SET tcp_keepalives_idle = 5;
  SET tcp_keepalives_interval = 2;
  SET tcp_keepalives_count = 3;
  SET default_transaction_isolation = 'read committed';
  SET default_transaction_read_only = off;
  SET client_min_messages = warning;
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
`;

const CHECK = `
  SELECT current_setting('server_version_num')::integer AS version,
         pg_is_in_recovery() AS "isStandby",
         current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit"
`;

/**
 * A commit of nothing, which waits for a synchronous standby like any other, and so for all that was
 * committed before it. A server that was killed shows, once it is up again, what it has on its own
 * disk, whether or not its standby ever got it; and a failover could still take that back.
 */
const BARRIER = `SELECT pg_logical_emit_message(true, 'store_orders', '')`;

interface Checked {
  readonly version: number;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

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

/** Is told whether the database can be reached, each time that this changes. */
export interface Reach {
  outOfReach(cause: Error): void;
  inReach(): void;
}

const NOBODY: Reach = { outOfReach() {}, inReach() {} };

/** The database of a store, over a few connections. Each is checked before it is used. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #reach: Reach;
  #isInReach = true;
  #refusal: Error | undefined;
  /** Looks at each new connection before it is used, and throws where it must not be. */
  admit: (connection: Queryable) => Promise<void> = async () => {};

  constructor(url: string, reach: Reach = NOBODY, timeouts = TIMEOUTS) {
    this.#settings = settingsFor(url, timeouts);
    this.#reach = reach;
    this.#pool = new pg.Pool({
      ...this.#settings,
      max: CONNECTIONS,
      idleTimeoutMillis: 60_000,
      pipeline: true,
      onConnect: (client) => this.#prepare(client),
    });
    // A connection that fails while nobody uses it is replaced when somebody needs one.
    this.#pool.on('error', (error) => this.#failed(error));
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
    try {
      return new Connection(await this.#pool.connect());
    } catch (error) {
      throw this.#failed(error as Error);
    }
  }

  /** A connection that is kept for itself, to listen. It is not connected yet. */
  listener(): pg.Client {
    return new pg.Client({ ...this.#settings, application_name: SERVER_NAME });
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Refuses every use from now on. False if it has done so before. */
  refuse(error: Error): boolean {
    if (this.#refusal !== undefined) return false;
    this.#refusal = error;
    return true;
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  // The pool hands a connection out when this has resolved, and closes it when it throws.
  async #prepare(client: pg.ClientBase): Promise<void> {
    // A connection that fails in use fails its statements. Without a listener it would end the process.
    client.on('error', () => {});
    const [, { rows }] = await Promise.all([client.query(SESSION), client.query<Checked>(CHECK)]);
    checkServer(rows[0] as Checked);
    const connection = new Connection(client as pg.PoolClient);
    await connection.run(BARRIER);
    const [warning] = connection.warnings;
    if (warning !== undefined) throw warning;
    await this.admit(connection);
    connection.detach();
  }

  #succeeded(): void {
    if (this.#isInReach) return;
    this.#isInReach = true;
    this.#reach.inReach();
  }

  #failed(error: Error): Error {
    if (this.#isInReach && (!(error instanceof pg.DatabaseError) || endsSession(error))) {
      this.#isInReach = false;
      this.#reach.outOfReach(error);
    }
    return error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
}

/** A connection that was taken out of the pool. */
export class Connection implements Queryable {
  readonly #client: pg.PoolClient;
  readonly #warnings: Error[] = [];
  #isReleased = false;
  #isOpen = true;

  constructor(client: pg.PoolClient) {
    this.#client = client;
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
    return (await this.#client.query(configOf(statement), [...values])).rows as unknown as Row[];
  }

  /** Sends what has no rows and is not worth preparing. Returns the name of what was done. */
  async run(text: string): Promise<string> {
    return (await this.#client.query(text)).command;
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

/** Whether the server has said that what lies on its disk cannot be read. */
export function isDamage(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:22|58|XX)/.test(error.code ?? '');
}

// Appendix A of PostgreSQL's manual: connection exceptions, the server going down, trouble with
// files, and what should never happen.
function endsSession({ code = 'XX000' }: pg.DatabaseError): boolean {
  return /^(?:08|57P|58|XX)/.test(code);
}

function checkServer({ version, isStandby, fsync, synchronousCommit }: Checked): void {
  if (version < OLDEST_SERVER) {
    const major = Math.floor(version / 10_000);
    throw new CannotStart(`PostgreSQL ${major} is too old: 15 or later is needed.`);
  }
  if (fsync !== 'on' || !['on', 'remote_apply'].includes(synchronousCommit)) {
    const settings = `fsync=${fsync}, synchronous_commit=${synchronousCommit}`;
    throw new CannotStart(`PostgreSQL refuses durability: ${settings}.`);
  }
  // Not one that must not be served at all: after a failover it may be the one to use.
  if (isStandby) throw new Error('the server is a standby');
}

function settingsFor(url: string, { connect, answer }: Timeouts): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'store-orders',
    connectionTimeoutMillis: connect,
    query_timeout: answer,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
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
