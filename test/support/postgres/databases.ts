import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { partByDay } from '../nightly.ts';
import type { Version } from './cluster.ts';
import { sql } from './sql.ts';

/** The template of every test's database. */
const TEMPLATE = 'empty_store';

/**
 * The versions on which most contracts run: by day the newest alone. The contract of the log, and what
 * the schema refuses, are tested on the oldest one by day as well.
 */
export const POSTGRES_VERSIONS: readonly Version[] = partByDay([18, 15], 2);

const ports = new Map<Version, Promise<number>>();
let databases = 0;

/** Creates a database, with an empty store unless told otherwise, and returns its address. */
export async function newDatabase(version: Version = 18, template = TEMPLATE): Promise<string> {
  const port = await (ports.get(version) ?? remember(version));
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  // A copy through the WAL, the default, takes twice as long.
  const made = `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`;
  await sql(addressOf(port, 'postgres'), made);
  return addressOf(port, name);
}

function addressOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

function remember(version: Version): Promise<number> {
  const port = ask(version);
  ports.set(version, port);
  return port;
}

async function ask(version: Version): Promise<number> {
  const socket = connect(inject('postgres'));
  socket.write(String(version));
  const answer = JSON.parse(await text(socket)) as { port: number; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.port;
}
