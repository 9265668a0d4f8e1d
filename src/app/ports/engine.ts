/** The port to a database engine, in which a store is opened. */

import type { Evidence } from './evidence.ts';
import type {
  AcceptedLoss,
  CommandLineStore,
  IfAbsent,
  Migrated,
  Store,
  StoreWatcher,
} from './store.ts';
import type { StoreCopy, StoreOriginal } from './store-copy.ts';

/**
 * The port to a database engine: every way to open the store at one address. All methods throw
 * {@link UserError} if the store cannot be opened in that way.
 */
export interface Engine {
  /** The store's file, beside which others may be created; absent if the store is not in a file. */
  readonly file?: string;
  /** Opens the store for a server. Creates it if it does not exist. */
  openStore(watcher: StoreWatcher): Promise<Store>;
  /** Opens the store for a command, which may run beside a server. */
  openForCommandLine(ifAbsent: IfAbsent): Promise<CommandLineStore>;
  /** Opens the store to be checked, and changes nothing in it. */
  openEvidence(): Promise<Evidence>;
  /** Opens the store as the original of a copy. Throws while it is served. */
  openOriginal(): Promise<StoreOriginal>;
  /**
   * Begins a copy of the store with this id at the address, or continues one. Throws {@link StoreIsThere}.
   */
  openCopy(id: string): Promise<StoreCopy>;
  /** Continues a log that has lost its end in a new epoch. Throws if nothing is lost. */
  acceptLoss(): Promise<AcceptedLoss>;
  /** Brings the schema up to date. Throws if an engine does so at every start. */
  migrate(): Promise<Migrated>;
  /** Returns an error of work on the opened store with the store's place, if its own words name none. */
  named(error: unknown): unknown;
}

/** The part of the configuration that engines use. */
export interface EngineSettings {
  /** The longest wait of a start for an unreachable database, in milliseconds. */
  readonly databaseWaitMs: number;
  /**
   * The rate at which the store is checked repeatedly, in bytes a second; 0: it is checked once.
   */
  readonly scrubBytesPerSecond: number;
  /**
   * The head file on this machine, for a store that is not a file; absent: the default.
   */
  readonly headFile?: string | undefined;
}
