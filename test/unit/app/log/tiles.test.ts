import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bundleOf,
  hashesIn,
  pathOf,
  placeAt,
  recordsIn,
  type TilePlace,
  widthAt,
} from '../../../../src/app/log/tiles.ts';

const places: fc.Arbitrary<TilePlace> = fc.record({
  level: fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const)),
  index: fc.integer({ min: 0, max: 999_999_999_999 }),
  width: fc.integer({ min: 1, max: 256 }),
});

describe('the path of a tile', () => {
  it.each<[TilePlace, string]>([
    [{ level: 0, index: 0, width: 256 }, '0/000'],
    [{ level: 4, index: 1_234_067, width: 1 }, '4/x001/x234/067.p/1'],
    [{ level: 63, index: 1_000, width: 256 }, '63/x001/000'],
    [{ level: 'entries', index: 999, width: 255 }, 'entries/999.p/255'],
  ])('of %o is %s', (place, path) => {
    expect(pathOf(place)).toBe(path);
    expect(placeAt(path)).toStrictEqual(place);
  });

  it('names one place, and there is one for each', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(placeAt(pathOf(place))).toEqual(place);
      }),
    );
  });

  it.each([
    '0/0',
    '0/00',
    '0/0000',
    '00/000',
    '64/000',
    '-1/000',
    '0/x000/001',
    '0/x001',
    '0/001/x002',
    '0/x001/x002',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    '0/000.p/999',
    '0/000.p/',
    '0/000/',
    '0/000.p/1/',
    '0/x001/x002/x003/x004/x005/006',
    'data/000',
    'entries/000.p/256',
    ' 0/000',
    '0/000\n',
    '',
  ])('is not %j', (path) => {
    expect(placeAt(path)).toBeUndefined();
  });
});

describe('the width of a tile', () => {
  it.each([
    [0, 0, 0, 0],
    [0, 0, 1, 1],
    [0, 0, 255, 255],
    [0, 0, 257, 256],
    [0, 1, 257, 1],
    [0, 2, 257, 0],
    [1, 0, 255, 0],
    [1, 0, 65_535, 255],
    [1, 0, 65_536, 256],
    [2, 0, 65_536, 1],
    [63, 0, Number.MAX_SAFE_INTEGER, 0],
  ])('of level %d, number %d, at size %d is %d', (level, index, size, width) => {
    expect(widthAt({ level, index }, size)).toBe(width);
    if (level === 0) expect(widthAt({ level: 'entries', index }, size)).toBe(width);
  });
});

describe('an entry bundle', () => {
  it('has each record behind its length in bytes', () => {
    const long = 'x'.repeat(65_535);
    expect(bundleOf(['', 'ä', long])).toStrictEqual(
      Buffer.concat([Buffer.from([0, 0, 0, 2, 0xc3, 0xa4, 255, 255]), Buffer.from(long)]),
    );
    expect(() => bundleOf([`${long}x`])).toThrow(RangeError);
    expect(bundleOf([])).toHaveLength(0);
  });

  it('is read as it was written, and not if it is cut anywhere inside', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (records) => {
        const bundle = bundleOf(records);
        expect(recordsIn(bundle)).toEqual(records);
        const ends = new Set(records.map((_, at) => bundleOf(records.slice(0, at)).length));
        for (let end = 0; end < bundle.length; end += 1) {
          const read = recordsIn(bundle.subarray(0, end));
          if (ends.has(end)) expect(bundleOf(read ?? [])).toEqual(bundle.subarray(0, end));
          else expect(read).toBeUndefined();
        }
      }),
    );
    expect(recordsIn(Buffer.from([0, 1, 0xff]))).toBeUndefined();
  });
});

describe('the hashes of a tile', () => {
  it('are its bytes in parts of 32, without a rest', () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(hashesIn(Buffer.concat([one, other]))).toEqual([one, other]);
    expect(hashesIn(Buffer.alloc(0))).toEqual([]);
    for (const length of [1, 31, 33, 63]) expect(hashesIn(Buffer.alloc(length))).toBeUndefined();
  });
});
