import type { Instant } from '../../domain/instant.ts';

/**
 * The port to the trail of what was refused: who asked for what in vain. It stands beside the log of
 * events, and nothing that the service decides or shows of orders depends on it. It only grows at
 * its end, and gives up its oldest records beyond {@link KEPT_REFUSALS}. Every engine passes the
 * suite in test/contract/refusal-trail.ts.
 */
export interface RefusalTrail {
  /** Records attempts at the next positions. Throws where they cannot be recorded. */
  append(records: readonly RefusalRecord[]): Promise<void>;

  /** The newest records, at most `limit`, oldest first. */
  newest(limit: number): Promise<readonly KeptRefusal[]>;
}

/** How many records are kept: with about 250 bytes each, a quarter of a gigabyte at most. */
export const KEPT_REFUSALS = 1_000_000;

/** A request that was refused. */
export interface RefusedAttempt {
  readonly at: Instant;
  /** The code of the error that it was answered with. */
  readonly code: string;
  /**
   * The id of the key that asked. Where the code is `unauthorized`, nobody knows who asked: it is
   * the id in the text that was sent for a key, if that has the form of one.
   */
  readonly keyId?: string;
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

/** In place of attempts that were too many at once to be recorded one by one. */
interface LeftOut {
  readonly at: Instant;
  readonly leftOut: number;
}

export type RefusalRecord = RefusedAttempt | LeftOut;

export interface KeptRefusal {
  /** From 1, without gaps. */
  readonly position: number;
  readonly record: RefusalRecord;
}
