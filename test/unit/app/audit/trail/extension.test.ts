import { describe, expect, it } from 'vitest';
import { isConsistent, isExtension } from '../../../../../src/app/audit/trail/extension.ts';
import { DamagedStore } from '../../../../../src/app/ports/store.ts';
import { MemoryTree, manyRecords } from '../../../../support/memory-tree.ts';

/** A tree of so many records, of which one may be another than in other trees. */
function treeOf(size: number, changed?: number): MemoryTree {
  const records = manyRecords(size);
  return new MemoryTree(changed === undefined ? records : records.with(changed, 'another'));
}

const edgeOf = (tree: MemoryTree) => tree.frontier.pack();

const SIZES = [
  [0, 0],
  [0, 1],
  [0, 700],
  [1, 1],
  [1, 2],
  [255, 257],
  [256, 512],
  [300, 556],
  [300, 557],
  [511, 3_000],
] as const;

describe('A log that has grown', () => {
  it.each(SIZES)('extends what it was: %i events, and then %i', async (from, to) => {
    const tree = treeOf(to);
    expect(await isExtension(edgeOf(treeOf(from)), edgeOf(tree), tree)).toBe(true);
  });

  it.each(SIZES.filter(([from]) => from > 0))(
    'does not if one of the %i events before is another, of %i',
    async (from, to) => {
      for (const changed of [0, from >> 1, from - 1]) {
        const tree = treeOf(to, changed);
        expect(await isExtension(edgeOf(treeOf(from)), edgeOf(tree), tree)).toBe(false);
      }
    },
  );

  it.each([
    [2, 1],
    [300, 2],
    [700, 300],
  ])('does not if it is shorter: %i events, and then %i', async (from, to) => {
    const [before, tree] = [treeOf(from), treeOf(to)];
    expect(await isExtension(edgeOf(before), edgeOf(tree), tree)).toBe(false);
  });

  it('does not if its edge is not that of its events', async () => {
    const tree = treeOf(700);
    expect(await isExtension(edgeOf(treeOf(600)), edgeOf(treeOf(700, 650)), tree)).toBe(false);
    expect(await isExtension(edgeOf(treeOf(300)), edgeOf(treeOf(700, 650)), tree)).toBe(false);
  });

  it('does not if its last events are missing, and is damaged if hashes of a proof are', async () => {
    const tree = treeOf(10_000);
    tree.records.length = 9_999;
    expect(await isExtension(edgeOf(treeOf(9_990)), edgeOf(treeOf(10_000)), tree)).toBe(false);
    const proved = isExtension(edgeOf(treeOf(5_000)), edgeOf(treeOf(10_000)), tree);
    await expect(proved).rejects.toThrow(DamagedStore);
  });

  it('is followed with as few hashes, however long it is', async () => {
    const tree = treeOf(100_000);
    expect(await isExtension(edgeOf(treeOf(99_990)), edgeOf(tree), tree)).toBe(true);
    expect(tree.reads).toStrictEqual([10]);
    tree.reads = [];
    expect(await isExtension(edgeOf(treeOf(1_000)), edgeOf(tree), tree)).toBe(true);
    expect(tree.reads.length).toBeLessThan(8);
  });
});

describe('A head', () => {
  it('is not consistent with a smaller one that comes after it', async () => {
    const [tree, other] = [treeOf(7), treeOf(3)];
    const [newer, older] = [tree, other].map(({ frontier }) => {
      return { size: frontier.size, root: frontier.root() };
    }) as [{ size: number; root: Buffer }, { size: number; root: Buffer }];
    expect(await isConsistent(newer, older, tree)).toBe(false);
    expect(await isConsistent(older, newer, tree)).toBe(true);
  });
});
