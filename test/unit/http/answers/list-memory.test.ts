import express from 'express';
import { describe, expect, it } from 'vitest';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { NOT_SHOWN, sendList } from '../../../../src/http/answers/list.ts';
import type { ListChunk } from '../../../../src/http/answers/list-chunk.ts';
import { ListMemory } from '../../../../src/http/answers/list-memory.ts';
import { ListVersions } from '../../../../src/http/answers/list-versions.ts';
import { cancelled, placed, recorded, shipped } from '../../../support/events.ts';
import { listening } from '../../../support/listening.ts';

const ORDERS = 6_000;
/** The text of about a thousand orders. */
const CHUNK_BYTES = 55_000;

const history = recorded(
  ...Array.from({ length: ORDERS }, (_, index) => placed(BigInt(index))),
  ...[0n, 1_500n, 5_999n].map((id) => shipped(id)),
  cancelled(7n),
  placed(-1n),
);
const sending = { giveWay: async () => undefined, made: () => undefined };

/** A list whose text in memory is bounded, served. */
async function served(maxTextBytes: number) {
  const memory = new ListMemory(maxTextBytes);
  const list = new OrderList(memory.encode, undefined, NOT_SHOWN);
  const versions = new ListVersions<ListChunk>(Infinity);
  const snapshot = async () => {
    const snapshot = await list.encodedInTurns(memory.turns());
    memory.bound(snapshot);
    return snapshot;
  };
  const app = express().get('/', async (req, res) => {
    await sendList(req, res, 'store', await snapshot(), { ...sending, versions });
  });
  const { address } = await listening(app);
  return { list, snapshot, address };
}

async function bodyOf(address: string, encoding: 'identity' | 'gzip'): Promise<string> {
  const answer = await fetch(address, { headers: { 'Accept-Encoding': encoding } });
  expect(answer.headers.get('Content-Encoding') ?? 'identity').toBe(encoding);
  return answer.text();
}

const textBytes = (chunks: readonly ListChunk[]) =>
  chunks.reduce((sum, { bytes }) => sum + bytes, 0);

describe('The memory of the list', () => {
  it.each([0, 1, CHUNK_BYTES * 2.5, Infinity])(
    'changes no byte of what is sent: a bound of %d bytes',
    async (maxTextBytes) => {
      const { list, address } = await served(maxTextBytes);
      const plain = new OrderList((orders) => orders, undefined, NOT_SHOWN);
      for (const [index, event] of history.entries()) {
        list.fold(event);
        plain.fold(event);
        if (index < ORDERS - 1 && index !== 10) continue;
        const text = await bodyOf(address, 'identity');
        expect(await bodyOf(address, 'gzip')).toBe(text);
        const orders: { id: number; complete: boolean }[] = JSON.parse(text);
        const expected = plain.encoded().chunks.flat();
        expect(orders.map(({ id, complete }) => [id, complete])).toStrictEqual(
          expected.map(({ id, status }) => [Number(id), status === 'shipped']),
        );
      }
    },
  );

  it('is not in the way of a client that disconnects while it is sent', async () => {
    const { list, address } = await served(0);
    for (const event of history) list.fold(event);
    for (let round = 0; round < 20; round++) {
      const ending = new AbortController();
      const answer = await fetch(address, {
        headers: { 'Accept-Encoding': 'identity' },
        signal: ending.signal,
      });
      ending.abort();
      await expect(answer.text()).rejects.toThrow('abort');
    }
    expect(JSON.parse(await bodyOf(address, 'identity'))).toHaveLength(ORDERS + 1);
  });

  it('is bounded while a long list is encoded, and afterwards', async () => {
    const maxTextBytes = CHUNK_BYTES * 2.5;
    const memory = new ListMemory(maxTextBytes);
    const made: ListChunk[] = [];
    const list = new OrderList((orders, first) => {
      const chunk = memory.encode(orders, first);
      made.push(chunk);
      return chunk;
    });
    for (const event of history) list.fold(event);
    const turn = memory.turns();
    let [most, turns] = [0, 0];
    const { chunks } = await list.encodedInTurns(async () => {
      turns += 1;
      await turn();
      most = Math.max(most, textBytes(made));
    });
    expect(turns).toBeGreaterThan(1);
    // What is compressed takes a fifteenth of its text.
    expect(most).toBeLessThan(maxTextBytes * 1.2);
    expect(textBytes(chunks)).toBeGreaterThan(maxTextBytes * 0.6);
  });

  it('has the text of the first chunks only', async () => {
    const maxTextBytes = CHUNK_BYTES * 1.5;
    const { list, snapshot } = await served(maxTextBytes);
    for (const event of history) list.fold(event);
    const isText = (chunk: ListChunk) => chunk.text !== undefined;
    const { chunks } = await snapshot();
    const bytesTo = (at: number) =>
      chunks.slice(0, at + 1).reduce((sum, { length }) => sum + length, 0);
    const first = chunks.map((_, at) => bytesTo(at) <= maxTextBytes);
    expect(new Set(first).size).toBe(2);
    await expect.poll(() => chunks.map(isText)).toStrictEqual(first);
    const events = history.map(({ event }) => event);
    for (const event of recorded(...events, shipped(5_000n)).slice(-1)) list.fold(event);
    const next = (await snapshot()).chunks;
    await expect.poll(() => next.map(isText)).toStrictEqual(first);
    expect(next.filter((chunk) => !chunks.includes(chunk))).toHaveLength(1);
  });
});
