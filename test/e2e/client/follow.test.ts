import { expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { Network } from '../../support/postgres/network.ts';
import { Service } from '../../support/service.ts';

const portOf = (service: Service) => Number(new URL(service.address).port);

test.each(['stream', 'pages'] as const)(
  'A follower of a %s gets every event in order, although the service is killed again and again',
  async (over) => {
    await using service = await Service.start();
    await using network = await Network.start(portOf(service));
    const url = `http://127.0.0.1:${network.port}`;
    const store = new StoreOrders({ url, key: service.key, retries: Infinity });
    const KILLS = 3;
    const stop = new AbortController();
    const seen: number[] = [];
    let checkpoint = '0';
    const following = (async () => {
      // A follower that ends in the middle of an event, and goes on from its checkpoint.
      while (!stop.signal.aborted) {
        const onCheckpoint = (position: string) => {
          checkpoint = position;
        };
        const from = { after: checkpoint, over, signal: stop.signal, onCheckpoint };
        for await (const { position } of store.events.follow(from)) {
          seen.push(position);
          if (position % 10 === 0 && seen.filter((it) => it === position).length === 1) break;
        }
      }
    })();
    for (let kill = 0; kill <= KILLS; kill += 1) {
      for (let n = 0; n < 15; n += 1) await store.place({ petId: '1', quantity: 1 });
      if (kill === KILLS) break;
      await service.restart('SIGKILL');
      network.target = portOf(service);
    }
    const head = 15 * (KILLS + 1);
    await expect.poll(() => checkpoint, { timeout: 60_000 }).toBe(`${head}`);
    stop.abort();
    await following;
    const all = Array.from({ length: head }, (_, at) => at + 1);
    expect([...new Set(seen)]).toEqual(all);
    // Each event whose handling was broken off came again, and no other.
    const twice = all.filter((position) => seen.filter((it) => it === position).length === 2);
    expect(twice).toEqual(all.filter((position) => position % 10 === 0));
  },
);
