/** The port by which the state of a database is reported. */

/** Receives each change of the state of a database: reachable and writable, or not. */
export interface Reach {
  outOfReach(cause: Error): void;
  inReach(): void;
  /** Reports that commits wait for a synchronous standby that does not answer, or no longer do. */
  standbyIsSilent(isSilent: boolean): void;
}

/** Ignores each change. */
export const UNWATCHED: Reach = { outOfReach() {}, inReach() {}, standbyIsSilent() {} };
