import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Answer, expectError, sendBytes } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service } = await oneService({ AUTH_FAILURES_PER_MINUTE: '0' });
const LIST = '/v1/store/orders';
const KEY = `Authorization: Bearer ${service.key}\r\n`;
const HOST = 'Host: x\r\n';
const CLOSE = 'Connection: close\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Reads what came over a connection as the answers that it consists of, to the last byte. */
function answersOf(received: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    expect(end, rest).toBeGreaterThan(0);
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    expect(statusLine).toMatch(/^HTTP\/1\.1 [1-5]\d\d \w/);
    const status = Number(statusLine.split(' ')[1]);
    const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    const headers = Object.fromEntries(
      lines.map((line, index) => [names[index], line.slice(line.indexOf(':') + 2)]),
    );
    rest = rest.slice(end + 4);
    if (status === 100) continue;
    const length = status === 204 ? 0 : Number(headers['content-length']);
    const body = Buffer.from(rest.slice(0, length), 'latin1');
    answers.push({ status, headers, body, text: body.toString() });
    rest = rest.slice(length);
  }
  return answers;
}

async function sent(bytes: string): Promise<Answer[]> {
  return answersOf(await sendBytes(service.address, Buffer.from(bytes, 'latin1')));
}

/** Expects a well-formed refusal that no cache keeps, as the last answer of a connection. */
function expectRefusal(answer: Answer | undefined, status: number, code = 'invalid_request') {
  expectError(answer as Answer, status, code as 'invalid_request');
  expect(answer?.headers).toMatchObject({
    'cache-control': 'no-store',
    connection: 'close',
    date: expect.stringMatching(/ GMT$/),
    'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
    'x-content-type-options': 'nosniff',
  });
}

describe('A request that is no request for a path of this service is answered once, and closed:', () => {
  const get = (target: string, more = HOST) => `GET ${target} HTTP/1.1\r\n${more}${CLOSE}\r\n`;
  test.each<[string, string, number, string?]>([
    ['CONNECT', `CONNECT x:443 HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
    [
      'CONNECT to a path',
      `CONNECT ${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n`,
      405,
      'method_not_allowed',
    ],
    [
      'CONNECT to a path, and a request behind it',
      `CONNECT ${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n${get(LIST)}`,
      405,
      'method_not_allowed',
    ],
    ['CONNECT with a body', `CONNECT x:1 HTTP/1.1\r\n${HOST}\r\nabc`, 405, 'method_not_allowed'],
    ['GET *', get('*'), 400],
    ['an absolute target of another scheme', get('ftp://x/livez'), 400],
    ['an absolute target of a scheme that ends like http', get('xhttp://x/livez'), 400],
    ['OPTIONS of a target without a slash', `OPTIONS livez HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['an absolute target with a user', get('http://user:secret@x/livez'), 400],
    ['an absolute target with no host', get('http:///livez'), 400],
    ['an absolute target with a port of no sense', get('http://x:y/livez'), 400],
    ['a target in authority form', get('x:80'), 400],
    ['a target without a slash', get('livez'), 400],
    ['a target with a fragment', get(`${LIST}/1#x`, `${HOST}${KEY}`), 400],
    ['a target with a fragment in its query', get('/livez?limit=1#&status=x'), 400],
    ['an absolute target with a fragment', get('http://x/livez#x'), 400],
    ['bytes of no encoding', get('/\xff\xfe'), 400],
    ['a NUL', get('/\x00'), 400],
    ['a method that HTTP does not have', `FOO ${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n`, 400],
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/2.0', `GET /livez HTTP/2.0\r\n${HOST}\r\n`, 400],
    ['two hosts', get('/livez', `${HOST}Host: y\r\n`), 400],
    ['the same host twice', get('/livez', HOST + HOST), 400],
    ['a host with a blank', get('/livez', 'Host: a b\r\n'), 400],
    ['a host with a path', get('/livez', 'Host: a/b\r\n'), 400],
    ['a host with a user', get('/livez', 'Host: a@b\r\n'), 400],
    ['no host', get('/livez', ''), 400],
    ['too many headers', get('/livez', HOST + 'a: b\r\n'.repeat(3_000)), 431],
    [
      'a coding that is not known',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a coding like chunked',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'chunks, and then another coding',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['chunks in HTTP/1.0', `POST ${LIST} HTTP/1.0\r\n${HOST}${KEY}${CHUNKED}\r\n0\r\n\r\n`, 400],
    [
      'chunks and a length',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${CHUNKED}Content-Length: 3\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a length with a sign',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Content-Length: +3\r\n\r\nabc`,
      400,
    ],
    [
      'a list of lengths',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Content-Length: 3, 3\r\n\r\nabc`,
      400,
    ],
    ['a bare line feed', `GET /livez HTTP/1.1\n${HOST}\r\n`, 400],
    ['a bare line feed between headers', get('/livez', 'Host: x\nX: y\r\n'), 400],
    ['a bare carriage return', get('/livez', 'Host: x\rX: y\r\n'), 400],
    ['a folded header', get('/livez', `${HOST}X: y\r\n z\r\n`), 400],
    ['a header without a name', get('/livez', `${HOST}: x\r\n`), 400],
    [
      'an extension of a chunk without end',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}${CHUNKED}\r\n1;${'a'.repeat(20_000)}\r\n`,
      413,
      'payload_too_large',
    ],
  ])('%s', async (_what, bytes, status, code) => {
    const answers = await sent(bytes);
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], status, code);
    if (status === 413) expect(answers[0]?.text).toContain('chunk extensions');
    if (status === 405) expect(answers[0]?.headers.allow).toMatch(/GET/);
  });
});

describe('What is unusual and right is served:', () => {
  const ok = { status: 200, text: '{"status":"ok"}' };
  test.each([
    ['an absolute target', `GET http://elsewhere:8080/livez?x HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, ok],
    ['HTTP/1.0 without a host', 'GET /livez HTTP/1.0\r\n\r\n', ok],
    ['a host in brackets', `GET /livez HTTP/1.1\r\nHost: [::1]:3000\r\n${CLOSE}\r\n`, ok],
    ['an empty host', `GET /livez HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`, ok],
    ['blank lines before', `\r\n\r\nGET /livez HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, ok],
    [
      'an offer of HTTP/2, which is not taken',
      `GET /livez HTTP/1.1\r\n${HOST}Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      ok,
    ],
    [
      'an offer of a web socket, which is not taken',
      `GET /livez HTTP/1.1\r\n${HOST}Connection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
      ok,
    ],
    ['an expectation of no sense', `GET /livez HTTP/1.1\r\n${HOST}${CLOSE}Expect: x\r\n\r\n`, ok],
    [
      'OPTIONS of an absolute target',
      `OPTIONS http://x/livez HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      { status: 204, headers: expect.objectContaining({ allow: 'GET, HEAD, OPTIONS' }) },
    ],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, { status: 204 }],
  ])('%s', async (_what, bytes, answer) => {
    const answers = await sent(bytes);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject(answer);
  });

  it('of two keys in one request, none', async () => {
    const answers = await sent(`GET ${LIST} HTTP/1.1\r\n${HOST}${KEY}${KEY}${CLOSE}\r\n`);
    expectError(answers[0] as Answer, 401, 'unauthorized');
  });
});

describe('On one connection, each request has its own answer, in order:', () => {
  const list = `GET ${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n`;
  const post = `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}`;
  test.each<[string, string, number[]]>([
    ['a 401 in between', `${list}GET ${LIST} HTTP/1.1\r\n${HOST}\r\n${list}x`, [200, 401, 200]],
    ['CONNECT at the end', `${list}${list}CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n`, [200, 200, 405]],
    ['a broken body behind a list', `${list}${post}${CHUNKED}\r\nzz\r\n`, [200, 400]],
    [
      'a body that a 401 has not waited for',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${CHUNKED}\r\nzz\r\n`,
      [401],
    ],
    [
      'a request in the body of another',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Content-Length: ${list.length}\r\n\r\n${list}${list}x`,
      [415, 200],
    ],
    [
      'a request in a chunk of another',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${CHUNKED}\r\n${list.length.toString(16)}\r\n${list}\r\n0\r\n\r\n${list}x`,
      [415, 200],
    ],
    [
      'a request behind a body without a key, after which nothing is read',
      `POST ${LIST} HTTP/1.1\r\n${HOST}Content-Length: ${list.length}\r\n\r\n${list}${list}x`,
      [401],
    ],
    [
      'a request behind chunks without a key, after which nothing is read',
      `POST ${LIST} HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${list.length.toString(16)}\r\n${list}\r\n0\r\n\r\n${list}x`,
      [401],
    ],
    [
      'a coding that is not known, with a request in what may be its body',
      `${post}Transfer-Encoding: x\r\n\r\n${list}`,
      [400],
    ],
  ])('%s', async (_what, bytes, statuses) => {
    const answers = await sent(bytes);
    expect(answers.map(({ status }) => status)).toStrictEqual(statuses);
    for (const answer of answers) {
      if (answer.status >= 400) expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('a command with an unread body gets its outcome, however that body continues', async () => {
    const id = await placeOrder(service);
    const cancel = `DELETE ${LIST}/${id} HTTP/1.1\r\n${HOST}${KEY}${CHUNKED}\r\nzz\r\n`;
    expect((await sent(cancel)).map(({ status }) => status)).toStrictEqual([204]);
    const { text } = await service.ask('GET', `/v2/store/orders/${id}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'cancelled' });
  });

  it('a command whose body breaks off is not carried out, be it whole by then', async () => {
    const body = '{"petId": 1, "quantity": 1}';
    const before = (await service.ask('GET', LIST)).text;
    for (const end of ['zz\r\n', '-1\r\n', '5\r\nabc', 'ffffffffffffffffff\r\n']) {
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n${end}`;
      const bytes = `${post}${CHUNKED}\r\n${chunks}`;
      const { hostname, port } = new URL(service.address);
      const received = await new Promise<string>((resolve) => {
        let text = '';
        const socket = connect(Number(port), hostname, () => socket.end(bytes));
        socket.on('data', (data) => {
          text += data.toString('latin1');
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
      });
      for (const answer of answersOf(received)) expect(answer.status).toBe(400);
    }
    expect((await service.ask('GET', LIST)).text).toBe(before);
  });
});

describe('Whatever comes over a connection,', () => {
  const whole: readonly [string, number][] = [
    [`GET ${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n`, 200],
    [`GET ${LIST} HTTP/1.1\r\n${HOST}\r\n`, 401],
    [`GET /livez HTTP/1.1\r\n${HOST}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`, 200],
    [`TRACE /livez HTTP/1.1\r\n${HOST}\r\n`, 405],
    [`POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}Content-Length: 3\r\n\r\nabc`, 415],
    [`POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}${CHUNKED}\r\n1\r\n{\r\n0\r\n\r\n`, 400],
    [
      `DELETE ${LIST}/x HTTP/1.1\r\n${HOST}${KEY}${CHUNKED}\r\n1;x=y\r\na\r\n0\r\nX: y\r\n\r\n`,
      400,
    ],
    [`GET http://a${LIST} HTTP/1.1\r\n${HOST}${KEY}\r\n`, 200],
  ];
  const ends: readonly string[] = [
    '',
    'garbage\r\n\r\n',
    `CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n`,
    `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
    `POST ${LIST} HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}${CHUNKED}\r\nzz\r\n`,
    `POST ${LIST} HTTP/1.1\r\n${HOST}${CHUNKED}\r\nzz\r\n`,
    `DELETE ${LIST}/-5 HTTP/1.1\r\n${HOST}${KEY}${CHUNKED}\r\nzz\r\n`,
    `GET ${LIST} HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    `POST ${LIST} HTTP/1.1\r\n${HOST}Transfer-Encoding: x\r\n\r\nGET /livez HTTP/1.1\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00',
    `GET ${LIST} HTTP/1.1\r\n${HOST}X: ${'a'.repeat(17_000)}\r\n\r\n`,
  ];

  /** What comes back when bytes are sent in these pieces, and nothing after so many answers. */
  function inPieces(bytes: Buffer, cuts: readonly number[], answers: number): Promise<string> {
    const { hostname, port } = new URL(service.address);
    return new Promise((resolve) => {
      let received = '';
      const socket = connect(Number(port), hostname, async () => {
        let from = 0;
        for (const cut of [
          ...cuts.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ]) {
          if (socket.writable) socket.write(bytes.subarray(from, cut));
          from = cut;
          await new Promise((next) => setTimeout(next, 2));
        }
        // A client that ends its half of the connection is gone, and gets no more answers.
        while (!socket.closed && received.split('HTTP/1.1 ').length <= answers)
          await new Promise((next) => setTimeout(next, 2));
        socket.end();
      });
      socket.on('data', (data) => {
        received += data.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
    });
  }

  it('each whole request is answered, in order, then one Error at most, and nothing else', async () => {
    const cut = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...whole), { maxLength: 4 }),
        fc.constantFrom(...ends),
        fc.array(cut, { maxLength: 3 }),
        async (requests, end, cuts) => {
          const bytes = Buffer.from(requests.map(([text]) => text).join('') + end, 'latin1');
          // Behind an offer to speak something else, the connection is closed.
          const offer = requests.findIndex(([text]) => text.includes('Upgrade'));
          const due = requests.slice(0, offer === -1 ? undefined : offer + 1).map(([, s]) => s);
          const answers = answersOf(await inPieces(bytes, cuts, due.length));
          const statuses = answers.map(({ status }) => status);
          expect(statuses.slice(0, due.length)).toStrictEqual(due);
          expect(statuses.length).toBeLessThanOrEqual(due.length + (offer === -1 ? 1 : 0));
          for (const answer of answers.filter(({ status }) => status >= 400)) {
            expectError(answer, answer.status, JSON.parse(answer.text).code);
            expect(answer.headers['cache-control']).toBe('no-store');
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
