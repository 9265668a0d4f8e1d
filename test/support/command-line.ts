import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Prover } from '../../src/app/audit/proving/prover.ts';
import { CheckedTrail } from '../../src/app/audit/trail/checked-trail.ts';
import type { Engine } from '../../src/app/ports/engine.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { CommandLineStore } from '../../src/app/ports/store.ts';
import { Projector } from '../../src/app/read/projector.ts';
import { OrderList, type OrderView } from '../../src/app/state/order-list.ts';
import { run } from '../../src/cli/program.ts';
import type {
  GivenSettings,
  RunningWitness,
  WitnessSettings,
} from '../../src/cli/shared/command-line.ts';
import { decodeStrictly } from '../../src/infra/events/codec.ts';
import { engineOf as postgresEngineOf } from '../../src/infra/postgres/engine.ts';
import { openPostgresForCommandLine } from '../../src/infra/postgres/store.ts';
import {
  openSigningKey,
  readSigner,
  readVerifierKey,
  renewSigningKey,
} from '../../src/infra/process/signing-key-file.ts';
import { settingsOf } from '../../src/infra/settings/in-force.ts';
import { engineOf as sqliteEngineOf } from '../../src/infra/sqlite/engine.ts';
import { lock } from '../../src/infra/sqlite/start/server-lock.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/store.ts';
import { openWorkingTable } from '../../src/infra/sqlite/working-table.ts';
import { temporaryFolder } from './folder.ts';
import { newDatabase } from './postgres/databases.ts';

/** The exit code and output of a run of the command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A test's own folder with a store, and the command line on that store. */
export class Place {
  readonly folder = temporaryFolder();
  readonly started: string[] = [];
  /** The settings of the witnesses that were started. */
  readonly witnesses: WitnessSettings[] = [];
  /** The variables that `config` finds set, in the environment and in the file `.env`. */
  environment: Readonly<Record<string, string>> = {};
  dotEnv: Readonly<Record<string, string>> = {};
  /** The standard input of each run. */
  stdin = '';
  /** The width of the terminals of {@link runOnTerminal}. */
  columns = 80;
  /** The standard output of each run so far, also of those that are under way. */
  readonly shown: Collected[] = [];
  readonly #log: EventLog | undefined;
  /** The store's address, if it is in PostgreSQL. */
  readonly url: string | undefined;

  /** @param log Replaces the log of the store. */
  constructor(log?: EventLog, url?: string) {
    this.#log = log;
    this.url = url;
  }

  /** Creates a place with a store in a PostgreSQL database of its own. */
  static async onPostgres(): Promise<Place> {
    return new Place(undefined, await newDatabase());
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file and returns its name. */
  write(name: string, text: string): string {
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  async open(): Promise<CommandLineStore> {
    const store =
      this.url === undefined
        ? openSqliteForCommandLine(this.file('store.db'))
        : await openPostgresForCommandLine(this.url);
    const checked = { ...store, trail: new CheckedTrail(store.trail) };
    if (this.#log === undefined) return checked;
    // The engine's own reader would return other events than the replaced log.
    const { foldSource: _, ...rest } = checked;
    return { ...rest, log: this.#log };
  }

  /** Runs `store-orders` with these arguments. */
  async run(...args: readonly string[]): Promise<Ran> {
    return this.#runOn(false, ...args);
  }

  /** Runs the same with outputs that claim to be terminals. */
  async runOnTerminal(...args: readonly string[]): Promise<Ran> {
    return this.#runOn(true, ...args);
  }

  async #runOn(isTTY: boolean, ...args: readonly string[]): Promise<Ran> {
    const stdout = new Collected(isTTY, this.columns);
    this.shown.push(stdout);
    const stderr = new Collected(isTTY, this.columns);
    const composition = {
      environment: this.environment,
      serve: async (given: GivenSettings = {}) => {
        const values = Object.values(given).map(({ option, value }) => `${option} ${value}`);
        this.started.push(['serve', ...values].join(' '));
      },
      demo: async () => void this.started.push('demo'),
      witness: async (
        given: WitnessSettings,
        _signal: AbortSignal,
        running: (witness: RunningWitness) => void,
      ) => {
        this.witnesses.push(given);
        running({ address: 'http://127.0.0.1:3001', verifierKey: 'witness.example/w1+…' });
      },
      engine: async (address?: string) => this.#engine(address),
      proverOf: async (store: CommandLineStore) =>
        new Prover(store.trail, await openSigningKey(this.#keyPlace(), store), store.epochs),
      newSigningKey: (store: CommandLineStore) => renewSigningKey(this.#keyPlace(), store),
      verifierKey: async () => readVerifierKey(this.#keyPlace()),
      signer: async () => readSigner(this.#keyPlace()),
      lock: async (...given: Parameters<typeof lock>) => lock(...given),
      workingTable: async () => openWorkingTable(),
      decoder: async () => decodeStrictly,
      settings: async (given: GivenSettings = {}) =>
        settingsOf({ given, environment: this.environment, dotEnv: this.dotEnv }),
    };
    const code = await run(['node', 'store-orders', ...args], composition, {
      ...{ stdin: Readable.from([this.stdin]), stdout, stderr },
    });
    return { code, out: stdout.text, err: stderr.text };
  }

  #engine(address = `sqlite:${this.file('store.db')}`): Engine {
    const settings = { databaseWaitMs: 0, scrubBytesPerSecond: 0 };
    const engine =
      this.url === undefined
        ? sqliteEngineOf(address.replace('sqlite:', ''), settings)
        : postgresEngineOf(this.url, settings);
    return {
      ...engine,
      openForCommandLine: () => this.open(),
      migrate: async () => ({ from: 0, to: this.started.push('migrate'), restored: [] }),
    };
  }

  #keyPlace() {
    return this.url === undefined
      ? { databaseFile: this.file('store.db'), signingKeyFile: undefined }
      : { signingKeyFile: this.file('store.db-signing-key') };
  }

  /** Returns all orders by id, as a projection of the log. */
  async orders(): Promise<readonly OrderView[]> {
    return this.#reading(async ({ log }) => {
      const list = new OrderList((page) => page);
      await new Projector(log, list).catchUp();
      return list.encoded().chunks.flat();
    });
  }

  async head(): Promise<number> {
    return this.#reading(({ log }) => log.head());
  }

  async #reading<Result>(read: (store: CommandLineStore) => Promise<Result>): Promise<Result> {
    const store = await this.open();
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  }
}

/** An output stream that records what is written to it. */
class Collected extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = '';

  constructor(isTTY: boolean, columns: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.text += text;
    done();
  }
}
