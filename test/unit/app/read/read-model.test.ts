import { expect, it } from 'vitest';
import { ReadModel } from '../../../../src/app/read/read-model.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';
import { newEvent, placed } from '../../../support/events.ts';

const newList = () => new OrderList((orders) => orders.map(({ id }) => id));

async function append(log: MemoryEventLog): Promise<void> {
  const head = await log.head();
  await log.append(head, () => [newEvent(placed(BigInt(head + 1)))]);
}

it('returns the list with every event recorded before', async () => {
  const log = new MemoryEventLog();
  const list = newList();
  const readModel = new ReadModel(log, list);
  expect((await readModel.current()).position).toBe(0);
  await append(log);
  expect(list.position).toBe(0);
  expect((await readModel.current()).position).toBe(1);
});

it('measures the waits of readers, failed ones included', async () => {
  const log = new MemoryEventLog();
  const readModel = new ReadModel(log, newList());
  const [one, other] = [{ catchUpMs: 0 }, { catchUpMs: 5 }];
  const begunMs = performance.now();
  await Promise.all([readModel.current(one), readModel.current(other), readModel.current()]);
  expect(one.catchUpMs).toBeGreaterThan(0);
  expect(other.catchUpMs).toBeGreaterThan(5);
  expect(one.catchUpMs).toBeLessThanOrEqual(performance.now() - begunMs);
  expect(readModel.catchUps.read().cumulative.at(-1)).toBe(2);
  log.head = () => Promise.reject(new Error('out of order'));
  const before = one.catchUpMs;
  const failed = readModel.current(one);
  expect(one.catchUpMs).toBeLessThan(0);
  await expect(failed).rejects.toThrow('out of order');
  expect(one.catchUpMs).toBeGreaterThan(before);
  const { cumulative, sum } = readModel.catchUps.read();
  expect(cumulative.at(-1)).toBe(3);
  // From 0.1 ms to 10 s, and what is longer.
  expect(cumulative).toHaveLength(16);
  expect(sum * 1_000).toBeCloseTo(one.catchUpMs + other.catchUpMs - 5);
});

it('returns no list if the log cannot be read', async () => {
  const log = new MemoryEventLog();
  log.head = () => Promise.reject(new Error('out of order'));
  await expect(new ReadModel(log, newList()).current()).rejects.toThrow('out of order');
});

it('follows the log in the background, and reports failures', async () => {
  const log = new MemoryEventLog();
  const list = newList();
  const failures: unknown[] = [];
  new ReadModel(log, list).follow((error) => failures.push(error));
  await append(log);
  await expect.poll(() => list.position).toBe(1);
  log.head = () => Promise.reject(new Error('out of order'));
  await log.append(1, () => [newEvent(placed(2n))]);
  await expect.poll(() => failures).toEqual([new Error('out of order')]);
  expect(list.position).toBe(1);
});
