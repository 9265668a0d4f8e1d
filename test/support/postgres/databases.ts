import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject } from 'vitest';
import type { Version } from './cluster.ts';

/** The database that every test's database is a copy of. */
const TEMPLATE = 'empty_store';

/** How often it is tried to copy the template, which nobody else may use at that moment. */
const TRIES = 50;

const ports = new Map<Version, Promise<number>>();
let databases = 0;

/** Makes a database with an empty store, or an empty one, and returns its address. */
export async function newDatabase(version: Version = 18, template = TEMPLATE): Promise<string> {
  const port = await (ports.get(version) ?? remember(version));
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await sql(addressOf(port, 'postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return addressOf(port, name);
}

/** Runs SQL, as the superuser unless the address names another. */
export async function sql<Row extends object = Record<string, unknown>>(
  url: string,
  query: string,
): Promise<readonly Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    for (let tries = 1; ; tries++) {
      try {
        return (await client.query<Row>(query)).rows;
      } catch (error) {
        // object_in_use: somebody else is copying the template just now.
        if ((error as pg.DatabaseError).code !== '55006' || tries === TRIES) throw error;
      }
    }
  } finally {
    await client.end();
  }
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
