import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Prover } from '../../src/app/audit/prover.ts';
import { OrderList, type OrderView } from '../../src/app/order-list.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { CommandLineStore } from '../../src/app/ports/store.ts';
import { Projector } from '../../src/app/projector.ts';
import { run } from '../../src/cli/program.ts';
import { decodeStrictly } from '../../src/infra/event-codec.ts';
import { openPostgresEvidence } from '../../src/infra/postgres/postgres-evidence.ts';
import { openPostgresForCommandLine } from '../../src/infra/postgres/postgres-store.ts';
import {
  openSigningKey,
  readVerifierKey,
  renewSigningKey,
} from '../../src/infra/signing-key-file.ts';
import { acceptLoss } from '../../src/infra/sqlite/accept-loss.ts';
import { openSqliteCopy, openSqliteOriginal } from '../../src/infra/sqlite/sqlite-copy.ts';
import { openSqliteEvidence } from '../../src/infra/sqlite/sqlite-evidence.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/databases.ts';

/** What a run of the command line left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder of its own for a test, with a store in it, and the command line on that store. */
export class Place {
  readonly folder = temporaryFolder();
  readonly started: string[] = [];
  readonly #log: EventLog | undefined;
  /** Where the store is, if it is in PostgreSQL. */
  readonly url: string | undefined;

  /** @param log Stands in for the log of the store. */
  constructor(log?: EventLog, url?: string) {
    this.#log = log;
    this.url = url;
  }

  /** The same, with a store in a database of its own. */
  static async onPostgres(): Promise<Place> {
    return new Place(undefined, await newDatabase());
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file and gives back its name. */
  write(name: string, text: string): string {
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  async open(): Promise<CommandLineStore> {
    const store =
      this.url === undefined
        ? openSqliteForCommandLine(this.file('store.db'))
        : await openPostgresForCommandLine(this.url);
    if (this.#log === undefined) return store;
    // The engine's own way to the events would lead to other ones.
    const { facts: _, ...rest } = store;
    return { ...rest, log: this.#log };
  }

  /** Runs `store-orders` with these arguments. */
  async run(...args: readonly string[]): Promise<Ran> {
    return this.#runOn(false, ...args);
  }

  /** The same on a terminal, or as far as a program can tell. */
  async runOnTerminal(...args: readonly string[]): Promise<Ran> {
    return this.#runOn(true, ...args);
  }

  async #runOn(isTTY: boolean, ...args: readonly string[]): Promise<Ran> {
    const stdout = new Collected(isTTY);
    const stderr = new Collected(isTTY);
    const composition = {
      serve: async () => void this.started.push('serve'),
      demo: async () => void this.started.push('demo'),
      openForCommandLine: () => this.open(),
      acceptLoss: () => acceptLoss(this.file('store.db')),
      proverOf: async (store: CommandLineStore) =>
        new Prover(store.trail, await openSigningKey(this.#keyPlace(), store), store.epochs),
      newSigningKey: (store: CommandLineStore) => renewSigningKey(this.#keyPlace(), store),
      openEvidence: async () =>
        this.url === undefined
          ? openSqliteEvidence(this.file('store.db'))
          : openPostgresEvidence(this.url),
      verifierKey: () => readVerifierKey(this.#keyPlace()),
      decode: decodeStrictly,
      openOriginal: async (url: string) => openSqliteOriginal(fileIn(url)),
      openCopy: async (url: string, id: string) => openSqliteCopy(fileIn(url), id),
      migrate: async () => ({ from: 0, to: this.started.push('migrate'), restored: [] }),
    };
    const code = await run(['node', 'store-orders', ...args], composition, { stdout, stderr });
    return { code, out: stdout.text, err: stderr.text };
  }

  #keyPlace() {
    return this.url === undefined
      ? { databaseFile: this.file('store.db'), signingKeyFile: undefined }
      : { signingKeyFile: this.file('store.db-signing-key') };
  }

  /** All orders, by id, as a projection of the log shows them. */
  async orders(): Promise<readonly OrderView[]> {
    return this.#reading(async ({ log }) => {
      const list = new OrderList((page) => page);
      await new Projector(log, list).catchUp();
      return list.snapshot().pages.flat();
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

function fileIn(url: string): string {
  return url.replace('sqlite:', '');
}

/** An output that keeps what is written to it. */
class Collected extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.text += text;
    done();
  }
}
