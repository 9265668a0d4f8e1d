import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Budget, Intake } from '../../../../src/http/requests/intake.ts';

const CHUNKED = { 'transfer-encoding': 'chunked' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A request whose body arrives as the test likes, within a budget. */
function arriving(headers: object = CHUNKED, budget = new Budget(1_000_000), freeBytes = 4_096) {
  const req = Object.assign(new Readable({ read: () => {} }), { headers });
  const intake = new Intake(req as unknown as IncomingMessage, budget, freeBytes);
  /** Lets so many chunks of a length arrive. */
  const send = async (chunks: number, bytes: number) => {
    for (let n = 0; n < chunks; n++) req.push(Buffer.alloc(bytes, 'a'));
    await turn();
  };
  return { req, intake, budget, send };
}

describe('A body', () => {
  it.each([
    ['in one chunk', 1, 131_072],
    ['in lines of 64 bytes', 2_048, 64],
    ['in the tokens of a batch, of 3 bytes on average', 10_000, 3],
    ['in single bytes, if it is short', 5_461, 1],
  ])('is read %s', async (_how, chunks, bytes) => {
    const { req, intake, budget, send } = arriving();
    intake.begin();
    await send(Math.floor(chunks / 2), bytes);
    const read = intake.read(131_072);
    await send(Math.ceil(chunks / 2), bytes);
    req.push(null);
    expect(await read).toStrictEqual(Buffer.alloc(chunks * bytes, 'a'));
    expect(budget.usedBytes).toBe(0);
  });

  it('takes memory by its bytes, and not by its chunks', async () => {
    const { intake, budget, send } = arriving();
    const read = intake.read(131_072);
    await send(5_000, 1);
    expect(intake.keptBytes).toBeLessThanOrEqual(10_000);
    expect(budget.usedBytes).toBe(intake.keptBytes - 4_096);
    intake.refuse(new Error('enough') as never);
    await expect(read).rejects.toThrow('enough');
    expect(budget.usedBytes).toBe(0);
  });

  it.each(['before it is read', 'while it is read'])(
    'of absurdly many is a 413, %s',
    async (at) => {
      const { req, intake, send } = arriving();
      if (at === 'before it is read') {
        intake.begin();
        await send(5_462, 1);
        expect(intake.keptBytes).toBe(0);
        // Its client waits until somebody reads it.
        expect(req.isPaused()).toBe(true);
      }
      const read = intake.read(131_072);
      const refused = expect(read).rejects.toMatchObject({
        code: 'payload_too_large',
        status: 413,
      });
      if (at !== 'before it is read') await send(5_462, 1);
      await refused;
      expect(intake.keptBytes).toBe(0);
    },
  );

  it('may come in any parts if its length is declared: the network has cut it', async () => {
    const { req, intake, send } = arriving({ 'content-length': '16384' });
    const read = intake.read(16_384);
    await send(16_384, 1);
    req.push(null);
    expect(await read).toHaveLength(16_384);
  });

  it('that is discarded keeps nothing, and is not read for ever', async () => {
    const { req, intake, budget, send } = arriving();
    await send(1, 10_000);
    let tooLong = 0;
    intake.discard(16_384, () => tooLong++);
    expect(budget.usedBytes).toBe(0);
    await send(6, 1_000);
    expect(tooLong).toBe(0);
    await send(1, 385);
    expect(tooLong).toBe(1);
    await send(3, 85_000);
    expect(req.destroyed).toBe(false);
    await send(1, 10_000);
    expect(req.destroyed).toBe(true);
    expect(tooLong).toBe(1);
    expect(intake.keptBytes).toBe(0);
  });

  it('that ends before its end is a 400', async () => {
    const { req, intake, budget, send } = arriving();
    const read = intake.read(16_384);
    await send(2, 5_000);
    expect(budget.usedBytes).toBeGreaterThan(0);
    const refused = expect(read).rejects.toMatchObject({ code: 'invalid_request' });
    req.destroy();
    await refused;
    expect(budget.usedBytes).toBe(0);
  });
});

describe('All bodies together', () => {
  it('stay within their budget: a long one more is a 503, and a short one is read', async () => {
    const budget = new Budget(1_000_000);
    const long = Array.from({ length: 20 }, () => arriving(CHUNKED, budget));
    const refused: unknown[] = [];
    for (const { intake, send } of long) {
      intake.read(131_072).catch((error) => refused.push(error));
      await send(10, 10_000);
      expect(budget.usedBytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(refused.length).toBeGreaterThan(5);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
    const short = arriving(CHUNKED, budget);
    const read = short.intake.read(16_384);
    await short.send(1, 4_000);
    short.req.push(null);
    expect(await read).toHaveLength(4_000);
    for (const { intake } of long) intake.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('of one connection stay within a part of it, and give it back when that closes', async () => {
    const all = new Budget(1_000_000);
    const one = new Budget(20_000, all);
    const waiting = Array.from({ length: 4 }, () => arriving(CHUNKED, one, 0));
    for (const { send } of waiting) await send(1, 6_000);
    expect([one.usedBytes, all.usedBytes]).toStrictEqual([18_000, 18_000]);
    one.close();
    for (const { intake } of waiting) intake.release();
    expect(all.usedBytes).toBe(0);
    expect(one.take(1)).toBe(false);
  });
});
