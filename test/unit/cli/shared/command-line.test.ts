import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CommandLineStore } from '../../../../src/app/ports/store.ts';
import { whileChecked } from '../../../../src/cli/shared/command-line.ts';

const DAMAGE = new Error('a bit is flipped');
const FAILURE = new Error('there is no such order');

/** A store whose check ends as told, or once it is aborted: then it takes a while to close the files. */
function storeWith(ended: Promise<void>) {
  const check = { isOver: false };
  const checked = async (signal: AbortSignal) => {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason));
    try {
      await Promise.race([ended, aborted.promise]);
    } finally {
      await setTimeout(5);
      check.isOver = true;
    }
  };
  return { check, store: { checked } as CommandLineStore };
}

const NEVER = new Promise<void>(() => {});

describe('while a store is checked, work', () => {
  it('returns the result of the work once everything was checked', async () => {
    const ended = Promise.withResolvers<void>();
    const { check, store } = storeWith(ended.promise);
    const found = whileChecked(store, async () => 'found');
    expect(await Promise.race([found, setTimeout(20, 'waits')])).toBe('waits');
    ended.resolve();
    expect(await found).toBe('found');
    expect(check.isOver).toBe(true);
  });

  it('returns nothing from a damaged store', async () => {
    const { store } = storeWith(Promise.reject(DAMAGE));
    await expect(whileChecked(store, () => setTimeout(20, 'found'))).rejects.toBe(DAMAGE);
  });

  it('ends the check if it fails, and waits until the check has ended', async () => {
    const { check, store } = storeWith(NEVER);
    await expect(whileChecked(store, () => Promise.reject(FAILURE))).rejects.toBe(FAILURE);
    expect(check.isOver).toBe(true);
  });

  it('does not wait any more for the check after its signal', async () => {
    const { check, store } = storeWith(NEVER);
    const stopped = new AbortController();
    const found = whileChecked(store, async () => 'found', stopped.signal);
    stopped.abort(FAILURE);
    await expect(found).rejects.toBe(FAILURE);
    expect(check.isOver).toBe(true);
  });
});
