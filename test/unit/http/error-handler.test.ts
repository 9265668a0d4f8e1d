import { once } from 'node:events';
import { connect } from 'node:net';
import type { RequestHandler } from 'express';
import { pino } from 'pino';
import { describe, expect, it, test } from 'vitest';
import { DamagedStore, StoreUnavailable } from '../../../src/app/ports/store.ts';
import { ApiError } from '../../../src/http/api-error.ts';
import { handleErrors } from '../../../src/http/error-handler.ts';
import { answering, exactExpress } from '../../../src/http/exact-express.ts';
import { RequestLog } from '../../../src/http/request-log.ts';
import { RequestMetrics } from '../../../src/http/request-metrics.ts';
import { listening } from '../../support/listening.ts';

/** Sends a request to a server with this handler alone. Returns what became of it. */
async function outcomeOf(handler: RequestHandler, path = '/') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const damages: Error[] = [];
  const refusals: string[] = [];
  const app = exactExpress();
  app.get('/', handler);
  app.get('/:name', handler);
  const answerError = handleErrors(
    (cause) => damages.push(cause),
    (_req, code) => refusals.push(code),
  );
  app.use(answerError);
  const log = new RequestLog(pino({ base: null }, { write }), new RequestMetrics());
  const { address } = await listening(answering(app, log, answerError));
  const connection = connect(Number(new URL(address).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  connection.on('data', (piece) => pieces.push(piece));
  connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await once(connection, 'close');
  await expect.poll(() => lines).toHaveLength(1);
  return { text: String(Buffer.concat(pieces)), line: lines[0], damages, refusals };
}

const throwing = (error: unknown) =>
  outcomeOf(() => {
    throw error;
  });

/** Returns the Error object of a whole answer. */
function errorIn(text: string): { code: string; message: string; status: number } {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('A defect of the service', () => {
  test.each([
    ['an Error', new TypeError('list.gte is no function'), 'TypeError: list.gte is no function\n'],
    ['a text', 'no luck', 'no luck'],
    [
      'an Error without a stack',
      Object.assign(new Error('bare'), { stack: undefined }),
      'Error: bare',
    ],
  ])('that throws %s is a 500 that says nothing of it, and is logged', async (_, error, logged) => {
    const { text, line, damages, refusals } = await throwing(error);
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(errorIn(text)).toMatchObject({ code: 'internal_error', status: 500 });
    expect(text).not.toMatch(/list\.gte|no luck|bare|\.ts/);
    expect(line).toMatchObject({ level: 50, status: 500, outcome: 'internal_error' });
    expect(line?.cause).toMatch(new RegExp(`^${logged}`));
    expect([damages, refusals]).toEqual([[], ['internal_error']]);
  });

  it('behind the head of an answer cuts it off', async () => {
    const { text, line, refusals } = await outcomeOf((_req, res) => {
      res.writeHead(200, { 'Content-Length': 2 });
      res.write('o');
      throw new Error('too late');
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\no$/);
    expect(line).toMatchObject({
      outcome: 'aborted',
      cause: expect.stringMatching(/^Error: too late\n/),
    });
    expect(refusals).toEqual(['internal_error']);
  });
});

describe('A store', () => {
  it('that cannot be reached is a 503 that may be tried again', async () => {
    const { text, line, damages, refusals } = await throwing(
      new StoreUnavailable(new Error('gone')),
    );
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/^Retry-After: [1-4]\r$/m);
    expect(text).not.toContain('gone');
    expect(line).toMatchObject({ level: 50, outcome: 'service_unavailable', cause: 'gone' });
    expect([damages, refusals]).toEqual([[], ['service_unavailable']]);
  });

  it('that is damaged is reported as well', async () => {
    const damage = new DamagedStore('the event at position 3 is not what was recorded');
    const { text, line, damages } = await throwing(damage);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(line).toMatchObject({ outcome: 'service_unavailable', cause: damage.message });
    expect(damages).toEqual([damage]);
  });
});

test('A file that cannot be opened for want of a descriptor is a 503, too', async () => {
  const message = "EMFILE: too many open files, open 'page.js'";
  const { text, line } = await throwing(Object.assign(new Error(message), { code: 'EMFILE' }));
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  expect(text).not.toContain('EMFILE');
  expect(line).toMatchObject({ outcome: 'service_unavailable', cause: message });
});

describe('A request that is refused', () => {
  it('has the error of its handler, without the headers of a success', async () => {
    const { text, line, damages, refusals } = await outcomeOf((_req, res) => {
      res
        .setHeader('ETag', '"1"')
        .setHeader('Location', '/1')
        .setHeader('Content-Encoding', 'gzip');
      throw new ApiError('order_not_found');
    });
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text).not.toMatch(/^(?:ETag|Location|Content-Encoding):/im);
    expect(errorIn(text)).toMatchObject({ code: 'order_not_found', status: 404 });
    expect(line).toMatchObject({ level: 30, outcome: 'order_not_found' });
    expect(line).not.toHaveProperty('cause');
    expect([damages, refusals]).toEqual([[], ['order_not_found']]);
  });

  it('by Express, for an address that is not UTF-8, is a 400', async () => {
    const { text, line } = await outcomeOf((_req, res) => void res.end(), '/%ff');
    expect(errorIn(text)).toMatchObject({
      code: 'invalid_request',
      message: 'The address is not percent-encoded UTF-8.',
      status: 400,
    });
    expect(line).not.toHaveProperty('cause');
  });
});
