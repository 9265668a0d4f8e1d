import { expect, it } from 'vitest';
import { Beside } from '../support/beside.ts';
import { expectError } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { Service } from '../support/service.ts';

const LIST = '/v1/store/orders';
const ROUNDS = isNightly ? 5 : 2;
const CLIENTS = 8;

// This kills a process, not a machine: data in the operating system's cache is still written. That
// a commit reaches the disk depends on settings, which other tests check.
it('After kill -9 during cancellations, every order with a 204 is cancelled', async () => {
  await using service = await Service.start();
  const done = new Set<bigint>();
  for (let round = 0; round < ROUNDS; round++) {
    await using beside = new Beside(service.databaseFile);
    const ids = Array.from({ length: 2_000 }, (_, n) => BigInt(round * 10_000 + n));
    await beside.place(ids.map((id) => ({ id })));
    const [next, before] = [ids.values(), done.size];
    const clients = Array.from({ length: CLIENTS }, () => cancelUntilGone(service, next, done));
    // At another moment in each round.
    while (done.size < before + 40 * (round + 1)) await new Promise(setImmediate);
    await service.program.end('SIGKILL');
    const inDoubt = await Promise.all(clients);

    const events = await beside.events();
    const cancelled = events.flatMap(({ event }) =>
      event.type === 'OrderCancelled' ? [event.orderId as bigint] : [],
    );
    expect(new Set(cancelled).size).toBe(cancelled.length);
    expect(new Set(cancelled).isSupersetOf(done)).toBe(true);
    expect(events.map(({ position }) => position)).toStrictEqual(events.map((_, n) => n + 1));

    await service.start();
    const head = await beside.head();
    for (const id of [...done].slice(-30)) {
      expect((await service.ask('DELETE', `${LIST}/${id}`)).status).toBe(204);
      const shipped = await service.send('PUT', `${LIST}/${id}/shipment`, {
        shipDate: '2026-01-01T00:00:00Z',
      });
      expectError(shipped, 409, 'order_cancelled');
    }
    expect(await beside.head()).toBe(head);
    // The outcome of these is unknown. A retry succeeds either way.
    for (const id of inDoubt) {
      expect((await service.ask('DELETE', `${LIST}/${id}`)).status).toBe(204);
      done.add(id);
    }
  }
});

/** Cancels one order after another; returns the first one without a response. */
async function cancelUntilGone(
  service: Service,
  ids: Iterator<bigint>,
  done: Set<bigint>,
): Promise<bigint> {
  for (;;) {
    const id = ids.next().value as bigint;
    const answer = await service.ask('DELETE', `${LIST}/${id}`).catch(() => undefined);
    if (answer === undefined) return id;
    expect(answer.status).toBe(204);
    done.add(id);
  }
}
