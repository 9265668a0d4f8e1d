import { describe, expect, it } from 'vitest';
import { RecordTree } from '../../../../../src/app/audit/proofs/verifier.ts';
import { StoredTreeCheck } from '../../../../../src/app/audit/trail/stored-tree-check.ts';
import type { StoredTree } from '../../../../../src/app/ports/evidence.ts';
import { MemoryTree, manyRecords } from '../../../../support/memory-tree.ts';

/** What is kept of the tree of so many records. */
function keptOf(size: number): StoredTree {
  return new MemoryTree(manyRecords(size)).stored();
}

/** What a check of these records finds on the way, and at the end. */
function found(kept: StoredTree, records: readonly string[]) {
  const check = new StoredTreeCheck(kept);
  for (const record of records) check.append(record);
  return { root: check.root(), onTheWay: check.findings(), atTheEnd: check.end(records.length) };
}

/** The subtree of the edge that an event is in: the digits of the size say how wide they are. */
function subtreeOf(position: number, size: number) {
  let to = 0;
  for (let width = 2 ** 20; width >= 1; width /= 2) {
    if (Math.floor(size / width) % 2 === 0) continue;
    to += width;
    if (position <= to) return { from: to - width + 1, to };
  }
  return expect.fail();
}

const OTHER_EDGE = 'the tree was computed over other events';
const SIZES = [1, 2, 3, 7, 255, 256, 257, 300, 700];

describe('What is kept of the tree', () => {
  it.each([0, ...SIZES])('fits the events that it is of: %s', (size) => {
    const records = manyRecords(size);
    const tree = new RecordTree();
    for (const record of records) tree.add(record);
    expect(found(keptOf(size), records)).toEqual({
      root: tree.head().root,
      onTheWay: [],
      atTheEnd: [],
    });
  });

  it.each(SIZES)('shows which of the events was changed, to within 256: of %s', (size) => {
    const kept = keptOf(size);
    for (let position = 1; position <= size; position += size < 20 ? 1 : 23) {
      const records = manyRecords(size).with(position - 1, 'another');
      const { onTheWay, atTheEnd } = found(kept, records);
      const isUnderNode = position <= size - (size % 256);
      const tile = Math.floor((position - 1) / 256);
      const node = {
        from: tile * 256 + 1,
        to: tile * 256 + 256,
        problem: `the tree's node at height 8, place ${tile}, was computed over other events`,
      };
      expect(onTheWay).toEqual(isUnderNode ? [node] : []);
      expect(atTheEnd).toEqual([{ ...subtreeOf(position, size), problem: OTHER_EDGE }]);
    }
  });

  it('reports the first difference, once', () => {
    const records = manyRecords(700).map((record) => `${record}!`);
    expect(found(keptOf(700), records).onTheWay).toMatchObject([{ from: 1, to: 256 }]);
  });

  it('may lack a node, or have more than there are', () => {
    const kept = keptOf(700);
    const nodeAt: StoredTree['nodeAt'] = (height, place) =>
      place === 1 ? undefined : kept.nodeAt(height, place);
    expect(found({ ...kept, nodeAt, nodes: 1 }, manyRecords(700))).toMatchObject({
      onTheWay: [
        { from: 257, to: 512, problem: "the tree's node at height 8, place 1, is missing" },
      ],
      atTheEnd: [],
    });
    expect(found({ ...kept, nodes: 5 }, manyRecords(700)).atTheEnd).toEqual([
      { problem: 'the tree has 3 nodes that belong to no event' },
    ]);
  });

  it('may go further than the log, or not as far', () => {
    expect(found(keptOf(305), manyRecords(300)).atTheEnd).toEqual([
      { from: 301, to: 305, problem: 'the log ends at position 300, and its tree has 305 events' },
    ]);
    for (const size of [0, 299]) {
      expect(found(keptOf(size), manyRecords(300)).atTheEnd).toEqual([
        { from: size + 1, to: 300, problem: 'the tree of the log lacks these events' },
      ]);
    }
  });

  it.each([0, 7, 9, 39, 41])('may be cut off: to %s bytes', (length) => {
    const { edge, ...rest } = keptOf(1);
    const cut = Buffer.concat([edge, edge]).subarray(0, length);
    expect(found({ ...rest, edge: cut }, manyRecords(1)).atTheEnd).toEqual([
      { problem: "the tree's right edge is damaged" },
    ]);
  });
});
