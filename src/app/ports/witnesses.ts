/** The ports of a log to its witnesses: requests for cosignatures, and the record of them. */

/** The answer of a witness, or the reason why there is none. */
export type WitnessAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: string;
      /** The wait that the witness has set for the next request, in milliseconds. */
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'unanswered'; readonly reason: string };

/**
 * Posts a body to an address, and to no other: redirections are not followed. Never rejects. Takes a
 * limited time, and less if the signal to stop comes before the answer.
 */
export type AskWitness = (url: string, body: string, stop: AbortSignal) => Promise<WitnessAnswer>;

/**
 * The progress of witnesses with one log. It saves requests after a restart, and can be lost: the
 * witnesses keep their own record.
 */
export interface CosignedRecord {
  /** The origin of the log's checkpoints. */
  readonly origin: string;
  /** The sizes of the checkpoints that were cosigned last, by the public keys of the witnesses. */
  readonly sizes: Readonly<Record<string, number>>;
  /** The newest checkpoint that a quorum has cosigned, as a note with the cosignatures. */
  readonly checkpoint: string | undefined;
}

/** The place of a {@link CosignedRecord} that outlasts the process. */
export interface CosignedRecords {
  /** Returns the record; `undefined` if there is none that is whole. */
  load(): CosignedRecord | undefined;
  /** Replaces the record. Throws if it cannot be written: the previous one is kept then. */
  save(record: CosignedRecord): void;
}
