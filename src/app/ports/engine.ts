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
 * The port to a database engine: every way to open the store at one address. All of them throw
 * {@link CannotStart} where the store cannot be opened so.
 */
export interface Engine {
  /** The store's own file, beside which other files may lie; absent where it is in no file. */
  readonly file?: string;
  /** Opens the store for a server, and makes it where there is none. */
  openStore(watcher: StoreWatcher): Promise<Store>;
  /** Opens the store for a command, which may run beside a server. */
  openForCommandLine(ifAbsent: IfAbsent): Promise<CommandLineStore>;
  /** Opens the store to be checked. Nothing of it is changed. */
  openEvidence(): Promise<Evidence>;
  /** Opens the store to be copied. Throws while it is served. */
  openOriginal(): Promise<StoreOriginal>;
  /** Begins a copy of the store with this id at the address, or goes on with one. */
  openCopy(id: string): Promise<StoreCopy>;
  /**
   * Begins a new epoch on the rest of a log that has lost its end. Throws where nothing is lost.
   */
  acceptLoss(): Promise<AcceptedLoss>;
  /** Brings the schema up to date. Throws where an engine does so at every start. */
  migrate(): Promise<Migrated>;
}

/** The part of the configuration that engines use. */
export interface EngineSettings {
  /** The time for which a start waits for a database that is away, in milliseconds. */
  readonly databaseWaitMs: number;
  /** The bytes a second that are read again to be checked; 0: everything is checked once. */
  readonly scrubBytesPerSecond: number;
  /** The file of the witness on this machine, for a store in no file; absent: a default. */
  readonly witnessFile?: string | undefined;
}
