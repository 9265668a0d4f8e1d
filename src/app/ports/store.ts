/** The port to a store: the form in which an engine hands it to a server, or to a command. */

import type { Epochs, IdRange } from '../log/epochs.ts';
import type { TreeHead } from '../log/merkle-tree.ts';
import type { PackedImage } from '../log/packed-fold.ts';
import { ImpossibleEvent, type StoredFields } from '../log/recorded-event.ts';
import type { BatchWriter } from './batch-writer.ts';
import {
  type EventLog,
  type EventLogReader,
  type FoldSource,
  UnreadableEvent,
} from './event-log.ts';
import type { Impairment } from './impairment.ts';
import type { KeyStore } from './key-store.ts';
import type { RefusalTrail } from './refusal-trail.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { Snapshots } from './snapshots.ts';
import type { Trail } from './trail.ts';

/** The parts that every store has, however it was opened. */
export interface StoreParts {
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
}

/** A store that was opened, and checked, for a server. */
export interface Store extends StoreParts {
  /** Drawn at random when the store was created: it tells positions of two stores apart. */
  readonly id: string;
  /** The epochs of its log. None begins while the store is open. */
  readonly epochs: Epochs;
  /** A warning for the operator, in plain words, about a store that can be served all the same. */
  readonly notice?: string;
  readonly log: EventLogReader;
  /** The same events for a fold; absent where the engine has no faster way to them. */
  readonly foldSource?: FoldSource;
  readonly writer: BatchWriter;
  /**
   * The reaction to a batch of which the writer cannot tell if it was recorded. If the log is on
   * this machine, its storage has failed: the service stops, and the next start reads what is
   * there. If it is on another, the connection was lost: the next batch begins with what the log
   * has by then.
   */
  readonly inDoubt: 'stop' | 'go on';
  /** The place of a store that was created when it was opened; absent for any other. */
  readonly madeAt?: string | undefined;
  /**
   * Starts the writer on the fold of the log that the service has made, so that the log is not read
   * twice. Must be called once. Resolves when the writer takes commands.
   */
  begin(start: WriterStart): Promise<void>;
  readonly snapshots: Snapshots;
  /** Returns the counters as of the last checkpoint; absent where an engine has no checkpoints. */
  readonly checkpoints?: () => CheckpointCounters;
  /** Returns how its connections are used now; absent where an engine has none. */
  readonly connections?: () => ConnectionCounts;
  /** Absent for a store in memory. */
  readonly check?: StoreCheck;
  /** Finishes the batch under way and releases everything. */
  close(): Promise<void>;
}

/** The check of everything in a store, which is repeated for as long as the store is served. */
export interface StoreCheck {
  /**
   * Resolves when everything was read and checked once. Rejects with {@link DamagedStore} for
   * anything that differs from what was recorded.
   */
  readonly once: Promise<void>;
  /** True if the first check takes so little time that every start waits for it. */
  readonly isShort: boolean;
}

/** The fold of the log that a writer starts from, for either kind of writer. */
export interface WriterStart {
  /** Copies the image of all orders: for a writer in another thread. */
  packImage(): PackedImage;
  /**
   * Makes a writer in this thread, which folds the events that it records into the service's own
   * list.
   * @param ids The ids that new orders may be given.
   */
  makeWriter(log: EventLog, ids: IdRange): BatchWriter;
}

/** A store that was opened for a command, which may run beside a server. */
export interface CommandLineStore extends StoreParts {
  readonly id: string;
  /** The epochs that its log had when it was opened. */
  readonly epochs: Epochs;
  readonly log: EventLog;
  readonly foldSource?: FoldSource;
  /**
   * Records the events of another store, exactly as they are stored there, in a store without
   * events: all of them or none. `fill` adds them in order, from position 1, many at a time, and
   * returns the head that their tree must have. Throws {@link CannotStart} if there are events, or
   * a server is running.
   */
  takeOver(fill: Fill): Promise<void>;
  /**
   * Checks everything in the store. Throws {@link DamagedStore}, or the signal's reason as soon as it
   * is aborted.
   */
  checked(signal: AbortSignal): Promise<void>;
  /** Copies the store to a new file, consistent as of one moment, while it is in use. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Adds events by calls of `add`, and awaits each call before the next. */
export type Fill = (
  add: (events: readonly StoredFields[]) => void | Promise<void>,
) => Promise<TreeHead>;

/**
 * The choice where there is no store yet: to refuse, or to make one and be called with its place.
 */
export type IfAbsent = 'refuse' | ((where: string) => void);

/** The rest of a log whose end was given up. */
export interface AcceptedLoss {
  /** The last position of the log. */
  readonly head: number;
  /** The id of the epoch that was begun. */
  readonly epoch: string;
  /** A copy of the damaged file, if a file was damaged. */
  readonly copy?: string;
}

/** The versions of a store's schema before and after a migration. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Guards of the append-only log that were missing and were restored, in plain words. */
  readonly restored: readonly string[];
}

/**
 * The store cannot be used at this time: the database is out of reach, or refuses. Nothing was
 * changed, and nothing was read that might be out of date.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** The store differs from what was recorded. No answer may be made from what was read. */
export class DamagedStore extends StoreUnavailable {
  override readonly name = 'DamagedStore';

  constructor(damage: string) {
    super(new Error(damage));
  }
}

/** Returns true for an error that shows a damaged store. */
export function isDamage(error: unknown): error is Error {
  return (
    error instanceof DamagedStore ||
    error instanceof UnreadableEvent ||
    error instanceof ImpossibleEvent
  );
}

/** Throws {@link DamagedStore} where a log and the Merkle tree over it differ in size. */
export function requireSameSize(log: number, tree: number): void {
  if (log === tree) return;
  const position = Math.min(log, tree) + 1;
  const wrong = log > tree ? 'was not recorded by the service' : 'is missing';
  throw new DamagedStore(
    `the log has ${log} events and its tree ${tree}: the event at position ${position} ${wrong}`,
  );
}

/** Receives the events in the life of a store that is served. */
export interface StoreWatcher {
  /** Called when the writer has ended by itself: nothing can be recorded any more. */
  lost(cause: Error): void;
  /** Called when an impairment begins, until {@link mended}. A second call changes nothing. */
  impaired(impairment: Impairment, cause: Error): void;
  mended(impairment: Impairment): void;
  /** Called for a line in the log file that changes nothing for requests. */
  noticed(message: string, details: object): void;
}

/**
 * The checkpoints of a SQLite store since it was opened, and the size of its `-wal` file after the
 * last.
 */
export interface CheckpointCounters {
  readonly done: number;
  /** Checkpoints that a reader kept from the newest frames. */
  readonly incomplete: number;
  readonly failed: number;
  /** The committed part of the file, in bytes. */
  readonly walBytes: number;
  /** The time since the last that was done, in milliseconds; absent before the first. */
  readonly ageMs?: number;
}

/** The connections of a store to its database. */
interface ConnectionCounts {
  readonly idle: number;
  readonly used: number;
  /** Calls that wait for one. */
  readonly waiting: number;
  /** The waits of appends for the lock of the log, in seconds, as a histogram. */
  readonly lockWaits: {
    readonly bounds: readonly number[];
    readonly cumulative: readonly number[];
    readonly sum: number;
  };
}
