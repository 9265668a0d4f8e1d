import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { expectError, expectSomeError, parseAnswer, sendBytes } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();
const LIST = '/v1/store/orders';
const AUTHORIZATION = `Authorization: Bearer ${service.key}`;
const id = await placeOrder(service);

// Nothing in this file may leave a trace: not in the log, not in the list.
const state = async () => [await beside.head(), (await service.ask('GET', LIST)).text];
let before: unknown;
beforeEach(async () => {
  before = await state();
});
afterEach(async () => {
  expect(await state()).toStrictEqual(before);
});

describe('A body of placeOrder is refused with 400, which names the place:', () => {
  const order = (members: string) => `{${members}}`;
  const number = 'must be a whole number from';
  test.each([
    ['{', 'not valid JSON'],
    ['', 'must be a JSON object|petId'],
    ['petId=1&quantity=1', 'not valid JSON'],
    ["{'petId': 1, 'quantity': 1}", 'not valid JSON'],
    ['{"petId": 1, "quantity": 1} {}', 'not valid JSON'],
    ['{"petId": 01, "quantity": 1}', 'not valid JSON'],
    ['{"petId": +1, "quantity": 1}', 'not valid JSON'],
    ['{"petId": 0x1, "quantity": 1}', 'not valid JSON'],
    ['{"petId": NaN, "quantity": 1}', 'not valid JSON'],
    ['\u0000', 'not valid JSON'],
    ['null', 'must be a JSON object'],
    ['true', 'must be a JSON object'],
    ['1', 'must be a JSON object'],
    ['9223372036854775808', 'must be a JSON object'],
    ['"petId"', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['[{"petId": 1, "quantity": 1}]', 'must be a JSON object'],
    ['{}', `petId: ${number} .*quantity: ${number}`],
    [order('"petId": 1'), 'quantity'],
    [order('"quantity": 1'), 'petId'],
    [order('"petId": 1, "quantity": 0'), `quantity: ${number} 1 to 2147483647`],
    [order('"petId": 1, "quantity": -1'), 'quantity'],
    [order('"petId": 1, "quantity": 2147483648'), 'quantity'],
    [order('"petId": 1, "quantity": 1.5'), 'quantity'],
    [order('"petId": 1, "quantity": 1.0'), 'quantity'],
    [order('"petId": 1, "quantity": 1e3'), 'quantity'],
    [order('"petId": 1, "quantity": 1e400'), 'quantity'],
    [order('"petId": 1, "quantity": "1"'), 'quantity'],
    [order('"petId": 1, "quantity": null'), 'quantity'],
    [order('"petId": 1, "quantity": [1]'), 'quantity'],
    [order('"petId": 1, "quantity": {"$gt": 0}'), 'quantity'],
    [order('"petId": 1, "quantity": true'), 'quantity'],
    [order('"petId": 1.0, "quantity": 1'), 'petId'],
    [order('"petId": 1e0, "quantity": 1e0'), `petId: ${number} .*quantity: ${number}`],
    [order('"petId": 9223372036854775808, "quantity": 1'), 'petId'],
    [order('"petId": -9223372036854775809, "quantity": 1'), 'petId'],
    [order('"petId": 18446744073709551617, "quantity": 1'), 'petId'],
    [order('"petId": "1", "quantity": 1'), 'petId'],
    [order('"petId": 1, "petId": null, "quantity": 1'), 'petId'],
    [order('"petId": 1, "quantity": 1, "shipDate": null'), 'shipDate'],
    [order('"petId": 1, "quantity": 1, "shipDate": 1767225600'), 'shipDate'],
    [order('"petId": 1, "quantity": 1, "shipDate": {}'), 'shipDate'],
    [order('"petId": 1, "quantity": 1, "shipDate": "0000-01-01T00:00:00+00:01"'), 'shipDate'],
    [order('"petId": 1, "quantity": 1, "shipDate": "9999-12-31T23:59:59-00:01"'), 'shipDate'],
    [order('"petId": 1, "quantity": 1, "id": 5'), '"id": unknown property'],
    [order('"petId": 1, "quantity": 1, "complete": true'), '"complete"'],
    [order('"petId": 1, "quantity": 1, "status": "shipped"'), '"status"'],
    [order('"petId": 1, "quantity": 1, "PetId": 1'), '"PetId"'],
    [order('"petId": 1, "quantity": 1, "": 1'), '""'],
    [order('"petId": 1, "quantity": 1, "__proto__": {"quantity": 2}'), '"__proto__"'],
    [order('"petId": 1, "quantity": 1, "constructor": {}'), '"constructor"'],
    [order('"petId": 1, "quantity": 1, "toString": 1'), '"toString"'],
    [order('"__proto__": {"petId": 1, "quantity": 1}'), 'petId'],
    [order('"petId": 1, "quantity": 1, "a": 1, "b": 2'), '"a".*"b"'],
  ])('%s', async (body, place) => {
    const message = expectError(await service.send('POST', LIST, body), 400, 'invalid_request');
    expect(message).toMatch(new RegExp(place));
  });

  test.each([
    ['ten thousand digits', `{"petId": 1, "quantity": 1${'0'.repeat(10_000)}}`, 'quantity'],
    ['lists eight thousand deep', '['.repeat(8_000) + ']'.repeat(8_000), 'JSON'],
    ['objects deep', `{"petId": ${'{"a":'.repeat(2_000)}1${'}'.repeat(2_001)}`, 'petId'],
  ])('%s', async (_what, body, place) => {
    const message = expectError(await service.send('POST', LIST, body), 400, 'invalid_request');
    expect(message).toMatch(place);
  });

  it('when it is missing', async () => {
    const bytes = `POST ${LIST} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n\r\n`;
    const answer = parseAnswer(await sendBytes(service.address, withClose(bytes)));
    expect(expectError(answer, 400, 'invalid_request')).toMatch('must be a JSON object');
  });

  it('when it is not UTF-8', async () => {
    const body = Buffer.from([
      ...Buffer.from('{"petId": 1, "quantity": 1, "'),
      0xff,
      0x22,
      0x3a,
      0x31,
      0x7d,
    ]);
    const headers = { 'Content-Type': 'application/json' };
    expectError(await service.ask('POST', LIST, { headers, body }), 400, 'invalid_request');
  });
});

describe('A body of shipOrder is refused with 400, which names the place:', () => {
  test.each([
    ['{}', 'shipDate'],
    ['{"shipDate": null}', 'shipDate'],
    ['{"shipDate": "soon"}', 'shipDate'],
    ['{"shipDate": "2026-01-01T00:00:00Z", "complete": true}', '"complete"'],
    ['"2026-01-01T00:00:00Z"', 'must be a JSON object'],
    ['[', 'not valid JSON'],
  ])('%s', async (body, place) => {
    const answer = await service.send('PUT', `${LIST}/${id}/shipment`, body);
    expect(expectError(answer, 400, 'invalid_request')).toMatch(place);
  });
});

describe('A body is refused with 415', () => {
  const body = '{"petId": 1, "quantity": 1}';
  test.each([
    ['text/plain'],
    ['application/xml'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/merge-patch+json'],
    ['application/vnd.api+json'],
    ['application/jsonp'],
    ['text/json'],
    ['json'],
    ['*/*'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=utf-7'],
    ['application/json; charset=iso-8859-1'],
    ['application/json, text/plain'],
    ['application/json; charset=utf-8; charset=utf-16'],
    ['application/json;charset = "utf-16"'],
    ['application/json; charset=utf-8x'],
    ['application/json; charset="utf-8'],
    ['application/json; charset='],
  ])('as %s', async (type) => {
    const headers = { 'Content-Type': type };
    const answer = await service.ask('POST', LIST, { headers, body });
    const message = expectError(answer, 415, 'unsupported_media_type');
    const fault = type.startsWith('application/json;') ? 'charset' : 'application/json';
    expect(message).toContain(fault);
  });

  it('without a type', async () => {
    expectError(await service.ask('POST', LIST, { body }), 415, 'unsupported_media_type');
  });

  test.each(['gzip', 'deflate', 'br', 'identity, gzip', 'x'])('encoded by %s', async (encoding) => {
    const { gzipSync } = await import('node:zlib');
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
    const asked = { headers, body: gzipSync(body) };
    const refused = await service.ask('POST', LIST, asked);
    expect(expectError(refused, 415, 'unsupported_media_type')).toMatch(/content coding/);
  });
});

describe('A body is refused with 413', () => {
  const large = '{"petId": 1, "quantity": 1}'.padEnd(16_385);

  it('when it is declared as too large', async () => {
    expectError(await service.send('POST', LIST, large), 413, 'payload_too_large');
  });

  it('when it turns out to be too large', async () => {
    const headers = { 'Transfer-Encoding': 'chunked' };
    const answer = await service.send('POST', LIST, large, { headers });
    expectError(answer, 413, 'payload_too_large');
  });
});

describe('An orderId that is not a canonical int64 is refused, and changes nothing:', () => {
  const ids: [string, string][] = [
    ['a plus sign', '+1'],
    ['an encoded plus sign', '%2B1'],
    ['a leading zero', '01'],
    ['zeros only', '00'],
    ['a negative zero', '-0'],
    ['a leading zero behind the sign', '-01'],
    ['two signs', '--1'],
    ['a sign only', '-'],
    ['a fraction', '1.0'],
    ['a point', '1.'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['binary', '0b1'],
    ['a bigint literal', '1n'],
    ['a separator', '1_000'],
    ['a comma', '1,000'],
    ['one more than the largest', '9223372036854775808'],
    ['one less than the smallest', '-9223372036854775809'],
    ['2^64 + 1', '18446744073709551617'],
    ['a blank before', '%201'],
    ['a blank behind', '1%20'],
    ['a tab', '%091'],
    ['a line feed behind', '1%0A'],
    ['a carriage return and header', '1%0D%0AX-Evil:%201'],
    ['a NUL behind', '1%00'],
    ['a NUL only', '%00'],
    ['a blank only', '%20'],
    ['an Arabic digit', '%D9%A1'],
    ['a full-width digit', '%EF%BC%91'],
    ['a minus of typographers', '%E2%88%921'],
    ['an order mark', '%EF%BB%BF1'],
    ['a word', 'one'],
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['an object name', '__proto__'],
    ['a list', '1,2'],
    ['a matrix parameter', '1;a=b'],
    ['an encoded slash', '1%2F'],
    ['encoded twice', '%2531'],
    ['SQL', "1'%20OR%20'1'='1"],
    ['a thousand digits', '9'.repeat(1_000)],
    ['ten thousand digits', '9'.repeat(10_000)],
    ['ten thousand zeros before', `${'0'.repeat(10_000)}1`],
  ];

  test.each(ids)('%s', async (_what, orderId) => {
    const path = `${LIST}/${orderId}`;
    expectError(await service.ask('DELETE', path), 400, 'invalid_request');
    expectError(await service.ask('GET', path), 400, 'invalid_request');
    const body = { shipDate: '2026-01-01T00:00:00Z' };
    expectError(await service.send('PUT', `${path}/shipment`, body), 400, 'invalid_request');
    expect((await service.ask('HEAD', path)).status).toBe(400);
  });

  test.each(['%', '%z', '%zz', '%1', '1%', '%c0%80', '%ff', '%ed%a0%80', '%f4%90%80%80'])(
    'broken percent encoding: %s',
    async (orderId) => {
      for (const method of ['DELETE', 'GET']) {
        const answer = await service.ask(method, `${LIST}/${orderId}`);
        expectError(answer, 400, 'invalid_request');
      }
    },
  );

  it('none at all is another address', async () => {
    expectError(await service.ask('DELETE', `${LIST}/`), 404, 'not_found');
    expectError(await service.ask('DELETE', LIST), 405, 'method_not_allowed');
  });

  it('unencoded bytes of UTF-8', async () => {
    const bytes = `DELETE ${LIST}/\u0661 HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n\r\n`;
    expectSomeError(parseAnswer(await sendBytes(service.address, withClose(bytes))));
  });

  it('a canonical id that is percent-encoded is the id itself', async () => {
    const other = await service.ask(
      'GET',
      `${LIST}/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
    );
    expect(JSON.parse(other.text).id).toBe(Number(id));
  });
});

describe('What is not HTTP is answered with an Error object, and the connection closed:', () => {
  const head = `GET ${LIST} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n`;
  test.each([
    ['garbage', '\u0000\u0001\u0002 what\r\n\r\n', 400],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
    ['an unknown method', `CANCEL ${LIST}/1 HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
    ['a method in small letters', `delete ${LIST}/1 HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
    ['a blank in the path', `GET ${LIST}/1 2 HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
    ['an unknown version', `GET ${LIST} HTTP/9.9\r\nHost: x\r\n\r\n`, 400],
    ['a header without a colon', `${head}nonsense\r\n\r\n`, 400],
    ['a blank before the colon', `${head}X-A : 1\r\n\r\n`, 400],
    ['a folded header', `${head}X-A: 1\r\n 2\r\n\r\n`, 400],
    ['a length that is no number', `${head}Content-Length: x\r\n\r\n`, 400],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    [
      'a length and chunks',
      `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a missing Host',
      `GET ${LIST} HTTP/1.1\r\n${AUTHORIZATION}\r\nConnection: close\r\n\r\n`,
      400,
    ],
    ['headers without end', `${head}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('%s', async (_what, bytes, status) => {
    const received = await sendBytes(service.address, Buffer.from(bytes, 'latin1'));
    expectError(parseAnswer(received), status, 'invalid_request');
  });

  it('chunks that break off into nonsense', async () => {
    const bytes =
      `POST ${LIST} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    expectSomeError(parseAnswer(await sendBytes(service.address, bytes)));
  });

  const post = `POST ${LIST} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\nContent-Type: application/json\r\n`;
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
  test.each([
    ['a size that is no number', 'zz\r\n'],
    ['no size', '\r\n'],
    ['a size that is too large', `${'f'.repeat(17)}\r\n`],
    ['a blank before an extension', '1 ;a\r\n1\r\n0\r\n\r\n'],
    ['a control character in an extension', '1;\u0001\r\n1\r\n0\r\n\r\n'],
    ['a quotation without end in an extension', '1;a="b\r\n1\r\n0\r\n\r\n'],
    ['a line feed alone behind a size', '1\n1\r\n0\r\n\r\n'],
    ['no line feed behind a size', '1\r1\r\n0\r\n\r\n'],
    ['more bytes than its size', '1\r\n12\r\n0\r\n\r\n'],
    ['a trailer without a colon', '1\r\n1\r\n0\r\nnonsense\r\n\r\n'],
    ['a trailer with a blank before the colon', '1\r\n1\r\n0\r\nX : 1\r\n\r\n'],
  ])('a chunk with %s, which is told as a fault of the body', async (_what, chunks) => {
    const answer = parseAnswer(await sendBytes(service.address, `${chunked}${chunks}`));
    expectError(answer, 400, 'invalid_request');
    expect(JSON.parse(answer.text).message).toBe('The chunks of the body cannot be read.');
  });

  test.each([
    ['chunks', `${chunked}5\r\n{`],
    ['a length', `${post}Content-Length: 27\r\n\r\n{`],
  ])('a body with %s that its client leaves incomplete', async (_what, bytes) => {
    const answer = parseAnswer(await sendBytes(service.address, bytes, { isLast: true }));
    expectError(answer, 400, 'invalid_request');
    expect(JSON.parse(answer.text).message).toBe('The body is not complete.');
  });

  it('garbage after a complete request, which keeps its own response', async () => {
    const bytes = `DELETE ${LIST}/${2n ** 62n} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n\r\n`;
    const received = await sendBytes(service.address, `${bytes}{"reason": "none"}\r\n\r\n`);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toStrictEqual(['HTTP/1.1 404']);
    expectError(parseAnswer(received), 404, 'order_not_found');
  });

  it('garbage after several requests, which are all answered in order', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n\r\n`;
    const bytes = `${get(`${LIST}/${id}`)}${get('/v1')}${get(`${LIST}/x`)}garbage\r\n\r\n`;
    const received = await sendBytes(service.address, bytes);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toStrictEqual(
      [200, 404, 400].map((n) => `HTTP/1.1 ${n}`),
    );
  });

  it('a client that hangs up before its body is complete', async () => {
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    socket.end(
      `POST ${LIST} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 27\r\n\r\n{"petId": 1,',
    );
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve));
  });
});

function withClose(bytes: string): string {
  return bytes.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n');
}
