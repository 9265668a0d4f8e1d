import { connect } from 'node:net';
import { describe, it } from 'vitest';
import { ask, expectError, parseAnswer } from '../support/http.ts';
import { Service } from '../support/service.ts';
import { cancelledIn, notReady, placeMany } from '../support/stopping.ts';

const LIST = '/v1/store/orders';
/** More bytes in their list than the buffers of a connection hold. */
const ORDERS = 100_000;

/** Asks for the list a number of times on one connection, and stops reading at the first bytes. */
async function stalledReader(service: Service, times: number) {
  const reader = connect(Number(new URL(service.address).port), '127.0.0.1');
  reader.on('error', () => undefined);
  const request = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  reader.write(request.repeat(times));
  const first = await new Promise<Buffer>((resolve) => reader.once('data', resolve));
  reader.pause();
  return { reader, first };
}

describe.concurrent('SIGTERM', () => {
  it('completes the list of a slow reader, and answers new requests that it is stopping', async ({
    expect,
  }) => {
    await using service = await Service.start();
    await placeMany(service, ORDERS);
    const { text } = await service.ask('GET', LIST);
    const { reader, first } = await stalledReader(service, 1);
    const chunks = [first];
    const stopped = service.program.end('SIGTERM');
    expectError(await notReady(service), 503, 'service_unavailable');
    const refused = await service.ask('DELETE', `${LIST}/1`);
    expect(expectError(refused, 503, 'service_unavailable')).toMatch('stopping');
    expect(refused.headers).toMatchObject({ connection: 'close' });
    expect(refused.headers['retry-after']).toMatch(/^[1-4]$/);
    expect((await ask(service.address, 'GET', '/livez')).status).toBe(200);
    expectError(await ask(service.address, 'GET', LIST), 401, 'unauthorized');
    for await (const chunk of reader) chunks.push(chunk as Buffer);
    expect(await stopped).toBe(0);
    const received = parseAnswer(Buffer.concat(chunks).toString('latin1'));
    expect(received.text === text).toBe(true);
    expect(await cancelledIn(service)).toStrictEqual(new Set());
  });

  it('does not wait for a client that never reads its response', async ({ expect }) => {
    await using service = await Service.start({ STOP_TIMEOUT: '9' });
    await placeMany(service, ORDERS);
    const { reader } = await stalledReader(service, 5);
    expect(await service.program.end('SIGTERM')).toBe(0);
    reader.destroy();
  });

  it('is a failure if it takes longer than STOP_TIMEOUT', async ({ expect }) => {
    // Less than the five seconds for which requests in flight are answered.
    await using service = await Service.start({ STOP_TIMEOUT: '1' });
    await placeMany(service, ORDERS);
    const { reader } = await stalledReader(service, 5);
    expect(await service.program.end('SIGTERM')).toBe(1);
    reader.destroy();
    await service.start();
    expect((await service.ask('GET', `${LIST}/1`)).status).toBe(200);
  });
});
