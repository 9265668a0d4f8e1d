import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { witnessClient } from '../../../../src/infra/process/witness-client.ts';
import { listening } from '../../../support/listening.ts';

const NEVER = new AbortController().signal;

async function ask(reply: RequestListener, timeoutMs = 10_000, stop = NEVER) {
  const { address } = await listening(reply);
  return witnessClient(timeoutMs)(`${address}/add-checkpoint`, 'old 0\n\nnote\n', stop);
}

describe('A request to a witness', () => {
  it('posts the body, and returns the answer as it is', async () => {
    let seen: unknown;
    const answer = await ask(async (req, res) => {
      seen = [req.method, req.url, req.headers['user-agent'], await text(req)];
      res.writeHead(429, { 'Retry-After': '7' }).end('— w AAAA\n');
    });
    expect(seen).toEqual(['POST', '/add-checkpoint', 'store-orders', 'old 0\n\nnote\n']);
    expect(answer).toEqual({
      kind: 'answered',
      status: 429,
      body: '— w AAAA\n',
      retryAfterMs: 7_000,
    });
  });

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    const { address } = await listening((req, res) => {
      ports.add(req.socket.remotePort);
      res.end();
    });
    const client = witnessClient();
    for (let n = 0; n < 6; n += 1) await client(address, '', NEVER);
    expect(ports.size).toBeLessThan(6);
  });

  it('does not follow a redirection', async () => {
    let requests = 0;
    const answer = await ask((_req, res) => {
      requests += 1;
      res.writeHead(307, { Location: '/elsewhere' }).end();
    });
    expect(answer).toMatchObject({ kind: 'answered', status: 307 });
    expect(requests).toBe(1);
  });

  it('does not read an answer without end', async () => {
    const closed = Promise.withResolvers<void>();
    const answer = await ask((_req, res) => {
      res.on('close', closed.resolve);
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(4_096)));
      };
      res.on('drain', more);
      more();
    });
    expect(answer).toEqual({
      kind: 'unanswered',
      reason: 'an answer of more than 16384 bytes',
    });
    await closed.promise;
  });

  it('ends after a time, before the head of an answer and within its body', async () => {
    const silent = await ask(() => undefined, 20);
    const halting = await ask((_req, res) => void res.write('— w'), 20);
    for (const answer of [silent, halting]) {
      expect(answer).toEqual({ kind: 'unanswered', reason: 'no answer in 0.02 s' });
    }
  });

  it('ends when the service stops', async () => {
    const stop = new AbortController();
    const answer = await ask(() => stop.abort(), 10_000, stop.signal);
    expect(answer).toMatchObject({ kind: 'unanswered' });
  });

  it('says why a witness cannot be reached', async () => {
    const { server, address } = await listening(() => undefined);
    await new Promise((closed) => server.close(closed));
    const answer = await witnessClient()(address, '', NEVER);
    expect(answer).toMatchObject({
      kind: 'unanswered',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
