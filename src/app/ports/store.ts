import type { TreeHead } from '../audit/merkle-tree.ts';
import type { StoredFields } from '../audit/record.ts';
import type { Epochs } from '../epochs.ts';
import type { Impairment } from '../impairment.ts';
import type { OrderList } from '../order-list.ts';
import type { BatchWriter } from './batch-writer.ts';
import { type EventLog, type EventLogReader, UnreadableEvent } from './event-log.ts';
import type { FactSource } from './fact-source.ts';
import type { KeyStore } from './key-store.ts';
import type { RefusalTrail } from './refusal-trail.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { Snapshots } from './snapshots.ts';
import type { StoreCheck } from './store-check.ts';
import type { Trail } from './trail.ts';

/** What an engine gives to the service: the log's two sides and the keys, opened and checked. */
export interface Store {
  /** Made up when the store was created: positions mean nothing without it. */
  readonly id: string;
  /** Those that its log has been in. None begins while it is open. */
  readonly epochs: Epochs;
  /** What whoever runs it should know, in plain words, though it can be served. */
  readonly notice?: string;
  readonly log: EventLogReader;
  /** The same events, for those who only fold them: where the engine has a faster way to that. */
  readonly facts?: FactSource;
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly writer: BatchWriter;
  /**
   * What to do when the writer cannot tell whether a batch was recorded. Where the log is on this
   * machine, something is badly wrong: stop, and let the next start read what is true. Where it is
   * elsewhere, the connection was lost: the next batch begins with what the log has by then.
   */
  readonly inDoubt: 'stop' | 'go on';
  /** Where it was made, if it was made when it was opened. */
  readonly madeAt?: string | undefined;
  /**
   * Gives the writer the image of all orders, as far as the log was folded, so that nobody has to
   * read the log twice. A writer in this thread goes on with the list itself, into which it folds what
   * it records; one in another has a copy of the image. To be called once. Resolves when the writer
   * takes commands.
   */
  begin(list: Pick<OrderList<unknown>, 'image' | 'fold'>): Promise<void>;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  readonly snapshots: Snapshots;
  /** As of the last checkpoint; absent where an engine has none. */
  readonly checkpoints?: () => CheckpointCounters;
  /** Absent where nothing lies anywhere that could be damaged. */
  readonly check?: StoreCheck;
  /** Finishes the batch under way and gives everything back. */
  close(): Promise<void>;
}

/** What an engine gives to a command line tool, which may work beside a server. */
export interface CommandLineStore {
  /** Made up when the store was created: positions mean nothing without it. */
  readonly id: string;
  /** Those that its log had been in when it was opened. */
  readonly epochs: Epochs;
  readonly log: EventLog;
  /** See {@link Store.facts}. */
  readonly facts?: FactSource;
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  /**
   * Records events that another store has recorded, exactly as they were, in a store that has none:
   * all of them or none. `fill` adds them in order, from position 1, many at a time, and tells what
   * their tree must be when they are all there. Throws {@link CannotStart} where there are events,
   * and where a server is running.
   */
  takeOver(fill: Fill): Promise<void>;
  /** Checks all that lies in the store. Throws {@link DamagedStore}. */
  checked(): Promise<void>;
  /** Copies the store to a new file, consistent as of one moment, while it is in use. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** `add` is to be waited for before more is added. */
export type Fill = (
  add: (events: readonly StoredFields[]) => void | Promise<void>,
) => Promise<TreeHead>;

/** What is left after the end of a log was given up. */
export interface AcceptedLoss {
  /** The position at which the log ends now. */
  readonly head: number;
  /** The id of the epoch in which it goes on. */
  readonly epoch: string;
  /** The file that keeps what was damaged, if anything was. */
  readonly copy?: string;
}

/** What a store's schema was, and what it is now. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** What was wrong with what keeps the log append-only, and was put right, in plain words. */
  readonly restored: readonly string[];
}

/**
 * The store cannot be asked at this time: the database is out of reach, or refuses. Nothing was
 * changed, and nothing that might be out of date was read.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** The store does not hold what was recorded. Nothing that was read from it may be answered. */
export class DamagedStore extends StoreUnavailable {
  constructor(damage: string) {
    super(new Error(damage));
  }
}

/** Whether what was read cannot be what was recorded. */
export function isDamage(error: unknown): error is Error {
  return error instanceof DamagedStore || error instanceof UnreadableEvent;
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

/** Is told what becomes of a store while it is served. */
export interface StoreWatcher {
  /** The writer has ended by itself after it began: nothing can be recorded any more. */
  lost(cause: Error): void;
  /** Something is amiss, until it is mended. To say it again changes nothing. */
  impaired(impairment: Impairment, cause: Error): void;
  mended(impairment: Impairment): void;
  /** Something for the log, with its facts, that changes nothing for requests. */
  noticed(message: string, facts: object): void;
}

/** The checkpoints of a SQLite store since it was opened, and the size of its `-wal` file after the last. */
export interface CheckpointCounters {
  readonly done: number;
  /** Those that a reader kept from the newest frames. */
  readonly incomplete: number;
  readonly failed: number;
  /** What is committed in the file, in bytes. */
  readonly walBytes: number;
}
