/** The port to the trail of refused requests, and its records. */

import type { Instant } from '../../domain/instant.ts';

/**
 * The port to the trail of refused requests, with the key that sent each. It is separate from the
 * log of events: no decision and no answer about orders depends on it. Records are added at its end
 * only, and beyond {@link MAX_REFUSALS} the oldest are dropped. Every engine passes the suite in
 * test/contract/refusal-trail.ts.
 */
export interface RefusalTrail {
  /** Appends records at the next positions. Throws if they cannot be recorded. */
  append(records: readonly RefusalRecord[]): Promise<void>;

  /** The newest records, at most `limit`, oldest first. */
  newest(limit: number): Promise<readonly RecordedRefusal[]>;
}

/** The most records that are stored: at about 250 bytes each, a quarter of a gigabyte. */
export const MAX_REFUSALS = 1_000_000;

/** A request that was refused. */
export interface RefusedAttempt {
  readonly at: Instant;
  /** The code of the error that it was answered with. */
  readonly code: string;
  /**
   * The id of the key with which the request was sent. For the code `unauthorized` it proves
   * nothing: it is the id in the text that was sent as a key, if that is well-formed.
   */
  readonly keyId?: string;
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

/** A record in place of attempts that were too many to be recorded one by one. */
interface LeftOut {
  readonly at: Instant;
  readonly leftOut: number;
}

export type RefusalRecord = RefusedAttempt | LeftOut;

export interface RecordedRefusal {
  /** From 1, without gaps. */
  readonly position: number;
  readonly record: RefusalRecord;
}
