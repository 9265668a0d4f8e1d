import { PassThrough } from 'node:stream';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { nextPart } from '../../../../src/http/answers/sending.ts';
import { UNTAKEN } from '../../../../src/http/answers/untaken.ts';

const PARTS = 10;
const LONG_RESPONSES = 20;

const sending = { giveWay: async () => undefined, made: () => undefined };

/** A response whose client takes every part at once. Node reports that before the event loop turns. */
function takenAtOnce(): Response {
  const stream = new PassThrough({ highWaterMark: 1 });
  return stream.resume() as unknown as Response;
}

describe('the next part of a long response', () => {
  it('comes in a turn of its own, however many responses go on at once', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const turnsOfParts: number[] = [];
    const responses = Array.from({ length: LONG_RESPONSES }, async () => {
      const res = takenAtOnce();
      for (let part = 0; part < PARTS; part++) {
        res.write('a part');
        await nextPart(res, sending);
        turnsOfParts.push(turns);
      }
    });
    await Promise.all(responses);
    isOver = true;
    expect(turnsOfParts).toHaveLength(PARTS * LONG_RESPONSES);
    expect(new Set(turnsOfParts).size).toBe(PARTS * LONG_RESPONSES);
  });

  it('waits for a client that does not read, releases its permit, and ends with its connection', async () => {
    const made: string[] = [];
    const res = new PassThrough({ highWaterMark: 1 }) as unknown as Response;
    res.write('a part');
    const noting = { ...sending, made: () => void made.push('made') };
    const next = nextPart(res, noting).then(() => made.push('next'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(made).toStrictEqual(['made']);
    res.destroy();
    await next;
    expect(made).toStrictEqual(['made', 'next']);
  });

  it('counts what a waiting response has of its own, until its client reads', async () => {
    const res = new PassThrough({ highWaterMark: 1 }) as unknown as Response & PassThrough;
    res.write('a part');
    const next = nextPart(res, { ...sending, ownBytes: 1_000 });
    expect(UNTAKEN.bytes).toBe(1_000);
    res.resume();
    await next;
    expect(UNTAKEN.bytes).toBe(0);
  });
});
