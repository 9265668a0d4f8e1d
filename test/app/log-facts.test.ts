import { describe, expect, it } from 'vitest';
import { type EventFacts, factsOf } from '../../src/app/event-facts.ts';
import { factsOfLog } from '../../src/app/log-facts.ts';
import { MemoryEventLog } from '../../src/infra/memory/memory-event-log.ts';
import { newEvent, placed, readAll } from '../support/events.ts';

async function given(count: number) {
  const log = new MemoryEventLog();
  await log.append(0, () => Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(n)))));
  const facts = (await readAll(log)).map(factsOf);
  const taken: EventFacts[] = [];
  /** Takes what comes next after a position, up to another. */
  const next = (after: number, end = Infinity) =>
    factsOfLog(log).next(after, (its) => taken.push(its) + after < end);
  return { facts, taken, next };
}

describe('the events of any log for folds', () => {
  it('are handed over chunk by chunk, and at the head there are none', async () => {
    const { facts, taken, next } = await given(150);
    expect(await next(0)).toBe(100);
    expect(taken).toStrictEqual(facts.slice(0, 100));
    expect(await next(100)).toBe(50);
    expect(taken).toStrictEqual(facts);
    expect(await next(150)).toBe(0);
  });

  it('are no more than are taken, and those are counted', async () => {
    const { facts, taken, next } = await given(10);
    expect(await next(3, 5)).toBe(2);
    expect(taken).toStrictEqual(facts.slice(3, 5));
  });
});
