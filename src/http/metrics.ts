/**
 * Serves metrics: on the port of the API for keys with a scope, and without one on a port of its
 * own.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Express, IRoute, RequestHandler } from 'express';
import { listen } from './listen.ts';
import { http } from './node-http.ts';
import { requireScope } from './requests/authentication.ts';
import { allowOnly } from './routing.ts';

/** Returns the metrics in a format, with its media type. */
export type PrintMetrics = (
  format: 'OpenMetrics' | 'Prometheus',
) => Promise<{ readonly contentType: string; readonly text: string }>;

/** Adds `GET /metrics` to the API, behind authentication. */
export function serveMetrics(app: Express, gate: RequestHandler, print: PrintMetrics): void {
  const route = app.route('/metrics');
  route.get(gate, async ({ context, headers }, res) => {
    requireScope(context, 'metrics:read');
    await send(res, headers.accept, print);
  });
  allowOnly(route as IRoute, ['get']);
}

/** Scrapes have no bodies, and come from few clients. */
const BOUNDS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const MAX_CONNECTIONS = 100;

/** Serves `GET /metrics` alone, on a port that only the monitoring can reach. */
export class MetricsServer {
  readonly #server: Server;

  constructor(print: PrintMetrics) {
    this.#server = http.createServer(BOUNDS, (req, res) => {
      // A failed scrape must not end the service.
      answer(req, res, print).catch(() => res.destroy());
    });
    // A client may close its sending side behind its request, and still read the answer.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Listens, and resolves with the URL of the metrics. Throws as {@link listen} does. */
  async listen(port: number, host: string): Promise<string> {
    return `${await listen(this.#server, port, host)}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function answer(
  { method, url, headers }: IncomingMessage,
  res: ServerResponse,
  print: PrintMetrics,
): Promise<void> {
  // Prometheus may send parameters, which mean nothing here.
  if (url?.split('?', 1)[0] !== '/metrics') res.writeHead(404).end();
  else if (method !== 'GET' && method !== 'HEAD') res.writeHead(405, { Allow: 'GET, HEAD' }).end();
  else await send(res, headers.accept, print);
}

async function send(
  res: ServerResponse,
  accept: string | undefined,
  print: PrintMetrics,
): Promise<void> {
  const isOpenMetrics = accept?.includes('application/openmetrics-text') === true;
  const { contentType, text } = await print(isOpenMetrics ? 'OpenMetrics' : 'Prometheus');
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(text);
}
