import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { IdSequence } from './id-sequence.ts';
import { run, runProgram } from './processes.ts';
import { BEARER, type Server } from './servers.ts';

/** A request that clients send repeatedly. */
export interface Requests {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path; `{id}` is replaced by the next id of the sequence. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The ids, if each request is about another order. */
  readonly ids?: IdSequence;
}

/** The number of clients, and the duration. */
export interface Load {
  /**
   * The number of clients, each of which sends a request as soon as the previous one is answered.
   */
  readonly connections: number;
  readonly seconds: number;
  /** The number of requests after which to stop early, not counting those in flight. */
  readonly limit?: number;
}

/** The clients' results. */
export interface Seen {
  /** The number of responses with a status below 400. */
  readonly answered: number;
  /** The number of other responses, broken connections and missing responses. */
  readonly failed: number;
  readonly bytes: number;
  readonly seconds: number;
  /** The latency at each percentile, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The number of ids of the sequence that were used. */
  readonly used: number;
  /** The ids of the answered requests, if the generator records them. */
  readonly ids?: readonly number[];
}

/** A load generator, which runs in a process of its own. */
export interface LoadGenerator {
  readonly name: 'wrk' | 'autocannon';
  send(server: Server, requests: Requests, load: Load): Promise<Seen>;
}

/** The argument of the generators' programs. */
export interface LoadOrder extends Omit<Requests, 'ids'>, Load {
  readonly url: string;
  readonly ids?: { readonly first: number; readonly step: number; readonly size: number };
}

/** Returns the generator with this name; by default wrk, if it is installed. */
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

/** Returns true if a program is on the PATH. */
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

/** The seconds beyond the duration after which a generator counts as stuck. */
const GRACE_S = 30;

function autocannon(order: LoadOrder): Promise<Seen> {
  return runProgram('clients/autocannon', order, order.seconds + GRACE_S);
}

// wrk accepts whole seconds only. One thread, because a second one would need ids of its own, and
// one sends several times as many requests as a Node server can answer.
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
  const written = await run('wrk', [...options, url, '--', ...given], seconds + GRACE_S);
  const result = /^RESULT (.*)$/m.exec(written)?.[1];
  if (result === undefined) throw new Error(`wrk wrote no result: ${written}`);
  return JSON.parse(result) as Seen;
}
