/** The port to an open store, for a server and for a command. */

import type { Epochs, IdRange } from '../log/epochs.ts';
import { isPacked, type TreeHead } from '../log/merkle-tree.ts';
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
import type { SnapshotSearch, Snapshots } from './snapshots.ts';
import type { Trail } from './trail.ts';

/** The parts of every open store. */
export interface StoreParts {
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
}

/** A store opened and checked for a server. */
export interface Store extends StoreParts {
  /** Random; distinguishes the positions of different stores. */
  readonly id: string;
  /** The epochs of the log. No new one begins while the store is open. */
  readonly epochs: Epochs;
  /** A warning for the operator about a store that can be served nevertheless. */
  readonly notice?: string;
  readonly log: EventLogReader;
  /** A faster way to the events of the log, for a fold; absent if the engine has none. */
  readonly foldSource?: FoldSource;
  readonly writer: BatchWriter;
  /**
   * The reaction to a batch of unknown outcome. `stop`: the log is on this machine, so its storage
   * has failed. The service stops, and the next start reads the truth. `go on`: the log is on
   * another machine, and the connection was lost. The next batch is decided on the log as it is by
   * then.
   */
  readonly inDoubt: 'stop' | 'go on';
  /** The place of the store if opening it has created it; absent otherwise. */
  readonly madeAt?: string | undefined;
  /**
   * Starts the writer with the service's fold of the log, so that the log is not read twice. Must
   * be called once. Resolves when the writer accepts commands.
   */
  begin(start: WriterStart): Promise<void>;
  readonly snapshots: Snapshots;
  /** Returns the counters as of the last checkpoint; absent if the engine makes none. */
  readonly checkpoints?: () => CheckpointCounters;
  /** Returns the present use of its connections; absent if the engine has no pool. */
  readonly connections?: () => ConnectionCounts;
  /** Absent for a store in memory. */
  readonly check?: StoreCheck;
  /**
   * Receives damage that a request has found, and reports it, or the altered schema that explains it;
   * absent: it is reported as it is.
   */
  readonly damaged?: (cause: Error) => void;
  /** Finishes the batch in flight and releases all resources. */
  close(): Promise<void>;
}

/** The check of everything stored, which is repeated while the store is served. */
export interface StoreCheck {
  /**
   * Resolves when everything was checked once. Rejects with {@link DamagedStore} if anything
   * differs from what was recorded.
   */
  readonly once: Promise<void>;
  /** True if the first check is so short that the start waits for it. */
  readonly isShort: boolean;
}

/** The fold of the log with which a writer starts, for both kinds of writers. */
export interface WriterStart {
  /** Returns a copy of the image of all orders, for a writer in another thread. */
  packImage(): PackedImage;
  /**
   * Returns a writer for this thread, which folds its events into the service's own list.
   * @param ids The ids that may be assigned to new orders.
   */
  makeWriter(log: EventLog, ids: IdRange): BatchWriter;
}

/** A store opened for a command, which may run beside a server. */
export interface CommandLineStore extends StoreParts {
  readonly id: string;
  /** The epochs of the log when the store was opened. */
  readonly epochs: Epochs;
  readonly log: EventLog;
  readonly foldSource?: FoldSource;
  readonly snapshots: SnapshotSearch;
  /**
   * Records the events of another store, exactly as stored there, in a store without events: all or
   * none. `fill` adds them in order, from position 1, in chunks, and returns the head that their
   * tree must have. Throws {@link UserError} if the store has events, or a server is running.
   */
  takeOver(fill: Fill): Promise<void>;
  /**
   * Checks everything in the store. Throws {@link DamagedStore}, or the signal's reason as soon as
   * it is aborted.
   */
  checked(signal: AbortSignal): Promise<void>;
  /**
   * Copies the store to a new file, as of one moment, while it may be in use. Throws the signal's reason
   * when it is aborted: nothing is left of the copy then.
   */
  backup(file: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Adds events by calling `add`, one call at a time. */
export type Fill = (
  add: (events: readonly StoredFields[]) => void | Promise<void>,
) => Promise<TreeHead>;

/** The reaction to an absent store: refuse, or create it and call the function with its place. */
export type IfAbsent = 'refuse' | ((where: string) => void);

/** The result of accepting the loss of a log's end. */
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
 * Thrown if the store cannot be used now: the database is unreachable, or refuses. Nothing was
 * changed, and no outdated data was returned.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Thrown if the store differs from what was recorded. What was read must not be used. */
export class DamagedStore extends StoreUnavailable {
  override readonly name = 'DamagedStore';

  constructor(damage: string) {
    super(new Error(damage));
  }
}

/**
 * Thrown if rows are not found that have to be there: they are gone, or were hidden for a moment, such
 * as by row security.
 */
export class MissingRows extends DamagedStore {}

/**
 * Thrown if the schema of a store differs from that of its version, such as a trigger that is disabled.
 * Unlike other damage, it can be undone without a backup.
 */
export class AlteredSchema extends DamagedStore {}

/** Returns true for an error that shows a damaged store. */
export function isDamage(error: unknown): error is Error {
  return (
    error instanceof DamagedStore ||
    error instanceof UnreadableEvent ||
    error instanceof ImpossibleEvent
  );
}

/** Throws {@link DamagedStore} if a log and its Merkle tree differ in size. */
export function requireSameSize(log: number, tree: number): void {
  if (log === tree) return;
  const position = Math.min(log, tree) + 1;
  const wrong = log > tree ? 'was not recorded by the service' : 'is missing';
  throw new MissingRows(
    `the log has ${log} events and its tree ${tree}: the event at position ${position} ${wrong}`,
  );
}

/** Returns the packed right edge of a tree. Throws {@link DamagedStore} for any other value. */
export function requireEdge(value: unknown): Buffer {
  if (Buffer.isBuffer(value) && isPacked(value)) return value;
  if (value === undefined) throw new MissingRows('the log has no tree');
  throw new DamagedStore("the tree's right edge is damaged");
}

/** Receives changes in the state of a store that is served. */
export interface StoreWatcher {
  /** Called when the writer has failed: nothing can be recorded any more. */
  lost(cause: Error): void;
  /**
   * Called when an impairment begins, which lasts until {@link mended}. Repeated calls have no
   * effect.
   */
  impaired(impairment: Impairment, cause: Error): void;
  mended(impairment: Impairment): void;
  /** Called for a line in the log file that does not affect requests. */
  noticed(message: string, details: object): void;
}

/** Counts of the checkpoints of a SQLite store since it was opened. */
export interface CheckpointCounters {
  readonly done: number;
  /** Checkpoints that left frames behind because of a reader. */
  readonly incomplete: number;
  readonly failed: number;
  /** The size of the committed part of the `-wal` file after the last one, in bytes. */
  readonly walBytes: number;
  /** The time since the last complete one, in milliseconds; absent before the first. */
  readonly ageMs?: number;
}

/** The connections of a store to its database, by their state. */
interface ConnectionCounts {
  readonly idle: number;
  readonly used: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
  /** False while the database does not notify of new events, so that the log is polled more often. */
  readonly isNotified: boolean;
  /** A histogram of the waits of appends for the log's lock, in seconds. */
  readonly lockWaits: {
    readonly bounds: readonly number[];
    readonly cumulative: readonly number[];
    readonly sum: number;
  };
}
