/** A connection to PostgreSQL, and the statements that it prepares. */

import pg from 'pg';
import { CopyOut } from './copy-out.ts';
import { isRefusal } from './errors.ts';
import { Unanswered } from './lost-answer.ts';
import type { Pulse } from './pulse.ts';
import { waitEnded, waitForStandbys } from './standbys.ts';

/**
 * A statement that a connection prepares once. Its rows are arrays, in the order of its columns.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Anything that statements can be sent to. */
export interface Queryable {
  query<Row extends readonly unknown[]>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** A connection taken from the pool. */
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

  /** False once it is lost or released: nothing can be sent on it any more. */
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

  /**
   * Sends a statement that returns no rows, unprepared. Returns its command tag, such as `COMMIT`.
   */
  async run(text: string): Promise<string> {
    return (await this.#pulse.during(this.#client.query(text))).command;
  }

  /**
   * Commits the transaction and releases the connection. Throws {@link Unanswered} if the outcome is
   * unknown: also if the server has stopped waiting for a standby, so that a failover may undo it.
   */
  async commit(): Promise<void> {
    try {
      await this.run('COMMIT');
      const [warning] = this.#warnings;
      if (warning !== undefined) throw warning;
      this.release();
    } catch (error) {
      this.release(error as Error);
      throw isRefusal(error) ? error : new Unanswered(error as Error);
    }
  }

  /**
   * Sends a `COPY … TO STDOUT`, and yields what the server sends: see {@link CopyOut.chunks}.
   * @param silenceMs The time without anything sent after which the connection is cut.
   */
  copyOut(text: string, silenceMs: number): AsyncIterable<Buffer<ArrayBuffer>> {
    return this.#client.query(new CopyOut(text, silenceMs)).chunks();
  }

  /**
   * Waits until the statements so far are confirmed, if the server has warned: it may have stopped
   * waiting for a standby. Throws {@link waitEnded}.
   */
  async confirm(): Promise<void> {
    const [cause] = this.#warnings;
    if (cause === undefined) return;
    await this.#pulse.during(waitForStandbys(this.#client)).catch(() => {
      throw waitEnded(cause);
    });
  }

  /** The server's warnings so far: of some failures it only warns. */
  get warnings(): readonly Error[] {
    return this.#warnings;
  }

  /** Returns the connection to the pool, or closes it if there was an error. */
  release(error?: Error): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.detach();
    this.#client.release(error);
  }

  /** Rolls back the transaction and releases the connection. */
  async rollBack(): Promise<void> {
    try {
      await this.run('ROLLBACK');
      this.release();
    } catch (error) {
      this.release(error as Error);
    }
  }

  /** Removes the listeners from the client. */
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
 * Resolves with the results of statements that were sent one after the other. Rejects with the error of the
 * first that failed, when all are answered: in a transaction, those behind it fail because of it.
 */
export async function inOrder<Results extends readonly unknown[]>(
  ...sent: { readonly [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const settled = await Promise.allSettled(sent);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}

/** The object id of the type bigint. */
const INT8_OID = 20;

// Positions are read as numbers. Columns that need all 64 bits are selected as text.
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8_OID
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

const configs = new WeakMap<Statement, pg.QueryArrayConfig>();

/**
 * Returns a statement in the form that the driver takes. For each query the driver copies all own
 * members of that object, which takes ten times as long as the rest of its work; inherited members
 * it does not copy. So all members are inherited.
 */
function configOf(statement: Statement): pg.QueryArrayConfig {
  const known = configs.get(statement);
  if (known !== undefined) return known;
  const config = Object.create({ ...statement, rowMode: 'array', types: TYPES });
  configs.set(statement, config);
  return config;
}
