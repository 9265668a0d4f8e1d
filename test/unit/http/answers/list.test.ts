import express from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Deflater } from '../../../../src/http/answers/deflate.ts';
import { sendList } from '../../../../src/http/answers/list.ts';
import { ListChunk } from '../../../../src/http/answers/list-chunk.ts';
import { ListVersions } from '../../../../src/http/answers/list-versions.ts';
import { listening } from '../../../support/listening.ts';

const PAGE_BYTES = 131_072;

/** Serves a list of so many chunks, none of them JSON, and resolves with its address. */
async function serve(chunks: number, giveWay: () => Promise<void>): Promise<string> {
  const all = Array.from({ length: chunks }, (_, page) => {
    return new ListChunk(Buffer.alloc(PAGE_BYTES, 97 + page));
  });
  const versions = new ListVersions<ListChunk>(Infinity);
  const app = express().get('/', (req, res) => {
    return sendList(
      req,
      res,
      'store',
      { position: 1, state: '1', chunks: all },
      {
        giveWay,
        made: () => undefined,
        versions,
      },
    );
  });
  return (await listening(app)).address;
}

const ask = (address: string) => fetch(address, { headers: { 'Accept-Encoding': 'identity' } });

const bodyOf = (chunks: number) => {
  return `${Array.from({ length: chunks }, (_, page) => String.fromCharCode(97 + page).repeat(PAGE_BYTES)).join('')}]`;
};

describe('a list as it is sent', () => {
  it.each([
    [1, 0],
    [4, 0],
    [7, 0],
    // With the bracket at its end, this is a byte more than a megabyte.
    [8, 1],
    [12, 2],
    [20, 4],
  ])('of %i chunks gives way %i times', async (chunks, times) => {
    let given = 0;
    const address = await serve(chunks, async () => {
      given += 1;
    });
    const answer = await ask(address);
    expect(await answer.text()).toBe(bodyOf(chunks));
    expect(given).toBe(times);
  });

  it('waits when it gives way', async () => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const address = await serve(12, () => {
      asked.resolve();
      return held.promise;
    });
    const answer = await ask(address);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const read = async (bytes: number) => {
      let text = '';
      while (text.length < bytes) {
        const { value } = await reader.read();
        text += Buffer.from(value ?? []).toString('latin1');
      }
      return text;
    };
    await asked.promise;
    const first = await read(4 * PAGE_BYTES);
    const early = reader.read();
    const rest = Promise.race([early.then(() => 'more'), new Promise((r) => setTimeout(r, 50))]);
    expect(await rest).toBeUndefined();
    held.resolve();
    const { value } = await early;
    const next = Buffer.from(value ?? []).toString('latin1');
    const whole = bodyOf(12);
    expect(first + next + (await read(whole.length - first.length - next.length))).toBe(whole);
  });

  it('is compressed again after a failure, which is not kept', async () => {
    const address = await serve(2, async () => undefined);
    const fault = vi.spyOn(Deflater.prototype, 'deflate');
    onTestFinished(() => fault.mockRestore());
    fault.mockRejectedValueOnce(new Error('no memory is left'));
    const compressed = () => fetch(address, { headers: { 'Accept-Encoding': 'gzip' } });
    expect((await compressed()).status).toBe(500);
    const answer = await compressed();
    expect([answer.status, answer.headers.get('content-encoding')]).toStrictEqual([200, 'gzip']);
    expect(await answer.text()).toBe(bodyOf(2));
  });
});
