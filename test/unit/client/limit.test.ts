import { expect, test, vi } from 'vitest';
import { Limit } from '../../../src/client/limit.ts';

test('The limit of a signal that has aborted before is aborted from the start', () => {
  const limit = new Limit(AbortSignal.abort());
  expect(limit.signal.aborted).toBe(true);
  expect(limit.isAborted).toBe(true);
  expect(limit.isTimedOut).toBe(false);
});

test('A limit whose time is over begins nothing, though its timer is late in a busy program', async () => {
  const limit = new Limit(undefined);
  const part = vi.fn();
  limit.start(1);
  for (const end = performance.now() + 1; performance.now() < end; );
  await expect(limit.within(part)).rejects.toBe(limit.signal.reason);
  expect(part).not.toHaveBeenCalled();
  expect(limit.isTimedOut).toBe(true);
});

test('A time that was over before gives no warning of a negative delay', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const limit = new Limit(undefined);
  limit.start(-0.1);
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  limit.end();
  timers.mockRestore();
});

test('A limit that is stopped has no end', async () => {
  const limit = new Limit(undefined);
  limit.start(0);
  limit.stop();
  expect(await limit.within(() => 'begun')).toBe('begun');
});
