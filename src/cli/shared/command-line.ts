/** The ground that all subcommands stand on: the composition, the outputs and an open store. */

import type { Readable, Writable } from 'node:stream';
import type { NoteSigner } from '../../app/audit/proving/checkpoint.ts';
import type { Prover } from '../../app/audit/proving/prover.ts';
import type { KnownLogs } from '../../app/audit/witness/submitted-checkpoint.ts';
import type { Engine } from '../../app/ports/engine.ts';
import type { DecodeStrictly } from '../../app/ports/evidence.ts';
import type { CommandLineStore, IfAbsent } from '../../app/ports/store.ts';
import type { WorkingTable } from '../../app/ports/working-table.ts';

/** Settings that options of a command give, by their variables. */
export type GivenSettings = Readonly<Record<string, GivenSetting>>;

interface GivenSetting {
  readonly option: string;
  readonly value: string;
}

/** A setting of the service, without what is secret in it. */
export interface Setting {
  readonly name: string;
  /** Absent if nothing sets it, and there is no default. */
  readonly value: string | undefined;
  /** An option, `environment`, `.env` or `default`. */
  readonly source: string;
}

/** The settings, and what is wrong with them, one mistake a line. */
interface Settings {
  readonly settings: readonly Setting[];
  readonly mistakes: string | undefined;
}

/** The options of a witness. */
export interface WitnessSettings {
  /** The file of its memory, and that of its key. */
  readonly databaseFile: string;
  readonly keyFile: string;
  /** The name of a key that is made if there is none. */
  readonly name: string | undefined;
  readonly logs: KnownLogs;
  readonly host: string;
  readonly port: number;
  /** The submissions of one address at once, and in each minute after that. */
  readonly perMinute: number;
}

/** A witness that listens. */
export interface RunningWitness {
  readonly address: string;
  /** The public key that stands in policies. */
  readonly verifierKey: string;
}

/** The variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the program that the command line is handed by the composition root. */
export interface Composition {
  readonly environment: Environment;
  /** Runs the service. What is given wins over the environment. */
  serve(given?: GivenSettings): Promise<void>;
  /** Runs the service on throw-away data. */
  demo(): Promise<void>;
  /** Runs a witness until the signal aborts. Calls `running` once it listens. */
  witness(
    settings: WitnessSettings,
    signal: AbortSignal,
    running: (witness: RunningWitness) => void,
  ): Promise<void>;
  /** Returns the engine of the configured store, or of an address as DATABASE_URL has it. */
  engine(address?: string): Promise<Engine>;
  /** Returns the prover of an open store. Its key is made where the store has never had one. */
  proverOf(store: CommandLineStore): Promise<Prover>;
  /** Lets an open store sign with another key from now on. */
  newSigningKey(store: CommandLineStore): Promise<{
    readonly file: string;
    readonly verifierKey: string;
    readonly isMade: boolean;
    readonly before: string | undefined;
  }>;
  /** Returns the public key of the configured store, if it has one. */
  verifierKey(): Promise<string | undefined>;
  /** Returns the key that signs for the configured store, if there is one. None is made. */
  signer(): Promise<NoteSigner | undefined>;
  /**
   * Locks a file for this process alone. Throws {@link UserError} with a message if it is taken, and
   * still is after so many milliseconds, for which the process is blocked.
   */
  lock(file: string, taken: string, waitMs?: number): Promise<() => void>;
  /** Opens an empty table for the work of a command, which closes it. */
  workingTable(): Promise<WorkingTable>;
  /** Returns the codec of stored events. */
  decoder(): Promise<DecodeStrictly>;
  /** Returns the settings of the service as {@link serve} would have them. */
  settings(given?: GivenSettings): Promise<Settings>;
}

/** One of the two streams that a command writes to. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

type Input = Readable & { readonly isTTY?: boolean };

/** Standard output is for results, to be read by programs; all else goes to standard error. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface CommandLine {
  readonly composition: Composition;
  readonly terminal: Terminal;
}

/** Opens the store for as long as `use` takes. Rejects where there is none. */
export async function withStore<Result>(
  { composition }: CommandLine,
  use: (store: CommandLineStore) => Promise<Result>,
  ifAbsent: IfAbsent = 'refuse',
): Promise<Result> {
  const engine = await composition.engine();
  const store = await engine.openForCommandLine(ifAbsent);
  try {
    return await use(store);
  } catch (error) {
    throw engine.named(error);
  } finally {
    await store.close();
  }
}

/** Opens the store as {@link withStore} does, and makes one where there is none. */
export function withStoreOrNew<Result>(
  commandLine: CommandLine,
  use: (store: CommandLineStore) => Promise<Result>,
): Promise<Result> {
  const { stderr } = commandLine.terminal;
  return withStore(commandLine, use, (at) => void stderr.write(`Made a new store: ${at}\n`));
}

/**
 * Does work with an open store while everything in it is checked. Returns what the work has found
 * once both are done. Throws {@link DamagedStore}. A failure of the work, or its signal, ends the
 * check.
 */
export async function whileChecked<Result>(
  store: CommandLineStore,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const failed = new AbortController();
  const signals = signal === undefined ? [failed.signal] : [failed.signal, signal];
  const checked = store.checked(AbortSignal.any(signals));
  // It may fail before it is awaited.
  checked.catch(() => undefined);
  try {
    const result = await work();
    await checked;
    return result;
  } finally {
    failed.abort();
    // The check has the store's files open until it has ended.
    await checked.catch(() => undefined);
  }
}
