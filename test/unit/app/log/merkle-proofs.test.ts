import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyConsistency, verifyInclusion } from '../../../../src/app/audit/proofs/verifier.ts';
import {
  consistencyProof,
  inclusionProof,
  type TreeSource,
  treeRoot,
} from '../../../../src/app/log/merkle-proofs.ts';
import { leafHash, nodeHash } from '../../../../src/app/log/merkle-tree.ts';
import {
  CONSISTENCY,
  EMPTY_ROOT,
  fromHex,
  INCLUSION,
  LEAVES,
} from '../../../support/ct-vectors.ts';
import { MemoryTree, manyRecords } from '../../../support/memory-tree.ts';
import { isNightly, runs } from '../../../support/nightly.ts';
import { mth, path, proof } from '../../../support/reference-tree.ts';

const VALID = { ok: true, value: undefined };

/** A log of more events than a tile of each of the lowest two levels covers. */
const LARGE = new MemoryTree(manyRecords(70_000));

/** Returns hashes as a text. To compare two texts takes a fraction of the time that buffers take. */
function hex(hashes: readonly Uint8Array[]): string {
  return hashes.map((hash) => Buffer.from(hash).toString('hex')).join(' ');
}

describe('proofs', () => {
  it.each(INCLUSION)(
    'of inclusion are those of the test tree: leaf %i of %i',
    async (...vector) => {
      const [index, size, due] = vector;
      expect(await new MemoryTree(LEAVES).inclusion(index, size)).toStrictEqual(fromHex(due));
    },
  );

  it.each(CONSISTENCY)('of consistency are those of the test tree: %i to %i', async (...vector) => {
    const [from, to, due] = vector;
    expect(await new MemoryTree(LEAVES).consistency(from, to)).toStrictEqual(fromHex(due));
  });

  it('are those that the RFC defines, for every leaf and every two sizes up to 70', async () => {
    const records = manyRecords(70);
    const tree = new MemoryTree(records);
    for (let size = 1; size <= records.length; size += 1) {
      for (let index = 0; index < size; index += 1) {
        expect(hex(await tree.inclusion(index, size))).toBe(hex(path(index, records, size)));
        const from = index + 1;
        expect(hex(await tree.consistency(from, size))).toBe(hex(proof(from, records, size)));
      }
    }
  });

  it('are those that the RFC defines, for every size up to that of several tiles', async () => {
    // By day a little more than one tile: the time grows with the square.
    const records = manyRecords(isNightly ? 600 : 270);
    const tree = new MemoryTree(records);
    for (let size = 1; size <= records.length; size += 1) {
      expect(await treeRoot(size, tree)).toStrictEqual(mth(records, 0, size));
      for (const index of [0, 7919 % size, size - 1]) {
        expect(hex(await tree.inclusion(index, size))).toBe(hex(path(index, records, size)));
        const from = (104_729 % (index + 1)) + 1;
        expect(hex(await tree.consistency(from, size))).toBe(hex(proof(from, records, size)));
      }
    }
  });

  it('are those that the RFC defines, for any leaf and any size of a larger log', async () => {
    const { records } = LARGE;
    const sizes = fc.oneof(
      fc.integer({ min: 1, max: records.length }),
      fc.constantFrom(255, 256, 257, 65_535, 65_536, 65_537, 65_792, 65_793),
    );
    const places = fc.tuple(sizes, fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(places, async ([size, some, other]) => {
        const [index, from] = [some % size, (other % size) + 1];
        expect(hex(await LARGE.inclusion(index, size))).toBe(hex(path(index, records, size)));
        expect(hex(await LARGE.consistency(from, size))).toBe(hex(proof(from, records, size)));
      }),
      { numRuns: runs(100) },
    );
  });

  it('convince the verifier, for any leaf and any two sizes', async () => {
    const { records } = LARGE;
    const place = fc.integer({ min: 1, max: records.length });
    await fc.assert(
      fc.asyncProperty(place, place, fc.nat(), async (a, b, some) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const newer = { size: to, root: await treeRoot(to, LARGE) };
        const older = { size: from, root: await treeRoot(from, LARGE) };
        const index = some % to;
        const path = await LARGE.inclusion(index, to);
        expect(verifyInclusion(records[index] as string, index, newer, path)).toEqual(VALID);
        expect(verifyConsistency(older, newer, await LARGE.consistency(from, to))).toEqual(VALID);
      }),
      { numRuns: runs(200) },
    );
  });

  it('read at most two tiles of each level, and no more than there was at that size', async () => {
    for (const [index, size] of [
      [0, 70_000],
      [65_535, 65_791],
      [69_999, 70_000],
    ] as const) {
      LARGE.reads = [];
      await LARGE.inclusion(index, size);
      expect(LARGE.reads.length).toBeLessThanOrEqual(6);
      expect(Math.max(...LARGE.reads)).toBeLessThanOrEqual(256);
      LARGE.reads = [];
      await LARGE.consistency(index + 1, size);
      expect(LARGE.reads.length).toBeLessThanOrEqual(6);
    }
    LARGE.reads = [];
    await LARGE.inclusion(0, 3);
    expect(LARGE.reads).toStrictEqual([3]);
  });

  it('need not be made of anything for the empty tree', async () => {
    const tree = new MemoryTree(LEAVES);
    expect(await tree.consistency(0, 8)).toStrictEqual([]);
    expect(await tree.consistency(0, 0)).toStrictEqual([]);
    expect(Buffer.from(await treeRoot(0, tree)).toString('hex')).toBe(EMPTY_ROOT);
  });

  it('are for trees of more leaves than 32 bits can count', async () => {
    // All leaves of this tree are alike, so that the hash of a node says only how high it is.
    const byHeight = [leafHash('same')];
    const source: TreeSource = {
      leaves: (_, count) => Array.from({ length: count }, () => byHeight[0] as Buffer),
      nodes: (height, _, count) => Array.from({ length: count }, () => byHeight[height] as Buffer),
    };
    for (let height = 1; height < 53; height += 1) {
      const below = byHeight[height - 1] as Buffer;
      byHeight.push(nodeHash(below, below));
    }
    for (const size of [2 ** 52, 2 ** 53 - 1, 2 ** 52 + 2 ** 33 + 5]) {
      const index = size - 3;
      const head = { size, root: await treeRoot(size, source) };
      const inclusion = await inclusionProof(index, size, source);
      expect(verifyInclusion('same', index, head, inclusion)).toEqual(VALID);
      const from = { size: 2 ** 40 + 1, root: await treeRoot(2 ** 40 + 1, source) };
      const consistency = await consistencyProof(from.size, size, source);
      expect(verifyConsistency(from, head, consistency)).toEqual(VALID);
    }
  });

  const none: TreeSource = { leaves: () => [], nodes: () => [] };

  it.each([
    [
      'the root of half a leaf',
      () => treeRoot(0.5, none),
      'the size must be a whole number from 0 to 9007199254740991, not 0.5',
    ],
    [
      'an index beyond the size',
      () => inclusionProof(3, 3, none),
      'the index must be a whole number from 0 to 2, not 3',
    ],
    [
      'an index below 0',
      () => inclusionProof(-1, 3, none),
      'the index must be a whole number from 0 to 2, not -1',
    ],
    [
      'an index in the empty tree',
      () => inclusionProof(0, 0, none),
      'the size must be a whole number from 1 to 9007199254740991, not 0',
    ],
    [
      'half an index',
      () => inclusionProof(0.5, 3, none),
      'the index must be a whole number from 0 to 2, not 0.5',
    ],
    [
      'a way back',
      () => consistencyProof(4, 3, none),
      'the older size must be a whole number from 0 to 3, not 4',
    ],
    [
      'a size that is too large',
      () => consistencyProof(4, 2 ** 53, none),
      'the newer size must be a whole number from 0 to 9007199254740991, not 9007199254740992',
    ],
  ])('are refused for %s', async (_, made, message) => {
    await expect(made()).rejects.toThrow(new RangeError(message));
  });

  it('are refused where the log has less than they are for', async () => {
    await expect(new MemoryTree(LEAVES).inclusion(0, 9)).rejects.toThrow(
      '9 hashes are due at height 0 from 0 on, and 8 are there',
    );
    const short: TreeSource = { leaves: () => [Buffer.alloc(20)], nodes: () => [] };
    await expect(treeRoot(1, short)).rejects.toThrow('a hash has 32 bytes, not 20');
    await expect(treeRoot(2 ** 16, short)).rejects.toThrow('1 hashes are due at height 16');
  });
});
