/** The limits of waiting for a database, for commands and for the service. */

/** The limits of waiting, in milliseconds. */
export interface Timeouts {
  /** For a connection: for a new one, or for one that is free. */
  readonly connect: number;
  /** For an answer: the server may be unreachable. */
  readonly answer: number;
}

/** The limits for commands. */
export const TIMEOUTS: Timeouts = { connect: 3_000, answer: 10_000 };

/** The limits for the service, whose clients wait. */
export const SERVING: Timeouts = { connect: 3_000, answer: 5_000 };
