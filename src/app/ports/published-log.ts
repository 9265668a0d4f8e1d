/** The ports of a monitor: a log that somebody else publishes, and the files of the monitor. */

/** The contents of a published file, or the reason why there is none. */
export type PublishedFile =
  | { readonly bytes: Buffer; readonly absent?: undefined }
  | { readonly bytes?: undefined; readonly absent: string };

/**
 * The port to the files of a log, by their paths below its address, as C2SP tlog-tiles names them.
 * Nothing that it returns may be trusted.
 */
export interface PublishedLog {
  /**
   * Reads a file. Throws {@link LogAway} if there is no answer, or one of more than `maxBytes`, so
   * that a hostile log cannot exhaust the memory.
   */
  read(path: string, maxBytes: number): Promise<PublishedFile>;
}

/**
 * Thrown if the log has not answered, or not to the end. That says nothing about its contents. The
 * message is a clause.
 */
export class LogAway extends Error {
  override readonly name = 'LogAway';
  /** True if the same request leads to nothing else, as without the right key. */
  readonly isRefused: boolean;

  constructor(message: string, isRefused = false) {
    super(message);
    this.isRefused = isRefused;
  }
}

/** Rows of one length in a file, by their places from 0. */
export interface Rows {
  /** The number of rows. */
  readonly count: number;
  /** Returns `count` rows from place `from` on, joined. They must be there. */
  read(from: number, count: number): Buffer;
  /** Writes rows from place `at` on, and drops all behind them. They are durable after a save. */
  write(at: number, rows: Buffer): void;
}

/** The port to the files in which a monitor remembers a log. */
export interface MonitorFiles {
  /** The hashes of all leaves, 32 bytes each. */
  readonly leaves: Rows;
  /** The order and the type of each checked event: see `record-check.ts`. */
  readonly orders: Rows;
  /** Makes all rows durable, and then replaces the state as a whole. */
  save(state: string): Promise<void>;
  /** Replaces the text of the signed checkpoints that were not shown: see `unproven.ts`. */
  saveUnproven(checkpoints: string): Promise<void>;
}
