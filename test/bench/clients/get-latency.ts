import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/**
 * A gentle client: asks for one order, waits a little, asks for another, and writes how long the
 * answers took at the median and at the 99th percentile, in milliseconds.
 */

export interface GetLatencyOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Orders 1 to so many are asked for. */
  readonly orders: number;
  readonly seconds: number;
}

export interface GetLatencySeen {
  readonly p50: number;
  readonly p99: number;
}

/** The pause between two requests, in milliseconds. */
const PAUSE = 5;

const { url, headers, orders, seconds } = JSON.parse(process.argv[2] as string) as GetLatencyOrder;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const latencies: number[] = [];
const end = performance.now() + seconds * 1_000;

while (performance.now() < end) {
  const id = 1 + Math.floor(Math.random() * orders);
  const begun = performance.now();
  const [res] = await once(get(`${url}/${id}`, { agent, headers }), 'response');
  res.resume();
  await once(res, 'end');
  latencies.push(performance.now() - begun);
  if (res.statusCode !== 200) throw new Error(`order ${id} was answered with ${res.statusCode}`);
  await setTimeout(PAUSE);
}
agent.destroy();

// The first requests pay for the connection and for code that is not compiled yet.
const sorted = latencies.slice(Math.min(10, latencies.length >> 1)).sort((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(sorted.length * share)] as number;
process.stdout.write(JSON.stringify({ p50: at(0.5), p99: at(0.99) } satisfies GetLatencySeen));
