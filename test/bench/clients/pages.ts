import { once } from 'node:events';
import { Agent, get } from 'node:http';

/**
 * A client that gets one page after another without a pause, from some addresses in turn, and prints
 * the time to the last byte of each, in milliseconds.
 */

export interface PagesOrder {
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
}

export interface PagesSeen {
  readonly latencies: readonly number[];
}

const { urls, headers, seconds } = JSON.parse(process.argv[2] as string) as PagesOrder;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const latencies: number[] = [];
const end = performance.now() + seconds * 1_000;

while (performance.now() < end || latencies.length === 0) {
  const url = urls[latencies.length % urls.length] as string;
  const begun = performance.now();
  const [res] = await once(get(url, { agent, headers }), 'response');
  res.resume();
  await once(res, 'end');
  latencies.push(performance.now() - begun);
  if (res.statusCode !== 200) throw new Error(`a page was answered with ${res.statusCode}`);
}
agent.destroy();
process.stdout.write(JSON.stringify({ latencies } satisfies PagesSeen));
