import { expect, test } from 'vitest';
import { ask } from '../support/http.ts';
import { bearer, Service } from '../support/service.ts';

const LIST = '/v1/store/orders';
const CLIENTS = 8;

test('A retried order is placed once, although the service is killed before each response', async () => {
  await using service = await Service.start();
  const placed = new Map<string, string>();
  let rounds = 0;
  /** Sends the same request until a response arrives. */
  const placeSurely = async (key: string) => {
    const headers = {
      ...bearer(service.key),
      'Idempotency-Key': key,
      'Content-Type': 'application/json',
    };
    for (;;) {
      try {
        const body = '{"petId":7,"quantity":1}';
        const answer = await ask(service.address, 'POST', LIST, { headers, body });
        if (answer.status === 201) return placed.set(key, answer.text);
      } catch {
        // The connection was cut, so the outcome is unknown.
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !isOver; n++) await placeSurely(`client-${client}-${n}`);
  });
  for (; rounds < 5; rounds++) {
    const before = placed.size;
    while (placed.size < before + 2 * CLIENTS) await new Promise((r) => setTimeout(r, 5));
    await service.restart('SIGKILL');
  }
  isOver = true;
  await Promise.all(clients);
  const ids = JSON.parse((await service.ask('GET', LIST)).text).map(({ id }: { id: number }) => id);
  const answered = [...placed.values()].map((text) => JSON.parse(text).id as number);
  expect(ids).toStrictEqual(answered.sort((a, b) => a - b));
  for (const [key, text] of placed) {
    const headers = { 'Idempotency-Key': key };
    const again = await service.send('POST', LIST, { petId: 7, quantity: 1 }, { headers });
    expect(again.text).toBe(text);
  }
});
