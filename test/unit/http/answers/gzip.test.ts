import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  combineCrc32,
  GzipFile,
  gzipPiece,
  gzipPieceSync,
} from '../../../../src/http/answers/gzip.ts';

const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array));

describe('a gzip file put together from pieces', () => {
  test('unpacks to the concatenated pieces, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes), fc.infiniteStream(fc.nat()), async (contents, order) => {
        const pieces = await Promise.all(contents.map(gzipPiece));
        const row = pieces.map(() => (order.next().value as number) % pieces.length);
        const file = new GzipFile();
        for (const index of row) file.add(pieces[index] ?? never());
        const expected = Buffer.concat(row.map((index) => contents[index] ?? never()));
        expect(gunzipSync(Buffer.concat(file.end())).equals(expected)).toBe(true);
      }),
    );
  });

  test('a piece compressed at once is the piece compressed in the background', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        expect(await gzipPiece(content)).toEqual(gzipPieceSync(content));
      }),
    );
  });
});

describe('the CRC-32 of two sequences', () => {
  test('is combined from their own CRCs and the length of the second', () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const whole = crc32(Buffer.concat([first, second]));
        expect(combineCrc32(crc32(first), crc32(second), second.length)).toBe(whole);
      }),
    );
  });

  test('is right for a second sequence of more than 2^32 bytes', () => {
    // 2^33 zero bytes, as 2^13 times a megabyte: combining is associative, so doubling must agree.
    const megabyte = Buffer.alloc(2 ** 20);
    const one = crc32(megabyte);
    let crc = one;
    for (let length = 2 ** 20; length < 2 ** 33; length *= 2) crc = combineCrc32(crc, crc, length);
    const first = crc32('first');
    const direct = combineCrc32(first, crc, 2 ** 33);
    let stepwise = first;
    for (let n = 0; n < 2 ** 13; n++) {
      stepwise = combineCrc32(stepwise, one, 2 ** 20);
    }
    expect(direct).toBe(stepwise);
  });
});

function never(): never {
  throw new Error('an index outside its own array');
}
