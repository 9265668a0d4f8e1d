import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { IdSequence } from './id-sequence.ts';
import { run, runProgram } from './processes.ts';
import { BEARER, type Server } from './servers.ts';

/** What clients ask a server for, again and again. */
export interface Requests {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{id}` stands for the next id of the sequence. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where each request is about another order. */
  readonly ids?: IdSequence;
}

/** How hard, and for how long. */
export interface Load {
  /** Clients that each send a request as soon as the one before is answered. */
  readonly connections: number;
  readonly seconds: number;
  /** Stop early after so many requests (and those under way). */
  readonly limit?: number;
}

/** What the clients saw. */
export interface Seen {
  /** Answers with a status below 400. */
  readonly answered: number;
  /** Answers with another status, connections that broke, answers that never came. */
  readonly failed: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Milliseconds from a request to its answer, at each percentile. */
  readonly p50: number;
  readonly p99: number;
  /** How many ids of the sequence were given away. */
  readonly used: number;
  /** The ids of the answered requests, where the generator knows each of them. */
  readonly ids?: readonly number[];
}

/** Sends requests from a process of its own. */
export interface LoadGenerator {
  readonly name: 'wrk' | 'autocannon';
  send(server: Server, requests: Requests, load: Load): Promise<Seen>;
}

/** What the generators' own programs are given. */
export interface LoadOrder extends Omit<Requests, 'ids'>, Load {
  readonly url: string;
  readonly ids?: { readonly first: number; readonly step: number; readonly size: number };
}

/** The generator with this name; without one, wrk where it is installed. */
export function loadGenerator(name: LoadGenerator['name'] | undefined): LoadGenerator {
  const send = (name ?? (isInstalled('wrk') ? 'wrk' : 'autocannon')) === 'wrk' ? wrk : autocannon;
  return {
    name: send === wrk ? 'wrk' : 'autocannon',
    async send(server, { ids, ...requests }, load) {
      const given = ids && { first: ids.used, step: ids.step, size: ids.size };
      const headers = { ...BEARER, ...requests.headers };
      const order = { ...requests, ...load, headers, url: server.address };
      const seen = await send(given === undefined ? order : { ...order, ids: given });
      ids?.use(seen.used);
      return seen;
    },
  };
}

/** Whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Beyond what was asked for, the seconds after which a generator is taken for stuck. */
const PATIENCE = 30;

function autocannon(order: LoadOrder): Promise<Seen> {
  return runProgram('clients/autocannon', order, order.seconds + PATIENCE);
}

// wrk knows whole seconds only. One thread: a second would need ids of its own, and one is enough
// for several times what a Node server can answer.
async function wrk(order: LoadOrder): Promise<Seen> {
  const seconds = Math.max(1, Math.round(order.seconds));
  const { connections, limit = 0, method, path, body = '', headers = {}, ids, url } = order;
  const { first, step, size } = ids ?? { first: 0, step: 0, size: 1 };
  const script = join(import.meta.dirname, 'clients', 'wrk.lua');
  const sent = { ...headers, ...(body === '' ? {} : { 'Content-Type': 'application/json' }) };
  const options = [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...['--timeout', '10s', '--script', script],
    ...Object.entries(sent).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ];
  const given = [method, path, body, first, step, size, limit].map(String);
  const written = await run('wrk', [...options, url, '--', ...given], seconds + PATIENCE);
  const result = /^RESULT (.*)$/m.exec(written)?.[1];
  if (result === undefined) throw new Error(`wrk wrote no result: ${written}`);
  return JSON.parse(result) as Seen;
}
