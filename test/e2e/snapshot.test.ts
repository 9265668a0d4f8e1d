import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Beside } from '../support/beside.ts';
import { Service } from '../support/service.ts';

const LIST = '/v1/store/orders';
/** A number of orders for which a stop writes a snapshot. */
const ORDERS = 51_000;

describe('A start', () => {
  it('with a snapshot yields the same list as without one', async () => {
    await using service = await Service.start();
    const snapshot = `${service.databaseFile}-snapshot`;
    {
      await using beside = new Beside(service.databaseFile);
      await beside.place(Array.from({ length: ORDERS }, (_, index) => ({ id: BigInt(index + 1) })));
    }
    const lists = [(await service.ask('GET', LIST)).text];
    /** Restarts the service, and returns its log line about the snapshot. */
    const restart = async (order: number) => {
      expect(await service.program.end('SIGTERM')).toBe(0);
      await service.start();
      // Commands work, too: the writer has the states from the snapshot.
      expect((await service.ask('DELETE', `${LIST}/${order}`)).status).toBe(204);
      lists.push((await service.ask('GET', LIST)).text);
      return service.program.log.find(({ msg }) => String(msg).includes('snapshot'));
    };
    expect(await restart(1)).toMatchObject({ position: ORDERS });
    expect(statSync(snapshot).mode & 0o777).toBe(0o600);
    expect(await restart(1)).toMatchObject({ position: ORDERS });

    const bytes = readFileSync(snapshot);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(snapshot, bytes);
    expect(await restart(2)).toMatchObject({ reason: 'it is damaged' });
    expect(await restart(3)).toMatchObject({ position: ORDERS + 1 });

    await service.program.end('SIGKILL');
    rmSync(snapshot);
    await service.start();
    expect(await restart(4)).toMatchObject({ position: ORDERS + 3 });
    expect(new Set(lists).size).toBe(1);
    expect(JSON.parse(lists[0] as string)).toHaveLength(ORDERS);
  });
});
