import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MetricsServer, type PrintMetrics } from '../../../src/http/metrics.ts';
import { RawClient } from '../../support/raw-client.ts';

const HOST = '127.0.0.1';
const print: PrintMetrics = async () => ({ contentType: 'text/plain', text: 'up 1\n' });

describe('The port for metrics', () => {
  it('ends the connection of a scrape that fails, and serves the next one', async () => {
    let isBroken = true;
    const server = new MetricsServer(async (format) => {
      if (isBroken) throw new Error('no database');
      return print(format);
    });
    onTestFinished(() => server.close());
    const address = await server.listen(0, HOST);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    isBroken = false;
    const next = await fetch(address);
    expect([next.status, await next.text()]).toStrictEqual([200, 'up 1\n']);
  });

  it('is closed with its idle connections', async () => {
    const server = new MetricsServer(print);
    const address = await server.listen(0, HOST);
    // The connection stays open.
    expect(await (await fetch(address)).text()).toBe('up 1\n');
    await server.close();
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('serves a client that asks for no format', async () => {
    const server = new MetricsServer(print);
    onTestFinished(() => server.close());
    const address = await server.listen(0, HOST);
    const [res] = (await once(get(address), 'response')) as [IncomingMessage];
    expect(await text(res)).toBe('up 1\n');
  });

  it('answers a client that closes its sending side behind its request', async () => {
    const server = new MetricsServer(print);
    onTestFinished(() => server.close());
    using client = new RawClient(await server.listen(0, HOST));
    client.socket.end('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.closed;
    expect(client.received).toContain('up 1\n');
  });

  it('can be closed if it was never opened', async () => {
    await expect(new MetricsServer(print).close()).resolves.toBeUndefined();
  });
});
