import { vi } from 'vitest';

/**
 * Replaces the timers of a source file, and returns a function that counts those that are pending. Timers that
 * other files set meanwhile are real: those of other tests in the same worker would be passed over as well, and
 * one that is set again and again would hold the test up.
 * @param file The path of the file, as it ends.
 */
export function fakeTimersOf(
  file: string,
  toFake: readonly ('performance' | 'Date')[] = [],
): () => number {
  const real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...toFake] });
  const { setTimeout, clearTimeout } = globalThis;
  const pending = new Set<unknown>();
  const set = (...[callback, delayMs, ...given]: Parameters<typeof real.set>) => {
    if (!new Error().stack?.includes(`${file}:`)) return real.set(callback, delayMs, ...given);
    const timer = setTimeout(() => {
      pending.delete(timer);
      callback(...given);
    }, delayMs);
    pending.add(timer);
    return timer;
  };
  const clear = (timer: NodeJS.Timeout | undefined) => {
    if (pending.delete(timer)) clearTimeout(timer);
    else real.clear(timer);
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  return () => pending.size;
}
