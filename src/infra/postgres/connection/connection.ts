/** A connection to PostgreSQL, and the statements that it prepares. */

import pg from 'pg';
import type { Pulse } from './pulse.ts';

/**
 * A statement that a connection prepares once. Its rows are arrays, in the order of its columns.
 */
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

  /** The warnings of the server, which it gives instead of a refusal. */
  get warnings(): readonly Error[] {
    return this.#warnings;
  }

  /** Gives the connection back; with an error, it is closed. */
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

/** The type bigint, by its number. */
const INT8 = 20;

// Positions are numbers. Columns that hold all 64 bits are selected as text.
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

const configs = new WeakMap<Statement, pg.QueryArrayConfig>();

/**
 * A statement as the driver takes it. The driver copies all members of what it is given, for each
 * query anew, which takes it ten times as long as the rest of what it does then; what stands in the
 * prototype it takes over as it is.
 */
function configOf(statement: Statement): pg.QueryArrayConfig {
  const known = configs.get(statement);
  if (known !== undefined) return known;
  const config = Object.create({ ...statement, rowMode: 'array', types: TYPES });
  configs.set(statement, config);
  return config;
}
