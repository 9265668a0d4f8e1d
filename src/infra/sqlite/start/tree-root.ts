import { Frontier, nodeHash, TILE_HEIGHT } from '../../../app/log/merkle-tree.ts';
import type { MerkleTables } from '../merkle-tables.ts';

/**
 * The root of a log's tree as it was at a size, which it must have had. The same as `treeRoot` for those
 * who cannot wait, as in front of a start: it reads 128 hashes for each 1 in the binary digits of the
 * size at most.
 */
export function treeRootAt(size: number, tree: MerkleTables): Buffer {
  const packedSize = Buffer.alloc(8);
  packedSize.writeBigUInt64BE(BigInt(size));
  const edge: Buffer[] = [packedSize];
  let start = 0;
  for (let height = 52; height >= 0; height--) {
    const width = 2 ** height;
    if (size - start < width) continue;
    edge.push(subtreeRoot(height, start / width, tree));
    start += width;
  }
  return Frontier.unpack(Buffer.concat(edge)).root();
}

function subtreeRoot(height: number, place: number, tree: MerkleTables): Buffer {
  const above = height % TILE_HEIGHT;
  const count = 2 ** above;
  let row =
    height === above
      ? tree.leaves(place * count, count)
      : tree.nodes(height - above, place * count, count);
  if (row.length !== count) throw new Error(`the tree lacks nodes at height ${height - above}`);
  while (row.length > 1) {
    const below = row;
    row = Array.from({ length: below.length / 2 }, (_, pair) =>
      nodeHash(below[2 * pair] as Buffer, below[2 * pair + 1] as Buffer),
    );
  }
  return row[0] as Buffer;
}
