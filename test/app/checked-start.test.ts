import { describe, expect, it } from 'vitest';
import { untilChecked } from '../../src/app/checked-start.ts';
import { DamagedStore } from '../../src/app/ports/store.ts';

const never = new Promise<void>(() => {});
const damaged = () => Promise.reject(new DamagedStore('event 7'));

/** What became of a wait, and what was told to have failed. */
async function waited(once: Promise<void>, isShort: boolean, spent = 20) {
  const failed: string[] = [];
  const begun = performance.now();
  await untilChecked({ once, isShort }, spent, ({ message }) => failed.push(message));
  return { failed, ms: performance.now() - begun };
}

describe('A start waits for the check of its store', () => {
  it('to the end where that is short', async () => {
    let isDone = false;
    const done = new Promise<void>((resolve) => setTimeout(resolve, 50)).then(() => {
      isDone = true;
    });
    await waited(done, true, 0);
    expect(isDone).toBe(true);
  });

  it('for half of its own time where that is long', async () => {
    const { ms } = await waited(never, false, 60);
    expect(ms).toBeGreaterThanOrEqual(29);
  });

  it('no longer than it takes', async () => {
    expect((await waited(Promise.resolve(), false, 60_000)).failed).toEqual([]);
  });

  it('not at all where nothing can be damaged', async () => {
    await untilChecked(undefined, 60_000, () => {});
  });

  it.each([true, false])('and ends where it is damaged (short: %j)', async (isShort) => {
    await expect(waited(damaged(), isShort, 60_000)).rejects.toThrow('event 7');
  });

  it('and goes on where it cannot be checked, which is told', async () => {
    expect((await waited(Promise.reject(new Error('no disk')), true)).failed).toEqual(['no disk']);
  });
});
