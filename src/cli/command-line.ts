import type { Writable } from 'node:stream';
import type { DecodeStrictly } from '../app/audit/event-rules.ts';
import type { Prover } from '../app/audit/prover.ts';
import type { Evidence } from '../app/ports/evidence.ts';
import type { AcceptedLoss, CommandLineStore, Migrated } from '../app/ports/store.ts';
import type { StoreCopy, StoreOriginal } from '../app/ports/store-copy.ts';

/** What the command line needs from the composition root. */
export interface Composition {
  /** Runs the service. What is given wins over the same variables of the environment. */
  serve(given?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs the service on throw-away data. */
  demo(): Promise<void>;
  /** Opens the store. Where there is none, one is made if somebody is told of that in `made`. */
  openForCommandLine(made?: (where: string) => void): Promise<CommandLineStore>;
  /** Goes on with what is left of the store's log, in a new epoch. */
  acceptLoss(): Promise<AcceptedLoss>;
  /** What proves things of an open store. Its key is made where it has never had one. */
  proverOf(store: CommandLineStore): Promise<Prover>;
  /** Lets an open store sign with another key from now on, and says with which. */
  newSigningKey(store: CommandLineStore): Promise<{
    readonly file: string;
    readonly verifierKey: string;
    readonly isMade: boolean;
    readonly before: string | undefined;
  }>;
  /** Opens the store to be checked: nothing of it is changed. */
  openEvidence(): Promise<Evidence>;
  /** The public key of the store, if it has one. */
  verifierKey(): string | undefined;
  /** What events are written and read with. */
  readonly decode: DecodeStrictly;
  /** Opens a store, which nobody serves, to copy it. `url` is as in DATABASE_URL. */
  openOriginal(url: string): Promise<StoreOriginal>;
  /** Opens what is to be a copy of the store with this id. */
  openCopy(url: string, id: string): Promise<StoreCopy>;
  /** Brings the store's schema up to date. */
  migrate(): Promise<Migrated>;
}

/** One of the two streams that a command writes to. */
export type Output = Writable & { readonly isTTY?: boolean };

/** Standard output is for results, to be read by programs; all else goes to standard error. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** What every subcommand is given. */
export interface CommandLine {
  readonly composition: Composition;
  readonly terminal: Terminal;
}

/** The same for a command that may be the first on its store: where there is none, it makes one. */
export async function withStoreOrNew<Result>(
  { composition, terminal }: CommandLine,
  use: (store: CommandLineStore) => Promise<Result>,
): Promise<Result> {
  const made = (where: string) => void terminal.stderr.write(`Made a new store: ${where}\n`);
  return closing(await composition.openForCommandLine(made), use);
}

/** Opens the store for as long as `use` takes. Rejects where there is none. */
export async function withStore<Result>(
  { composition }: CommandLine,
  use: (store: CommandLineStore) => Promise<Result>,
): Promise<Result> {
  return closing(await composition.openForCommandLine(), use);
}

async function closing<Result>(
  store: CommandLineStore,
  use: (store: CommandLineStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
