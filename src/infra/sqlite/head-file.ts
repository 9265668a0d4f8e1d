/** The head file of a store in SQLite, beside it, and its comparison with the log. */

import { UserError } from '../../app/lifecycle/user-error.ts';
import {
  type AcknowledgedHead,
  type ComparedLog,
  contradictionOf,
} from '../../app/log/acknowledged-head.ts';
import { type Epochs, epochNumberOf } from '../../app/log/epochs.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { readHeadFile } from '../head/head-file.ts';
import { readKeyChanges, readNotedEpoch } from '../head/notes.ts';

/** The state of the log in a store's file that is compared with its head. */
export interface Log extends ComparedLog {
  /** True for a copy that was not continued yet: nothing was acknowledged from it. */
  readonly isCopy: boolean;
  /** True if damage may have made it a copy: see {@link copyIn}. */
  readonly isUnsure?: boolean;
  /** The number of changes of its API keys; absent in a schema that does not have them. */
  readonly keyChanges?: number | undefined;
  /** True if its schema version requires a head beside the store. */
  readonly hasHead: boolean;
}

/**
 * Throws {@link UserError} if the log of a store's file is shorter than its head, or another log,
 * or if its head is missing.
 * @param readLog Reads the log, with its root at a position. Called after the head is read, because
 * a server may be appending.
 */
export function refuseOtherLog(file: string, readLog: (at: number) => Log): void {
  const wrong = contradictionIn(file, readLog);
  if (wrong === undefined) return;
  throw new UserError(
    `${wrong} Nothing was changed. Restore the missing file or a backup, or accept the loss and ` +
      'continue in a new epoch: store-orders accept-loss',
  );
}

/** Returns the contradiction between the log of a store's file and its head, if there is one. */
export function contradictionIn(file: string, readLog: (at: number) => Log): string | undefined {
  const { head, keyChanges, log } = readBoth(file, readLog);
  if (head === undefined) {
    const isDue = log.hasHead && log.position > 0 && !log.isCopy;
    if (!isDue) return undefined;
    // A start may have begun the epoch of a backup between the reads of the head and of the log.
    if (readHeadOf(file) !== undefined) return contradictionIn(file, readLog);
    return missing(file, log.position);
  }
  // A backup is behind the head as a rule: it is continued in a new epoch.
  if (isFalselyMarked(head, log)) return `${falselyMarked(file, head.position)}.`;
  if (log.isCopy && log.storeId === head.storeId) return undefined;
  const wrong = contradictionOf(head, log);
  if (wrong !== undefined) return `The log in ${file} ${wrong}.`;
  const unnoted = unnotedEpoch(file, head, log);
  if (unnoted !== undefined) return `${unnoted}.`;
  const lost = lostKeyChanges(file, keyChanges, log.keyChanges);
  return lost && `${lost}.`;
}

/** The head beside a store's file, the number of changes of API keys noted there, and the log. */
interface Beside {
  readonly head: AcknowledgedHead | undefined;
  readonly keyChanges: number | undefined;
  readonly log: Log;
}

function readBoth(file: string, readLog: (at: number) => Log): Beside {
  const head = readHeadOf(file);
  const keyChanges = head && readKeyChanges(headFileOf(file), head.storeId);
  const log = readLog(head?.position ?? 0);
  const begun = begunHeadOf(file, log.epochs);
  if (begun === undefined) return { head, keyChanges, log };
  // The copy that was continued may have fewer changes of keys.
  return { head: begun, keyChanges: undefined, log: readLog(begun.position) };
}

/**
 * Returns the first head of the epoch that a log is in, if a process was interrupted when the statement
 * of the break was recorded and that head was not yet the head of the store.
 */
export function begunHeadOf(file: string, { id }: Epochs): AcknowledgedHead | undefined {
  const noted = readNotedEpoch(headFileOf(file));
  return noted?.epoch === id ? noted : undefined;
}

/**
 * Returns a clause if the log is in an epoch that no process has noted before it began; not where it
 * contradicts the head anyway.
 */
function unnotedEpoch(file: string, head: AcknowledgedHead, log: Log): string | undefined {
  const { id, number } = log.epochs;
  if (contradictionOf(head, log) !== undefined) return undefined;
  // A start may have begun the epoch between the reads of the head and of the log.
  if (head.epoch === id || readHeadOf(file)?.epoch === id) return undefined;
  return (
    `${file} has the statement of epoch ${number}, and ${headFileOf(file)} ends with epoch ` +
    `${epochNumberOf(head.epoch)}: either that is an older copy, or somebody else has recorded the statement`
  );
}

function lostKeyChanges(file: string, noted = 0, there = noted): string | undefined {
  if (there >= noted) return undefined;
  return (
    `${file} has ${there} changes of API keys, and ${noted} were acknowledged, according to ` +
    `${headFileOf(file)}: a revocation may be among those that are missing`
  );
}

function missing(file: string, position: number): string {
  return (
    `${headFileOf(file)} is missing or cannot be read, so it is unknown whether the log in ` +
    `${file}, which ends at position ${position}, lacks acknowledged events.`
  );
}

/**
 * Throws {@link DamagedStore} if the mark of a store's file as a copy is damaged or contradicts its
 * head, or if the file lacks the statement of its head's epoch, has one of another, or lacks noted
 * changes of API keys.
 * @param readLog Of {@link refuseOtherLog}.
 */
export function requireSameBeside(file: string, readLog: (at: number) => Log): void {
  const { head, keyChanges, log } = readBoth(file, readLog);
  if (head !== undefined && isFalselyMarked(head, log)) {
    throw new DamagedStore(falselyMarked(file, head.position));
  }
  if (log.isCopy) return;
  if (head !== undefined && !log.epochs.has(head.epoch)) {
    throw new DamagedStore(
      `${headFileOf(file)} is of epoch ${head.epoch}, of which this log has no statement`,
    );
  }
  const unnoted = head && unnotedEpoch(file, head, log);
  const wrong = unnoted ?? lostKeyChanges(file, keyChanges, log.keyChanges);
  if (wrong !== undefined) throw new DamagedStore(wrong);
}

// A mark of an older version is one flipped bit away from none, and a break is signed for ever.
function isFalselyMarked(head: AcknowledgedHead, log: Log): boolean {
  return log.isUnsure === true && contradictionOf(head, log) === undefined;
}

function falselyMarked(file: string, position: number): string {
  return (
    `${file} is marked as a backup, and its log has all that was acknowledged here up to position ` +
    `${position}, according to ${headFileOf(file)}: either the mark is damaged, or an older ` +
    'version has made this backup'
  );
}

/** Returns the noted head of a store's file; `undefined` if it cannot be read. */
export function readHeadOf(file: string): AcknowledgedHead | undefined {
  return readHeadFile(headFileOf(file));
}

/** Returns the name of the file that contains the head of a store's file. */
export function headFileOf(file: string): string {
  return `${file}-head`;
}
