import { vi } from 'vitest';

/**
 * Replaces timers, and returns a function that counts the pending ones which a source file has set. Those of
 * other test files in the same worker, such as of their sockets, are not counted.
 * @param file The path of the file, as it ends.
 */
export function fakeTimersOf(file: string, toFake: readonly 'performance'[] = []): () => number {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...toFake] });
  const { setTimeout, clearTimeout } = globalThis;
  const pending = new Set<unknown>();
  const set = (callback: () => void, delayMs?: number) => {
    const timer = setTimeout(() => {
      pending.delete(timer);
      callback();
    }, delayMs);
    if (new Error().stack?.includes(`${file}:`)) pending.add(timer);
    return timer;
  };
  const clear = (timer: NodeJS.Timeout | undefined) => {
    pending.delete(timer);
    clearTimeout(timer);
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  return () => pending.size;
}
