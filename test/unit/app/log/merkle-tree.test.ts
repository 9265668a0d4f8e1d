import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frontier, leafHash, nodeHash } from '../../../../src/app/log/merkle-tree.ts';
import { anyText } from '../../../support/any-text.ts';
import { EMPTY_ROOT, LEAVES, ROOTS } from '../../../support/ct-vectors.ts';
import { MemoryTree, manyRecords } from '../../../support/memory-tree.ts';
import { mth } from '../../../support/reference-tree.ts';

function frontierOf(records: readonly string[]): Frontier {
  const frontier = new Frontier();
  for (const record of records) frontier.append(leafHash(record));
  return frontier;
}

describe("the tree's right edge", () => {
  it('has the roots of the Certificate Transparency test tree at every size', () => {
    const frontier = new Frontier();
    expect(frontier.root().toString('hex')).toBe(EMPTY_ROOT);
    const roots = LEAVES.map((leaf) => {
      frontier.append(leafHash(leaf));
      return frontier.root().toString('hex');
    });
    expect(roots).toStrictEqual(ROOTS);
    expect(frontier.size).toBe(8);
  });

  it('has the root that the RFC defines, for every size up to 600', () => {
    const records = manyRecords(600);
    const frontier = new Frontier();
    for (const [index, record] of records.entries()) {
      frontier.append(leafHash(record));
      const due = mth(records, 0, index + 1);
      expect(frontier.root().equals(due), `size ${index + 1}`).toBe(true);
    }
  });

  it('has it for any records, beyond ASCII as well', () => {
    const records = fc.array(anyText(), { maxLength: 20 });
    fc.assert(
      fc.property(records, (all) => {
        expect(frontierOf(all).root()).toStrictEqual(mth(all));
      }),
    );
  });

  it('reports every complete node at height 8, 16 …, once, and no other', () => {
    const records = manyRecords(2 ** 16 + 700);
    const { kept } = new MemoryTree(records);
    expect(kept.size).toBe(258 + 1);
    for (let index = 0; index < 258; index += 1) {
      const due = mth(records, index * 256, (index + 1) * 256);
      expect(kept.get(`8 ${index}`)).toStrictEqual(due);
    }
    expect(kept.get('16 0')).toStrictEqual(mth(records, 0, 2 ** 16));
  });

  it('continues from its bytes at any size', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(20), (before, after) => {
        const records = manyRecords(before + after);
        const packed = frontierOf(records.slice(0, before)).pack();
        const frontier = Frontier.unpack(packed);
        // What becomes of the bytes afterwards is no matter.
        packed.fill(0);
        for (const record of records.slice(before)) frontier.append(leafHash(record));
        expect(frontier.pack()).toStrictEqual(frontierOf(records).pack());
        expect(frontier.root()).toStrictEqual(mth(records));
      }),
    );
  });

  it('has room for more events than 32 bits can count', () => {
    const size = 2 ** 53 - 2;
    const roots = Array.from({ length: 52 }, (_, index) => leafHash(String(index)));
    const head = Buffer.alloc(8);
    head.writeBigUInt64BE(BigInt(size));
    const frontier = Frontier.unpack(Buffer.concat([head, ...roots]));
    frontier.append(leafHash('last'));
    expect(frontier.size).toBe(Number.MAX_SAFE_INTEGER);
    const due = roots.reduceRight((right, left) => nodeHash(left, right), leafHash('last'));
    expect(frontier.root()).toStrictEqual(due);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['half a size', Buffer.alloc(4)],
    ['a root too many', Buffer.concat([frontierOf(['a']).pack(), Buffer.alloc(32)])],
    ['a root too few', frontierOf(['a', 'b', 'c']).pack().subarray(0, 40)],
    ['half a root', frontierOf(['a']).pack().subarray(0, 24)],
    ['a size beyond all', Buffer.alloc(8 + 64 * 32, 0xff)],
  ])('is not made from bytes that are %s', (_, bytes) => {
    expect(() => Frontier.unpack(bytes)).toThrow(
      new RangeError(`${bytes.length} bytes are not the right edge of a tree`),
    );
  });

  it('refuses a leaf that is not a hash', () => {
    expect(() => new Frontier().append(Buffer.alloc(31))).toThrow('a hash has 32 bytes, not 31');
  });
});
