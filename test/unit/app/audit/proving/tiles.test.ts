import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TileBuilder } from '../../../../../src/app/audit/proving/tile-builder.ts';
import { TileReader } from '../../../../../src/app/audit/proving/tile-reader.ts';
import { rootedTile } from '../../../../../src/app/log/merkle-proofs.ts';
import { leafHash } from '../../../../../src/app/log/merkle-tree.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import { bundleOf } from '../../../../../src/app/log/tiles.ts';
import { DamagedStore } from '../../../../../src/app/ports/store.ts';
import type { Trail } from '../../../../../src/app/ports/trail.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { placed, recorded } from '../../../../support/events.ts';
import { MemoryTree, manyRecords } from '../../../../support/memory-tree.ts';
import { runs } from '../../../../support/nightly.ts';

const HASH_BYTES = 32;

function given(count: number) {
  const trail = new MemoryTrail();
  const stored = recorded(...Array.from({ length: count }, (_, n) => placed(BigInt(n + 1)))).map(
    encode,
  );
  for (const event of stored) trail.append(event);
  return { trail, reader: new TileReader(trail), records: stored.map(recordOf) };
}

describe('the tiles of a log', () => {
  it('are its leaves and the roots above them, at every width that they ever had', async () => {
    const { trail, reader, records } = given(700);
    const leaves = records.map(leafHash);
    for (const [level, index, width, due] of [
      [0, 0, 256, leaves.slice(0, 256)],
      [0, 0, 1, leaves.slice(0, 1)],
      [0, 1, 255, leaves.slice(256, 511)],
      [0, 2, 188, leaves.slice(512)],
      [0, 2, 7, leaves.slice(512, 519)],
      [1, 0, 2, await trail.nodes(8, 0, 2)],
      [1, 0, 1, await trail.nodes(8, 0, 1)],
    ] as const) {
      expect(await reader.read({ level, index, width })).toEqual(Buffer.concat(due));
    }
    const bundle = await reader.read({ level: 'entries', index: 2, width: 188 });
    expect(bundle).toEqual(bundleOf(records.slice(512)));
  });

  it('are not there before they are filled that far', async () => {
    const { reader } = given(300);
    for (const [level, index, width] of [
      [0, 1, 45],
      [0, 2, 1],
      [1, 0, 2],
      [2, 0, 1],
      ['entries', 1, 256],
    ] as const) {
      expect(await reader.read({ level, index, width })).toBeUndefined();
    }
  });

  it.each([
    [0, 0, 3],
    [0, 1, 200],
    [0, 2, 0],
    [1, 0, 1],
  ])('are not served with a changed hash: level %d, tile %d, hash %d', async (level, index, at) => {
    const { trail } = given(700);
    const flipped = (hashes: readonly Uint8Array[], from: number) =>
      hashes.map((hash, offset) => {
        const copy = Buffer.from(hash);
        if (from + offset === index * 256 + at) copy.writeUInt8(copy.readUInt8(31) ^ 1, 31);
        return copy;
      });
    const changed: Trail = {
      stored: (after, limit) => trail.stored(after, limit),
      traces: (positions) => trail.traces(positions),
      treeHead: () => trail.treeHead(),
      leaves: async (from, count) => {
        const hashes = await trail.leaves(from, count);
        return level === 0 ? flipped(hashes, from) : hashes;
      },
      nodes: async (height, from, count) => {
        const hashes = await trail.nodes(height, from, count);
        return level === 1 ? flipped(hashes, from) : hashes;
      },
    };
    const reading = new TileReader(changed).read({ level, index, width: 1 });
    await expect(reading).rejects.toThrow(DamagedStore);
  });
});

describe('a tile with its root', () => {
  it('leads to the root of the tree, at any size and place', async () => {
    const tree = new MemoryTree(manyRecords(66_100));
    const grown = new MemoryTree();
    for (const size of [1, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 66_100]) {
      for (const record of tree.records.slice(grown.records.length, size)) grown.append(record);
      const root = grown.frontier.root();
      for (const [level, index] of [
        [0, 0],
        [0, Math.floor((size - 1) / 256)],
        [0, Math.floor(size / 600)],
        [1, 0],
        [1, Math.floor((size / 256 - 1) / 256)],
        [2, 0],
      ] as const) {
        const isThere = index * 256 < Math.floor(size / 256 ** level) && index >= 0;
        const rooted = rootedTile(level, index, size, tree);
        if (!isThere) await expect(rooted).rejects.toThrow(RangeError);
        else expect((await rooted).root).toEqual(root);
      }
    }
  });

  it('is not there at a level that no log reaches', async () => {
    await expect(rootedTile(7, 0, 2 ** 53 - 1, new MemoryTree())).rejects.toThrow(RangeError);
  });
});

describe('the builder of tiles', () => {
  it('builds what the reader reads, whatever is taken when', async () => {
    const { trail, reader, records } = given(1_100);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1_100 }),
        fc.integer({ min: 1, max: 600 }),
        async (size, step) => {
          const builder = new TileBuilder();
          const tiles = [];
          for (let at = 0; at < size; at += 1) {
            builder.add(leafHash(records[at] ?? expect.fail()));
            if (at % step === 0) tiles.push(...builder.take());
          }
          tiles.push(...builder.take(), ...builder.edge());
          expect(builder.size).toBe(size);
          for (const { place, bytes } of tiles) {
            expect(bytes).toHaveLength(place.width * HASH_BYTES);
            expect(await reader.read(place)).toEqual(bytes);
          }
          const leaves = tiles.filter(({ place }) => place.level === 0);
          expect(leaves.reduce((sum, { place }) => sum + place.width, 0)).toBe(size);
        },
      ),
      { numRuns: runs(20) },
    );
    expect((await trail.treeHead()).size).toBe(1_100);
  });

  it('has no empty tile at the edge', () => {
    const builder = new TileBuilder();
    expect(builder.edge()).toEqual([]);
    for (const record of manyRecords(512)) builder.add(leafHash(record));
    expect(builder.take()).toHaveLength(2);
    expect(builder.edge().map(({ place }) => place)).toEqual([{ level: 1, index: 0, width: 2 }]);
  });

  it('has the root of the tree, and tiles of every level', () => {
    const tree = new MemoryTree(manyRecords(65_800));
    const builder = new TileBuilder();
    for (const record of tree.records) builder.add(leafHash(record));
    expect(builder.root()).toEqual(tree.frontier.root());
    const places = [...builder.take(), ...builder.edge()].map(({ place }) => place);
    expect(places.filter(({ level }) => level !== 0)).toEqual([
      { level: 1, index: 0, width: 256 },
      { level: 1, index: 1, width: 1 },
      { level: 2, index: 0, width: 1 },
    ]);
  });
});
