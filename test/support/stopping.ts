import { expect } from 'vitest';
import { Beside } from './beside.ts';
import { type Answer, ask } from './http.ts';
import type { Service } from './service.ts';

/** Imports orders beside the service, and returns their ids. */
export async function placeMany(service: Service, count: number, first = 1n): Promise<bigint[]> {
  await using beside = new Beside(service.databaseFile);
  const ids = Array.from({ length: count }, (_, n) => first + BigInt(n));
  await beside.place(ids.map((id) => ({ id })));
  return ids;
}

/** Returns the ids of the orders that the log calls cancelled, each once. */
export async function cancelledIn(service: Service): Promise<Set<bigint>> {
  await using beside = new Beside(service.databaseFile);
  const events = (await beside.events()).map(({ event }) => event);
  const cancelled = events.filter(({ type }) => type === 'OrderCancelled');
  const ids = new Set(cancelled.map(({ orderId }) => orderId));
  expect(ids.size).toBe(cancelled.length);
  return ids;
}

/** Polls /readyz, as a load balancer does, until the service is not ready. */
export async function notReady(service: Service): Promise<Answer> {
  for (;;) {
    const answer = await ask(service.address, 'GET', '/readyz');
    if (answer.status !== 200) return answer;
  }
}
