import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { Cluster, placeInMemory, type Version } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the process that starts the PostgreSQL servers of this run. */
    readonly postgres: string;
  }
}

/** The template of every test's database. */
const TEMPLATE = 'empty_store';

/**
 * Provides one PostgreSQL server of each version for the whole run, started on demand, so that a
 * run without PostgreSQL tests does not wait for one.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const clusters = new Map<Version, Promise<Cluster>>();
  const begun = (version: Version) => {
    const cluster = clusters.get(version) ?? startWithTemplate(version);
    clusters.set(version, cluster);
    return cluster;
  };
  const address = join(tmpdir(), `store-orders-postgres-${randomUUID()}.sock`);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (asked) => {
      begun(Number(String(asked)) as Version).then(
        ({ port }) => socket.end(JSON.stringify({ port })),
        (error: Error) => socket.end(JSON.stringify({ error: error.message })),
      );
    });
  });
  await listening(server, address);
  project.provide('postgres', address);
  return async () => {
    server.close();
    for (const cluster of await Promise.allSettled(clusters.values())) {
      if (cluster.status === 'fulfilled') await cluster.value[Symbol.asyncDispose]();
    }
  };
}

async function startWithTemplate(version: Version): Promise<Cluster> {
  const cluster = await Cluster.start(version, {}, placeInMemory());
  await cluster.sql(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(cluster.url(TEMPLATE), true);
  return cluster;
}

function listening(server: Server, address: string): Promise<void> {
  return new Promise((done, fail) => server.once('error', fail).listen(address, done));
}
