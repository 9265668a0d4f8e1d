import { afterAll, describe, expect, it } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import type { RefusalRecord } from '../../../src/app/ports/refusal-trail.ts';
import { SqliteRefusals } from '../../../src/infra/sqlite/refusals.ts';
import { type Answer, ask } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();
const trail = new SqliteRefusals(service.databaseFile);
afterAll(() => trail.close());

const LIST = '/v1/store/orders';
const SHIPMENT = { shipDate: '2026-01-02T00:00:00Z' };
const keyId = service.key.split('_')[1];

const idOf = ({ headers }: Answer) => headers['x-request-id'];

/** The records of these answers, when all are there, in the order of the answers. */
async function recordsOf(...answers: Answer[]): Promise<RefusalRecord[]> {
  for (;;) {
    const kept = (await trail.newest(1_000)).map(({ record }) => record);
    const found = answers.map((answer) =>
      kept.find((record) => 'requestId' in record && record.requestId === idOf(answer)),
    );
    if (found.every((record) => record !== undefined)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('What was refused', () => {
  it('is on record with key, request, time and reason', async () => {
    const [shipped, cancelled] = [await placeOrder(service), await placeOrder(service)];
    await service.send('PUT', `${LIST}/${shipped}/shipment`, SHIPMENT);
    await service.ask('DELETE', `${LIST}/${cancelled}`);
    const tooLate = await service.ask('DELETE', `${LIST}/${shipped}`);
    const missing = await service.ask('DELETE', `${LIST}/-7`);
    const gone = await service.send('PUT', `${LIST}/${cancelled}/shipment`, SHIPMENT);
    const by = { at: expect.stringMatching(/^\d{4}-.*Z$/), keyId };
    expect(await recordsOf(tooLate, missing, gone)).toStrictEqual([
      {
        ...by,
        code: 'order_already_shipped',
        method: 'DELETE',
        path: `${LIST}/${shipped}`,
        requestId: idOf(tooLate),
      },
      {
        ...by,
        code: 'order_not_found',
        method: 'DELETE',
        path: `${LIST}/-7`,
        requestId: idOf(missing),
      },
      {
        ...by,
        code: 'order_cancelled',
        method: 'PUT',
        path: `${LIST}/${cancelled}/shipment`,
        requestId: idOf(gone),
      },
    ]);
  });

  it('records invalid keys without the text that was sent', async () => {
    const unknown = mintKeyText();
    const wellFormed = await service.ask('DELETE', `${LIST}/1?key=${unknown}`, {
      headers: { Authorization: `Bearer ${unknown}` },
    });
    const nonsense = await service.ask('GET', `${LIST}/${unknown}/${'x'.repeat(500)}`, {
      headers: { Authorization: 'Basic c2VjcmV0' },
    });
    const [first, second] = await recordsOf(wellFormed, nonsense);
    expect(first).toMatchObject({ code: 'unauthorized', keyId: unknown.split('_')[1] });
    expect(first).toMatchObject({ path: `${LIST}/1` });
    expect(second).toMatchObject({ code: 'unauthorized', path: `${LIST}/…/…` });
    expect(second).not.toHaveProperty('keyId');
    for (const text of [JSON.stringify(first), JSON.stringify(second)]) {
      expect(text).not.toContain(unknown);
      expect(text).not.toContain('c2VjcmV0');
    }
  });

  it('does not change the log, and malformed requests are not on record', async () => {
    const head = await beside.head();
    const harmless = [
      await service.ask('GET', `${LIST}/-7`),
      await service.ask('HEAD', `${LIST}/-7`),
      await service.ask('GET', '/v1/nowhere'),
      await service.ask('DELETE', `${LIST}/seven`),
      await ask(service.address, 'GET', LIST),
    ];
    expect(harmless.map(({ status }) => status)).toStrictEqual([404, 404, 404, 400, 401]);
    // What comes after them is on record, so they would be, too.
    await recordsOf(await service.ask('DELETE', `${LIST}/-8`));
    const kept = (await trail.newest(1_000)).map(({ record }) => record);
    const ids = kept.map((record) => 'requestId' in record && record.requestId);
    for (const answer of harmless) expect(ids).not.toContain(idOf(answer));
    expect(await beside.head()).toBe(head);
  });
});
