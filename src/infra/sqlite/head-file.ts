import { CannotStart } from '../../app/cannot-start.ts';
import { contradictionOf, type Witness, type WitnessedLog } from '../../app/witness.ts';
import { readWitness, WitnessFile, WitnessSignal } from '../witness-file.ts';

/**
 * The witness of a store in SQLite, in a file beside it: the head of its log outside the database,
 * written after each commit (docs/adr/0012, 0020).
 */
export class HeadFile extends WitnessFile {
  /** Opens the head of a store's file, and makes it if it is not there. */
  constructor(file: string, storeId: string, epoch?: string) {
    super(headFileOf(file), storeId, epoch);
  }
}

/**
 * Tells whether a head was noted since it was last asked. Whoever appends notes the log's new head
 * before anybody is told, so where this says no, every acknowledged event is known already. It takes a
 * third of the time that SQLite takes to tell the head itself.
 */
export class HeadSignal extends WitnessSignal {
  /** Opens the head of a store's file, which is there. */
  constructor(file: string) {
    super(headFileOf(file));
  }
}

/** The log of a store's file, as far as its head can be compared with it. */
export interface Log extends WitnessedLog {
  /** Whether it is a copy that nobody has gone on with yet: nothing was acknowledged of that. */
  readonly isCopy: boolean;
  /** Whether the version that wrote it last keeps a head of every log. */
  readonly hasHead: boolean;
}

/**
 * Throws {@link CannotStart} where the log of a store's file is shorter than its head, or another
 * one, or where its head is missing.
 * @param readLog Reads the log, with its root at a position. It is called when the head has been read:
 * somebody may be appending.
 */
export function refuseOtherLog(file: string, readLog: (at: number) => Log): void {
  const wrong = contradictionIn(file, readLog);
  if (wrong === undefined) return;
  throw new CannotStart(
    `${wrong} Nothing was changed. Bring back what is missing, restore a backup, or go on with what ` +
      'is there in a new epoch: store-orders accept-loss',
  );
}

/** How the log of a store's file contradicts its head; `undefined` where it does not. */
export function contradictionIn(file: string, readLog: (at: number) => Log): string | undefined {
  const head = readHeadOf(file);
  const log = readLog(head?.position ?? 0);
  if (head === undefined) {
    const isDue = log.hasHead && log.position > 0 && !log.isCopy;
    return isDue ? missing(file, log.position) : undefined;
  }
  // A backup is behind by its nature: it goes on in an epoch of its own.
  if (log.isCopy && log.storeId === head.storeId) return undefined;
  const wrong = contradictionOf(head, log);
  return wrong && `The log in ${file} ${wrong}.`;
}

function missing(file: string, position: number): string {
  return (
    `${headFileOf(file)} is missing or cannot be read, so nothing tells whether the log in ${file}, ` +
    `which ends at position ${position}, has lost what was acknowledged.`
  );
}

/** What is noted of a store's file; `undefined` where that cannot be read. */
export function readHeadOf(file: string): Witness | undefined {
  return readWitness(headFileOf(file));
}

/** The name of the file in which the head of a store's file is noted. */
export function headFileOf(file: string): string {
  return `${file}-head`;
}
