import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordTree } from '../../../../../src/app/audit/proofs/verifier.ts';
import { TreeBuild } from '../../../../../src/app/audit/trail/tree-build.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import type { StoredTree } from '../../../../../src/app/ports/evidence.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { placed, recorded } from '../../../../support/events.ts';
import { MemoryTree } from '../../../../support/memory-tree.ts';

const IDS = Array.from({ length: 300 }, (_, index) => BigInt(index + 1));
const EVENTS = recorded(...IDS.map((id) => placed(id))).map(encode);

function storedTree(size: number): StoredTree {
  return new MemoryTree(EVENTS.slice(0, size).map(recordOf)).stored();
}

function rootOf(size: number): Uint8Array {
  const tree = new RecordTree();
  for (const event of EVENTS.slice(0, size)) tree.add(recordOf(event));
  return tree.head().root;
}

describe('A tree that is built from its first event on', () => {
  it('fits the stored one, and has the root of each wanted size, in whatever chunks it comes', () => {
    const lengths = fc.array(fc.nat({ max: 300 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.nat({ max: 300 }), lengths, fc.uniqueArray(fc.nat({ max: 300 })), (...all) => {
        const [size, cuts, sizes] = all;
        const build = new TreeBuild(storedTree(size), sizes);
        const ends = [...cuts.filter((cut) => cut < size).sort((a, b) => a - b), size];
        for (const [at, end] of ends.entries()) build.add(EVENTS.slice(ends[at - 1] ?? 0, end));
        const { fits, root, roots } = build.end(size);
        expect({ fits, root }).toEqual({ fits: true, root: rootOf(size) });
        const wanted = sizes.filter((each) => each <= size).map((each) => [each, rootOf(each)]);
        expect(roots).toEqual(new Map(wanted as [number, Uint8Array][]));
      }),
      { numRuns: 20 },
    );
  });

  it('does not fit a log of another length', () => {
    const build = new TreeBuild(storedTree(3), []);
    build.add(EVENTS.slice(0, 3));
    expect(build.end(4).fits).toBe(false);
  });

  it('does not fit a stored tree that ends elsewhere', () => {
    const build = new TreeBuild(storedTree(4), []);
    build.add(EVENTS.slice(0, 3));
    expect(build.end(3).fits).toBe(false);
  });

  it('does not fit a stored tree with another node', () => {
    const { edge, nodes } = storedTree(300);
    const build = new TreeBuild({ edge, nodes, nodeAt: () => Buffer.alloc(32) }, []);
    build.add(EVENTS);
    expect(build.end(300).fits).toBe(false);
  });
});
