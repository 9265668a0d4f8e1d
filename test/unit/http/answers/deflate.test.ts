import { inflateRawSync, constants as zlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deflater, Inflater } from '../../../../src/http/answers/deflate.ts';

/** Texts and noise, some of which need several of a stream's buffers, packed and unpacked. */
const piece = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.integer({ min: 1, max: 1_000 }))
  .map(([array, times]) => Buffer.concat(Array<Uint8Array>(times).fill(array)));
const noise = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 200_000 })).map(([seed, length]) => {
  let state = seed;
  const array = Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  });
  return Buffer.from(array);
});
/** The end of a flush: the length of an empty stored block, and its complement (RFC 1951, 3.2.4). */
const FLUSH = Buffer.from([0x00, 0x00, 0xff, 0xff]);
const different = fc.array(fc.oneof({ weight: 4, arbitrary: piece }, noise), { maxLength: 4 });
/** Each piece comes twice: the second could refer to the first. */
const pieces = different.map((once) => [...once, ...once]);

async function unpacked(inflater: Inflater, deflated: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  await inflater.inflate(deflated, (part) => parts.push(part));
  return Buffer.concat(parts);
}

/** Unpacks a piece by a stream that knows nothing else. */
function alone(deflated: Buffer): Buffer {
  return inflateRawSync(deflated, { finishFlush: zlib.Z_SYNC_FLUSH });
}

describe('Pieces compressed by one stream', () => {
  test('depend on nothing before them, and take no more memory than their bytes', async () => {
    const deflater = new Deflater();
    await fc.assert(
      fc.asyncProperty(pieces, async (contents) => {
        for (const content of contents) {
          const deflated = await deflater.deflate(content);
          expect(alone(deflated).equals(content)).toBe(true);
          expect(deflated.subarray(-FLUSH.length)).toEqual(FLUSH);
          expect(deflated.buffer.byteLength).toBe(deflated.length);
        }
      }),
    );
  });

  test('are unpacked by one stream, in any order', async () => {
    const deflater = new Deflater();
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(fc.nat(), { maxLength: 10 }), async (contents, order) => {
        const packed: { content: Buffer; deflated: Buffer }[] = [];
        for (const content of contents)
          packed.push({ content, deflated: await deflater.deflate(content) });
        using inflater = new Inflater();
        for (const at of contents.length === 0 ? [] : order) {
          const { content, deflated } = packed[at % packed.length] as (typeof packed)[number];
          expect((await unpacked(inflater, deflated)).equals(content)).toBe(true);
        }
      }),
    );
  });
});

describe('What cannot be unpacked', () => {
  test('is an error, also for what follows', async () => {
    using inflater = new Inflater();
    // The third kind of block does not exist.
    const garbage = Buffer.from([0b111]);
    await expect(unpacked(inflater, garbage)).rejects.toThrow('invalid block type');
    await expect(unpacked(inflater, garbage)).rejects.toThrow();
  });

  test('is an error while the stream is closed', async () => {
    const inflater = new Inflater();
    const deflated = await new Deflater().deflate(Buffer.alloc(100_000));
    const first = await unpacked(inflater, deflated);
    expect(first).toHaveLength(100_000);
    inflater[Symbol.dispose]();
    await expect(unpacked(inflater, deflated)).rejects.toThrow('destroyed');
  });
});
