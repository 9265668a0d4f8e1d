import { connect } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RequestContext } from '../../../src/http/request-context.ts';
import { RequestLog } from '../../../src/http/request-log.ts';
import { RequestMetrics } from '../../../src/http/request-metrics.ts';
import { listening } from '../../support/listening.ts';

test('a line has the members of its own kind, however many kinds there were before', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const log = new RequestLog(logger, new RequestMetrics());
  const app = express();
  app.use('/:key/:status', (req, res) => {
    const context = new RequestContext(req, res);
    log.logWhenDone(context);
    Object.assign(context, { key: { id: req.params.key } });
    res.sendStatus(Number(req.params.status));
  });
  const { address } = await listening(app);
  const asked = [
    ...Array.from({ length: 1_100 }, (_, key) => [`${key}`, 200]),
    ['1', 200],
    ['1', 503],
  ];
  // On one connection, without waiting for answers: they come in the same order.
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).resume();
  for (const [key, status] of asked) {
    socket.write(`GET /${key}/${status} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  }
  await expect.poll(() => lines.length).toBe(asked.length);
  expect(lines.map(({ keyId, status }) => [keyId, status])).toEqual(asked);
  expect(lines.at(-1)).toMatchObject({ level: 50, method: 'GET', path: '/1/503', outcome: 'ok' });
  socket.destroy();
  expect(lines.at(-2)).toMatchObject({ level: 30, method: 'GET', path: '/1/200', outcome: 'ok' });
});
