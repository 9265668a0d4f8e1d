import { describe, expect, it } from 'vitest';
import type { RefusalRecord, RefusalTrail } from '../../src/app/ports/refusal-trail.ts';
import { NOON } from '../support/events.ts';

/** A record that can be told from all others. */
export function refusal(number: number): RefusalRecord {
  return {
    at: NOON,
    code: 'order_already_shipped',
    keyId: 'AbCdEfGh01',
    method: 'DELETE',
    path: `/v1/store/orders/${number}`,
    requestId: `${number}`,
  };
}

/**
 * The contract of every engine's trail of refusals.
 * @param create Makes an empty trail that keeps so many records.
 */
export function refusalTrailContract(
  name: string,
  create: (most?: number) => Promise<RefusalTrail>,
): void {
  const numbers = (from: number, to: number) => {
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  };

  describe(`the trail of refusals in ${name}`, () => {
    it('is empty at first', async () => {
      expect(await (await create()).newest(10)).toStrictEqual([]);
    });

    it('keeps records unchanged, at dense positions, across appends', async () => {
      const trail = await create();
      const stranger: RefusalRecord = {
        at: NOON,
        code: 'unauthorized',
        method: 'GET',
        path: '/v1/store/orders?ö="\n',
        requestId: 'r',
      };
      const records = [refusal(1), stranger, { at: NOON, leftOut: 7 }];
      await trail.append(records.slice(0, 1));
      await trail.append([]);
      await trail.append(records.slice(1));
      const kept = records.map((record, index) => ({ position: index + 1, record }));
      expect(await trail.newest(10)).toStrictEqual(kept);
      expect(await trail.newest(2)).toStrictEqual(kept.slice(1));
      expect(await trail.newest(0)).toStrictEqual([]);
    });

    it('drops the oldest if there are too many, and keeps counting', async () => {
      const trail = await create(5);
      await trail.append(numbers(1, 3).map(refusal));
      await trail.append(numbers(4, 7).map(refusal));
      const positions = async () => (await trail.newest(100)).map(({ position }) => position);
      expect(await positions()).toStrictEqual([3, 4, 5, 6, 7]);
      await trail.append(numbers(8, 19).map(refusal));
      expect(await positions()).toStrictEqual([15, 16, 17, 18, 19]);
      expect((await trail.newest(1))[0]?.record).toStrictEqual(refusal(19));
    });
  });
}
