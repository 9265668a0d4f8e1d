import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadRepeatedly } from '../../../src/console/state/repeated.ts';

const EVERY_MS = 5;

/** Loads repeatedly, with answers that take far longer than the interval. */
function slowly(answer: (number: number) => Promise<number>, waitMs = 0) {
  const signals: AbortSignal[] = [];
  const said: unknown[] = [];
  let waiting = () => {};
  const end = loadRepeatedly<number>({
    load: async (signal) => {
      const number = signals.push(signal);
      await setTimeout(10 * EVERY_MS);
      return answer(number);
    },
    everyMs: EVERY_MS,
    onValue: (value) => {
      said.push(value);
      waiting();
    },
    onError: (error) => {
      said.push((error as Error).message);
      waiting();
      return waitMs;
    },
  });
  const until = async (count: number) => {
    while (said.length < count) await new Promise<void>((done) => (waiting = done));
  };
  return { signals, said, end, until };
}

describe('A repeated load', () => {
  it('shows every answer of a service that takes longer than the interval', async () => {
    const { signals, said, end, until } = slowly(async (number) => number);
    await until(3);
    expect(said).toEqual([1, 2, 3]);
    expect(signals.some(({ aborted }) => aborted)).toBe(false);
    end();
  });

  it('goes on after an error', async () => {
    const { said, end, until } = slowly(async (number) => {
      if (number === 1) throw new Error('busy');
      return number;
    });
    await until(2);
    expect(said).toEqual(['busy', 2]);
    end();
  });

  it('waits after an error for as long as the service asks for, unless it is ended', async () => {
    const { signals, said, end, until } = slowly(async () => {
      throw new Error('busy');
    }, 60_000);
    await until(1);
    await setTimeout(4 * EVERY_MS);
    expect([said, signals.length]).toEqual([['busy'], 1]);
    end();
    await setTimeout(2 * EVERY_MS);
    expect(signals).toHaveLength(1);
  });

  it('says nothing any more once it has ended', async () => {
    const { signals, said, end, until } = slowly(async (number) => number);
    await until(1);
    await setTimeout(2 * EVERY_MS);
    end();
    await setTimeout(15 * EVERY_MS);
    expect(said).toEqual([1]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(signals.length).toBeLessThanOrEqual(2);
  });

  it('is not repeated without an interval', async () => {
    let loads = 0;
    await new Promise<void>((done) => {
      loadRepeatedly({
        load: async () => {
          loads += 1;
        },
        onValue: done,
        onError: () => 0,
      });
    });
    await setTimeout(3 * EVERY_MS);
    expect(loads).toBe(1);
  });
});
