/**
 * The Merkle tree of a log (RFC 6962, section 2.1) as C2SP tlog-tiles cuts it: rows of 256 hashes.
 * A full row has one hash in the row above. Of each level only the last row is in memory. The root
 * follows from these rows alone: each is a tree over its hashes, followed by the tree of all that
 * is to the right of them, which the rows below are of.
 */
import { sha256 } from '../../app/audit/proofs/crypto.ts';
import { FULL_WIDTH } from './tile-names.ts';

/** A row of hashes at its place: a tile. */
export interface TileRow {
  readonly level: number;
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
}

interface Level {
  /** The number of its full rows. */
  full: number;
  hashes: Uint8Array[];
}

/** The bytes that the hash of two others is of: 0x01, and both. */
const pair = new Uint8Array(65).fill(1);

function above(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 1);
  pair.set(right, 33);
  return sha256(pair);
}

/** The bytes that the hash of a leaf is of: 0x00, and the entry, which has 65,535 bytes at most. */
const leaf = new Uint8Array(65_536);

/** Returns the hash of the leaf that an entry is. */
export function leafOf(entry: Uint8Array): Uint8Array {
  leaf.set(entry, 1);
  return sha256(leaf.subarray(0, entry.length + 1));
}

/** Returns MTH over hashes: its left part is the largest power of two below their number. */
function treeOver(hashes: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = hashes;
  if (only === undefined) return sha256('');
  if (others.length === 0) return only;
  const left = 2 ** (31 - Math.clz32(hashes.length - 1));
  return above(treeOver(hashes.slice(0, left)), treeOver(hashes.slice(left)));
}

export class TileTree {
  readonly #levels: Level[] = [];
  #size = 0;

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** Adds the hash of the next leaf. Returns the rows that it fills, the lowest first. */
  add(first: Uint8Array): readonly TileRow[] {
    this.#size += 1;
    const filled: TileRow[] = [];
    let hash = first;
    for (let level = 0; ; level += 1) {
      const at = this.#levels[level] ?? { full: 0, hashes: [] };
      this.#levels[level] = at;
      at.hashes.push(hash);
      if (at.hashes.length < FULL_WIDTH) return filled;
      filled.push({ level, index: at.full, hashes: at.hashes });
      hash = treeOver(at.hashes);
      at.full += 1;
      at.hashes = [];
    }
  }

  /** Returns the rows at the right edge that have hashes and are not full, the lowest first. */
  partial(): readonly TileRow[] {
    return this.#levels.flatMap(({ full, hashes }, level) =>
      hashes.length === 0 ? [] : [{ level, index: full, hashes }],
    );
  }

  root(): Uint8Array {
    let right: readonly Uint8Array[] = [];
    for (const { hashes } of this.#levels) {
      const row = [...hashes, ...right];
      if (row.length > 0) right = [treeOver(row)];
    }
    return treeOver(right);
  }
}
