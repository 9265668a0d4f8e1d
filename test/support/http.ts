import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { checkExchange } from './described.ts';

/**
 * An HTTP client that sends paths, methods and headers unchanged. Every response is validated
 * against the API's description, in addition to the assertions of the test.
 */

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Asked {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** A sent request. */
export interface Sent extends Pick<Asked, 'headers' | 'body'> {
  readonly method: string;
  readonly path: string;
}

export async function ask(
  address: string,
  method: string,
  path: string,
  asked: Asked = {},
): Promise<Answer> {
  const answer = await exchange(address, method, path, asked);
  checkExchange({ ...asked, method, path }, answer);
  return answer;
}

function exchange(
  address: string,
  method: string,
  path: string,
  { headers = {}, body, agent }: Asked,
): Promise<Answer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    // Without a Content-Length, Node would send the body of a GET or DELETE unframed.
    const framed = body === undefined || 'Transfer-Encoding' in headers;
    const length = framed ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const all = { ...length, ...headers };
    const options = { host: hostname, port, method, path, headers: all, ...(agent && { agent }) };
    const asking = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const all = Buffer.concat(chunks);
        const { statusCode: status = 0, headers } = res;
        resolve({ status, headers, body: all, text: all.toString() });
      });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

/**
 * Sends raw bytes and resolves with everything received until the server closes the connection. It
 * is not validated against the description: most of these bytes are not HTTP, and the others are
 * sent to examine the bytes of the response, which no description covers.
 * @param isLast True to close the sending half of the connection behind them.
 */
export function sendBytes(
  address: string,
  bytes: string | Buffer,
  { isLast = false } = {},
): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (isLast) socket.end();
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // A reset may follow a response that was sent before the whole request was read.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

/** Parses the bytes from {@link sendBytes} as a response. */
export function parseAnswer(received: string): Answer {
  const [head = '', text = ''] = received.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      return [name.toLowerCase(), value];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: Buffer.from(text), text };
}

/** Parses JSON without rounding: every number becomes a bigint. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' ? BigInt(context?.source ?? value) : value,
  );
}

const CODES = [
  'unauthorized',
  'insufficient_scope',
  'invalid_request',
  'order_not_found',
  'order_already_shipped',
  'order_cancelled',
  'batch_refused',
  'order_exists',
  'gone',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'payload_too_large',
  'idempotency_key_reused',
  'precondition_failed',
  'rate_limited',
  'service_unavailable',
  'outcome_unknown',
  'internal_error',
] as const;

/** Expects exactly an Error object as in the contract; returns its message. */
export function expectError(answer: Answer, status: number, code: (typeof CODES)[number]): string {
  expect(answer).toMatchObject({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(answer.body.length),
    },
  });
  const error = JSON.parse(answer.text);
  expect(error).toStrictEqual({ code, message: expect.stringMatching(/./), status });
  return error.message;
}

/** Expects an Error object with any code. */
export function expectSomeError(answer: Answer): void {
  const { code } = JSON.parse(answer.text);
  expect(CODES).toContain(code);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expectError(answer, answer.status, code);
}
