import { describe, expect, it } from 'vitest';
import { type FoldInput, foldInputOf } from '../../../../src/app/log/recorded-event.ts';
import { foldSourceOf } from '../../../../src/app/read/fold-source-of-log.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';
import { newEvent, placed, readAll } from '../../../support/events.ts';

async function given(count: number) {
  const log = new MemoryEventLog();
  await log.append(0, () => Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(n)))));
  const inputs = (await readAll(log)).map(foldInputOf);
  const taken: FoldInput[] = [];
  /** Takes what comes next after a position, up to another. */
  const next = (after: number, end = Infinity) =>
    foldSourceOf(log).next(after, (its) => taken.push(its) + after < end);
  return { inputs, taken, next };
}

describe('the events of any log for folds', () => {
  it('are handed over chunk by chunk, and at the head there are none', async () => {
    const { inputs, taken, next } = await given(150);
    expect(await next(0)).toBe(100);
    expect(taken).toStrictEqual(inputs.slice(0, 100));
    expect(await next(100)).toBe(50);
    expect(taken).toStrictEqual(inputs);
    expect(await next(150)).toBe(0);
  });

  it('are no more than are taken, and those are counted', async () => {
    const { inputs, taken, next } = await given(10);
    expect(await next(3, 5)).toBe(2);
    expect(taken).toStrictEqual(inputs.slice(3, 5));
  });
});
