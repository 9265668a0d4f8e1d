import { describe, expect, it } from 'vitest';
import { ask, sendBytes } from '../support/http.ts';
import { oneService, placeOrder } from '../support/one-service.ts';
import { Service } from '../support/service.ts';

const { service } = await oneService();
const LIST = '/v1/store/orders';
const keyId = service.key.split('_')[1];

/** The log line of a request, whose id the answer has told. */
function lineOf(answer: { headers: Record<string, unknown> }, of = service) {
  const requestId = answer.headers['x-request-id'];
  return of.program.until(({ log }) => log.find((line) => line.requestId === requestId));
}

describe('A request leaves one line in the log,', () => {
  it('with who asked for what, what came of it, and how long it took', async () => {
    const id = await placeOrder(service);
    const answer = await service.ask('DELETE', `${LIST}/${id}?why=because`);
    expect(await lineOf(answer)).toMatchObject({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: answer.headers['x-request-id'],
      keyId,
      method: 'DELETE',
      path: `${LIST}/${id}`,
      status: 204,
      outcome: 'ok',
      durationMs: expect.any(Number),
      msg: 'request',
    });
  });

  it.each([
    ['GET', `${LIST}/12345`, 404, 'order_not_found'],
    ['GET', `${LIST}/x`, 400, 'invalid_request'],
    ['GET', `${LIST}/%zz`, 400, 'invalid_request'],
    ['PATCH', LIST, 405, 'method_not_allowed'],
    ['POST', LIST, 415, 'unsupported_media_type'],
    ['GET', '/v1/nowhere', 404, 'not_found'],
  ])('with the code of the Error: %s %s', async (method, path, status, outcome) => {
    const answer = await service.ask(method, path);
    expect(await lineOf(answer)).toMatchObject({ method, path, status, outcome, keyId });
  });

  it('without a key where none was accepted', async () => {
    const answer = await ask(service.address, 'GET', LIST);
    const line = await lineOf(answer);
    expect(line).toMatchObject({ method: 'GET', path: LIST, status: 401, outcome: 'unauthorized' });
    expect(line).not.toHaveProperty('keyId');
  });

  it('each on a line of its own, whatever the path tries to smuggle in', async () => {
    const answer = await service.ask('GET', `/%0A{"level":60}"\\`);
    expect(await lineOf(answer)).toMatchObject({ path: '/%0A{"level":60}"\\', status: 404 });
  });

  it('and one only', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => service.ask('GET', LIST)));
    for (const answer of answers) await lineOf(answer);
    const ids = service.program.log.map(({ requestId }) => requestId).filter(Boolean);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it('No key is ever written anywhere, wherever a client puts it', async () => {
  await using fresh = await Service.start({ LOG_LEVEL: 'trace' });
  const { key, address } = fresh;
  const secret = key.split('_')[2] as string;
  const bearer = `Authorization: Bearer ${key}`;
  const encoded = key.replaceAll('_', '%5F');
  const spelled = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  const elsewhere: [string, string, Record<string, string>][] = [
    ['GET', `${LIST}?key=${key}`, {}],
    ['GET', `${LIST}/${key}`, {}],
    ['DELETE', `${LIST}/${key}/shipment`, {}],
    ['GET', `/${key}`, {}],
    ['GET', `/x${key}x`, {}],
    ['GET', `/${encoded}`, {}],
    ['GET', `${LIST}/${encoded}`, {}],
    ['GET', `/${spelled}`, {}],
    ['GET', `/v1/%zz${key}`, {}],
    ['GET', LIST, { 'X-Api-Key': key, Cookie: `k=${key}`, Referer: key, 'User-Agent': key }],
    ['GET', LIST, { 'X-Request-Id': key, 'If-None-Match': key, Accept: key }],
    ['GET', LIST, { Authorization: `Basic ${key}` }],
    ['GET', LIST, { Authorization: `Bearer ${key}x` }],
    ['POST', LIST, { 'Content-Type': key }],
    ['POST', LIST, { 'Content-Type': 'application/json', 'Content-Encoding': key }],
  ];
  for (const [method, path, headers] of elsewhere) {
    const body = method === 'POST' ? '{}' : undefined;
    await fresh.ask(method, path, { headers, ...(body && { body }) });
  }
  for (const body of [`"${key}"`, key, `{"${key}": 1}`, `{"petId": "${key}"}`]) {
    await fresh.send('POST', LIST, body);
  }
  for (const bytes of [
    `${key} / HTTP/1.1\r\n\r\n`,
    `GET /${key} HTTP/1.1\r\n${key}\r\n\r\n`,
    `GET http://${key}@x/${key}?${key} HTTP/1.0\r\nHost: ${key}\r\n${bearer}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\n${bearer}\r\nX-A: ${key.repeat(300)}\r\n\r\n`,
  ]) {
    await sendBytes(address, bytes);
  }
  expect(await fresh.program.end()).toBe(0);
  const { stdout, stderr } = fresh.program;
  expect(stdout).toContain('"outcome":"not_found"');
  for (const text of [secret, secret.slice(0, 20), spelled.slice(60, 120)]) {
    expect(stdout + stderr).not.toContain(text);
  }
});
