import express, { type Response } from 'express';
import { expect, test } from 'vitest';
import { addCommonHeaders } from '../../../../src/http/answers/common-headers.ts';
import { listening } from '../../../support/listening.ts';

/** What a client gets from an app that answers like this. */
async function answerOf(answer: (res: Response) => void) {
  const app = express().disable('x-powered-by');
  addCommonHeaders(app);
  app.use((req, res) => {
    Object.assign(req, { context: { requestId: 'r-1' } });
    answer(res);
  });
  const { address } = await listening(app);
  const { status, headers } = await fetch(address);
  // A header that comes twice has both values here, with a comma in between.
  return { status, headers: Object.fromEntries(headers) };
}

const COMMON = {
  'x-request-id': 'r-1',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
};

test.each<[string, number, (res: Response) => void]>([
  ['without headers of its own', 200, (res) => res.end()],
  ['with a body', 201, (res) => res.status(201).json({})],
  ['with headers as an object', 202, (res) => res.writeHead(202, { own: '1' }).end()],
  ['with headers behind a reason', 203, (res) => res.writeHead(203, 'So', { own: '1' }).end()],
  ['with headers as an array', 204, (res) => res.writeHead(204, ['own', '1']).end()],
  [
    'with headers as an array and set',
    204,
    (res) => {
      res.setHeader('set', '1').writeHead(204, ['own', '1']).end();
    },
  ],
  [
    'that begins before its body is known',
    200,
    (res) => {
      res.flushHeaders();
      res.end('late');
    },
  ],
])('a response has the common headers, each once: one %s', async (_, status, answer) => {
  const got = await answerOf(answer);
  expect(got.status).toBe(status);
  expect(got.headers).toMatchObject(COMMON);
});

test('headers set by a response itself are kept', async () => {
  const { headers } = await answerOf((res) => {
    res.setHeader('Content-Security-Policy', "default-src 'self'").end();
  });
  expect(headers).toMatchObject({ ...COMMON, 'content-security-policy': "default-src 'self'" });
});

test('invalid headers are refused in an array, too', async () => {
  const refused: unknown[] = [];
  await answerOf((res) => {
    for (const own of [
      ['own', 'a\r\nb: c'],
      ['own\r\nb', 'c'],
    ]) {
      try {
        res.writeHead(204, own);
      } catch (error) {
        refused.push((error as NodeJS.ErrnoException).code);
      }
    }
    res.end();
  });
  expect(refused).toEqual(['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN']);
});
