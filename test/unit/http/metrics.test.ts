import { describe, expect, it, onTestFinished } from 'vitest';
import { MetricsServer } from '../../../src/http/metrics.ts';

describe('A scrape on the port for metrics', () => {
  it('that fails ends its connection, and the next one is served', async () => {
    const texts = [undefined, 'up 1\n'];
    const server = new MetricsServer(async () => {
      const text = texts.shift();
      if (text === undefined) throw new Error('no database');
      return { contentType: 'text/plain', text };
    });
    onTestFinished(() => server.close());
    const address = await server.listen(0, '127.0.0.1');
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    const next = await fetch(address);
    expect([next.status, await next.text()]).toStrictEqual([200, 'up 1\n']);
  });
});
