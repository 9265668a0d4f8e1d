import {
  consistencyProof,
  inclusionProof,
  type TreeSource,
} from '../../src/app/log/merkle-proofs.ts';
import { Frontier, leafHash } from '../../src/app/log/merkle-tree.ts';
import type { StoredTree } from '../../src/app/ports/evidence.ts';

/**
 * A log's tree as an engine stores it: the records, and one node for every 256 of them. Like
 * engines it hashes leaves on demand; it also counts what proofs read.
 */
export class MemoryTree implements TreeSource {
  readonly records: string[] = [];
  readonly frontier = new Frontier();
  readonly kept = new Map<string, Buffer>();
  /** The number of hashes in each read. */
  reads: number[] = [];

  constructor(records: Iterable<string> = []) {
    for (const record of records) this.append(record);
  }

  append(record: string): void {
    this.records.push(record);
    this.frontier.append(leafHash(record), (height, index, hash) => {
      this.kept.set(`${height} ${index}`, hash);
    });
  }

  /** Returns the tree as a check of it reads it. */
  stored(): StoredTree {
    return {
      edge: this.frontier.pack(),
      nodes: this.kept.size,
      nodeAt: (height, place) => this.kept.get(`${height} ${place}`),
    };
  }

  leaves(from: number, count: number): Buffer[] {
    this.reads.push(count);
    return this.records.slice(from, from + count).map(leafHash);
  }

  async nodes(height: number, from: number, count: number): Promise<Buffer[]> {
    this.reads.push(count);
    return Array.from({ length: count }, (_, at) => {
      return this.kept.get(`${height} ${from + at}`) as Buffer;
    });
  }

  inclusion(index: number, size = this.records.length): Promise<Uint8Array[]> {
    return inclusionProof(index, size, this);
  }

  consistency(from: number, to = this.records.length): Promise<Uint8Array[]> {
    return consistencyProof(from, to, this);
  }
}

/** Returns the given number of distinct records. */
export function manyRecords(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `record ${index}`);
}
