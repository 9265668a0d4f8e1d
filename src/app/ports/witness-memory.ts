/** The port of a witness: its memory, which is the latest checkpoint of each log that it has cosigned. */

/** A decision about a submitted checkpoint, with the checkpoint to be recorded, if there is one. */
export interface WitnessDecision<Result> {
  readonly result: Result;
  readonly record?: CosignedCheckpoint;
}

export interface CosignedCheckpoint {
  /** The number of leaves. It never decreases. */
  readonly size: number;
  /** The signed note with the witness's own cosignature. */
  readonly note: string;
}

/** The latest cosigned checkpoints of a witness, by the origins of their logs. */
export interface WitnessMemory {
  /** Returns what was recorded last; `undefined` if there is nothing. */
  latest(origin: string): CosignedCheckpoint | undefined;
  /**
   * Decides with what was recorded last, and records the decision, in one transaction: no other process
   * records anything in between. When it returns, the record is on the disk. Throws {@link
   * StoreUnavailable} if nothing could be recorded.
   */
  update<Result>(
    origin: string,
    decide: (latest: CosignedCheckpoint | undefined) => WitnessDecision<Result>,
  ): Result;
}
