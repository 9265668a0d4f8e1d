import { describe, expect, it } from 'vitest';
import { untilChecked } from '../../../../src/app/lifecycle/checked-start.ts';
import { DamagedStore } from '../../../../src/app/ports/store.ts';

const never = new Promise<void>(() => {});
const damaged = () => Promise.reject(new DamagedStore('event 7'));

/** What became of a wait, and what was told to have failed. */
async function waited(once: Promise<void>, isShort: boolean) {
  const failed: string[] = [];
  await untilChecked({ once, isShort }, ({ message }) => failed.push(message));
  return { failed };
}

describe('A start waits for the check of its store', () => {
  it('to the end if it is short', async () => {
    let isDone = false;
    const done = new Promise<void>((resolve) => setTimeout(resolve, 50)).then(() => {
      isDone = true;
    });
    await waited(done, true);
    expect(isDone).toBe(true);
  });

  it('not at all if it is long', async () => {
    expect((await waited(never, false)).failed).toEqual([]);
  });

  it('not at all for a store without a check', async () => {
    await untilChecked(undefined, () => {});
  });

  it.each([true, false])('and ends where it is damaged (short: %j)', async (isShort) => {
    await expect(waited(damaged(), isShort)).rejects.toThrow('event 7');
  });

  it('and continues if the check fails, which is reported', async () => {
    expect((await waited(Promise.reject(new Error('no disk')), true)).failed).toEqual(['no disk']);
  });
});
