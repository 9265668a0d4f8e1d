import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAhead } from '../../../../../src/app/audit/monitor/read-ahead.ts';

test('All parts come in order, at most four are under way, and none is read twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20), fc.nat(20), fc.scheduler(), async (from, to, scheduler) => {
      const read: number[] = [];
      let underWay = 0;
      const reading = readAhead(from, to, async (index) => {
        read.push(index);
        underWay += 1;
        expect(underWay).toBeLessThanOrEqual(4);
        await scheduler.schedule(Promise.resolve());
        underWay -= 1;
        return `part ${index}`;
      });
      const parts = await scheduler.waitFor(Array.fromAsync(reading));
      const due = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
      expect(parts).toEqual(due.map((index) => [index, `part ${index}`]));
      expect(read).toEqual(due);
    }),
  );
});

test('A part that cannot be read ends it, and later ones are not missed', async () => {
  const reading = readAhead(0, 5, async (index) => {
    if (index > 0) throw new Error(`no part ${index}`);
    return index;
  });
  expect((await reading.next()).value).toEqual([0, 0]);
  await expect(reading.next()).rejects.toThrow('no part 1');
  // A rejection that nobody handles would fail this test.
  await setImmediate();
});
