import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A client with a low rate: gets one order, pauses, gets another, and prints the median and the
 * 99th percentile of the latency, in milliseconds.
 */

export interface GetLatencyOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The highest id of the orders to get; the lowest is 1. */
  readonly orders: number;
  readonly seconds: number;
}

export interface GetLatencySeen {
  readonly p50: number;
  readonly p99: number;
}

/** The pause between two requests, in milliseconds. */
const PAUSE_MS = 5;

const { url, headers, orders, seconds } = JSON.parse(process.argv[2] as string) as GetLatencyOrder;
const { hostname, port, pathname } = new URL(url);
const head = Object.entries({ Host: 'bench', ...headers }).map((header) => header.join(': '));
// A plain socket, because an HTTP client that is used this rarely takes more time than the service.
const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
const latencies: number[] = [];
const end = performance.now() + seconds * 1_000;

while (performance.now() < end) {
  const id = 1 + Math.floor(Math.random() * orders);
  const request = `GET ${pathname}/${id} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`;
  const begun = performance.now();
  socket.write(request);
  const answer = await wholeAnswer();
  latencies.push(performance.now() - begun);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`order ${id}: ${answer}`);
  await setTimeout(PAUSE_MS);
}
socket.destroy();

async function wholeAnswer(): Promise<string> {
  let answer = '';
  while (!isWhole(answer)) answer += (await once(socket, 'data'))[0];
  return answer;
}

function isWhole(answer: string): boolean {
  const [, headers, length, body] =
    /^(.*?content-length: (\d+).*?\r\n\r\n)(.*)$/is.exec(answer) ?? [];
  return headers !== undefined && body?.length === Number(length);
}

// The first requests include the connection and code that is not compiled yet.
const sorted = latencies.slice(Math.min(10, latencies.length >> 1)).sort((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(sorted.length * share)] as number;
process.stdout.write(JSON.stringify({ p50: at(0.5), p99: at(0.99) } satisfies GetLatencySeen));
