import { once } from 'node:events';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { openDatabase } from '../../src/infra/sqlite/database.ts';
import { enterEpochs, storeIdOf } from '../../src/infra/sqlite/epochs-table.ts';
import { cutTwice } from '../contract/changed-cells.ts';
import { Beside } from '../support/beside.ts';
import { startProgram } from '../support/child.ts';
import { temporaryFolder } from '../support/folder.ts';
import { partByDay } from '../support/nightly.ts';
import { type Environment, Service, start } from '../support/service.ts';
import { recordInAnyForm } from '../support/tampering.ts';
import { tableOf } from './markdown.ts';

const TOLD = tableOf('docs/operations/troubleshooting.md', 'what it says | what to do').map(
  ([says = '']) => says,
);
/** Each takes a start or two, so by day every other one is tried. */
const TRIED = partByDay(TOLD, 2);

/** For each refusal, keyed by the first words of its message: causes it for a store's file. */
const CAUSES: Readonly<Record<string, (file: string) => Environment | Promise<Environment>>> = {
  'PORT must be': () => ({ PORT: '70000' }),
  'cannot listen': () => portInUse(),
  'Another server': async (file) => {
    const service = await Service.start({ DATABASE_URL: `sqlite:${file}` });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return {};
  },
  'FILE is not a SQLite': (file) => {
    writeFileSync(file, 'Dear diary, today I have learned what a database is not. '.repeat(9));
    return {};
  },
  'FILE is a database of another': (file) => {
    change(new Database(file), 'CREATE TABLE pets (name TEXT)');
    return {};
  },
  'FILE has schema': (file) => {
    change(openDatabase(file), 'PRAGMA user_version = 99');
    return {};
  },
  'FILE cannot be opened: it is': (file) => {
    mkdirSync(file);
    return {};
  },
  'FILE cannot be opened: database': (file) => {
    openDatabase(file).close();
    truncateSync(file, 8192);
    return {};
  },
  'FILE-refusals cannot be read': async (file) => {
    await placeOrder(file);
    writeFileSync(`${file}-refusals`, 'Dear diary, nobody was refused today. '.repeat(99));
    return {};
  },
  'FILE has 2 names': (file) => {
    openDatabase(file).close();
    linkSync(file, `${file}-too`);
    return {};
  },
  'FILE cannot be opened: unable': (file) => {
    symlinkSync('/nowhere/store.db-wal', `${file}-wal`);
    return {};
  },
  'FILE is a link to': (file) => {
    symlinkSync('./other.db', file);
    return {};
  },
  'FILE-wal cannot be opened': (file) => {
    mkdirSync(`${file}-wal`);
    return {};
  },
  'FILE-journal belongs to a file': (file) => {
    openDatabase(file).close();
    // The header of a journal, with a former size of 0 pages.
    writeFileSync(`${file}-journal`, Buffer.from('d9d505f920a163d7'.padEnd(56, '0'), 'hex'));
    return {};
  },
  'FILE-server cannot be locked': (file) => {
    mkdirSync(`${file}-server`);
    return {};
  },
  'FILE-wal is damaged': async (file) => {
    const child = startProgram('append-batches', file, 'kill', '1000', '1', '1', '1');
    while ((await child.line()) !== undefined);
    const wal = readFileSync(`${file}-wal`);
    wal[100] = (wal[100] as number) ^ 1;
    writeFileSync(`${file}-wal`, wal);
    return {};
  },
  'The log in FILE ends': async (file) => {
    await placeOrder(file);
    rmSync(file);
    return {};
  },
  'FILE-head is missing': async (file) => {
    await placeOrder(file);
    rmSync(`${file}-head`);
    return {};
  },
  'The log in FILE is not the log whose': async (file) => {
    const other = join(temporaryFolder(), 'other.db');
    await placeOrder(file);
    await placeOrder(other);
    copyFileSync(other, file);
    return {};
  },
  'FILE is marked as a backup': async (file) => {
    await placeOrder(file);
    change(openDatabase(file), 'UPDATE store SET is_copy = 1');
    return {};
  },
  'FILE cannot be opened: no such table': async (file) => {
    await placeOrder(file);
    change(openDatabase(file), 'ALTER TABLE store RENAME TO other');
    return {};
  },
  'FILE cannot be opened: the mark': async (file) => {
    await placeOrder(file);
    change(openDatabase(file), 'UPDATE store SET is_copy = 3');
    return {};
  },
  'FILE has the statement of epoch 1': async (file) => {
    await served(file);
    const db = openDatabase(file);
    const [statement] = cutTwice(storeIdOf(db)).statements;
    change(db, `INSERT INTO epochs VALUES (1, '${statement}')`);
    return {};
  },
  'FILE has 0 changes': async (file) => {
    await served(file);
    const db = openDatabase(file);
    change(db, 'DROP TRIGGER key_changes_are_never_deleted; DELETE FROM key_changes');
    return {};
  },
  'FILE-signing-key is no': (file) => {
    writeFileSync(`${file}-signing-key`, 'PRIVATE+KEY+half');
    return {};
  },
  'FILE-signing-key is missing': async (file) => {
    await served(file);
    rmSync(`${file}-signing-key`);
    return {};
  },
  'FILE-signing-key has another key than the one that signs for this store: an': async (file) => {
    await served(file);
    const [key, earlier] = [`${file}-signing-key`, `${file}-earlier`];
    renameSync(key, earlier);
    const program = start(['audit', 'new-key'], dirname(file), { DATABASE_URL: `sqlite:${file}` });
    expect(await program.ended()).toBe(0);
    renameSync(earlier, key);
    return {};
  },
  'FILE-signing-key has another key than the one that signs for this store.': async (file) => {
    await served(file);
    const { name } = NoteSigner.parse(readFileSync(`${file}-signing-key`, 'utf8').trim());
    writeFileSync(`${file}-signing-key`, NoteSigner.generate(name).privateKey());
    return {};
  },
  'FILE-signing-key is the key': (file) => {
    const key = NoteSigner.generate('store-orders/0011223344556677');
    writeFileSync(`${file}-signing-key`, key.privateKey());
    return {};
  },
  'LOG_ORIGIN is': async (file) => {
    await served(file);
    return { LOG_ORIGIN: 'shop.example.com/orders' };
  },
  'WITNESS_POLICY: FILE-witnesses cannot be read': (file) => {
    return { WITNESS_POLICY: `${file}-witnesses` };
  },
  'WITNESS_POLICY: the witness north': (file) => {
    const { verifierKey } = Cosigner.generate('north.example');
    writeFileSync(`${file}-witnesses`, `witness north ${verifierKey}\nquorum north\n`);
    return { WITNESS_POLICY: `${file}-witnesses` };
  },
  'The signing key': (file) => {
    mkdirSync(`${file}-signing-key`);
    return {};
  },
  'event at position 1 cannot be read: unknown': async (file) => {
    await served(file);
    const db = openDatabase(file);
    recordInAnyForm(db, () => {
      db.exec(`INSERT INTO events VALUES (1, 1, 1, 'OrderReturned', 1, '', '')`);
    });
    db.close();
    return {};
  },
  'event at position 1 cannot be read: it is missing': async (file) => {
    await served(file);
    const db = openDatabase(file);
    const rows = [1, 2].map((n) => `(${n}, 1, ${n}, 'OrderCancelled', 1, '{"orderId":"1"}', '')`);
    recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${rows.join()}`));
    change(db, 'DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE position = 1');
    return {};
  },
  'The store is damaged: the statement of epoch 2': async (file) => {
    await served(file);
    const db = openDatabase(file);
    enterEpochs(db, cutTwice(storeIdOf(db)));
    change(
      db,
      'DROP TRIGGER epochs_are_never_updated; UPDATE epochs SET number = 5 WHERE number = 2',
    );
    return {};
  },
  'row 2 of the record': async (file) => {
    await served(file);
    change(openDatabase(file), `INSERT INTO signing_keys VALUES (2, 'x', '')`);
    return {};
  },
  'the store has': () => {
    // The limit of a container, as Node reports it.
    const limit = 'process.constrainedMemory=()=>50000000';
    return { NODE_OPTIONS: `--import=data:text/javascript,${limit}` };
  },
  'FILE is damaged: the log has': async (file) => {
    await served(file);
    const event = `(1, 1, 1, 'OrderCancelled', 1, '{"orderId":"1"}', '')`;
    change(openDatabase(file), `INSERT INTO events VALUES ${event}`);
    return {};
  },
};

function change(db: Database.Database, sql: string): void {
  db.exec(sql);
  db.close();
}

/** The files that a server without orders has left, by what follows the name of the store's file. */
let left: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** Puts the files of a store in place that was served and is closed: one server for all of them. */
async function served(file: string): Promise<void> {
  left ??= filesOfServed();
  for (const [end, bytes] of await left) writeFileSync(file + end, bytes);
}

async function filesOfServed(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = temporaryFolder();
  await using service = await Service.start({ DATABASE_URL: `sqlite:${join(folder, 'store.db')}` });
  await service.program.end();
  const names = readdirSync(folder).filter((name) => name.startsWith('store.db'));
  return new Map(
    names.map((name) => [name.slice('store.db'.length), readFileSync(join(folder, name))]),
  );
}

async function placeOrder(file: string): Promise<void> {
  await using beside = new Beside(file);
  await beside.place([{ id: 1n }]);
}

async function portInUse(): Promise<Environment> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { PORT: String(port) };
}

test.each(TRIED)('A start is refused with the documented message: %s', async (told) => {
  const [, cause] = Object.entries(CAUSES).find(([words]) => told.startsWith(words)) ?? [];
  const file = join(temporaryFolder(), 'store.db');
  const fromCause = await cause?.(file);
  const env = { PORT: '0', DATABASE_URL: `sqlite:${file}`, ...fromCause };
  const program = start(['serve'], dirname(file), env);
  const exitCode = await program.ended();
  const said = program.stderr
    .replaceAll(file, 'FILE')
    .replaceAll(/(store-orders\/)[0-9a-f]{16}/g, '$1ID')
    .replace(`port ${env.PORT}:`, 'port 3000:');
  expect(said).toBe(`store-orders: ${told}\n`);
  expect(exitCode).toBe(1);
});

test('Every cause leads to a documented refusal', () => {
  for (const words of Object.keys(CAUSES)) {
    expect(TOLD.filter((told) => told.startsWith(words))).not.toEqual([]);
  }
});
