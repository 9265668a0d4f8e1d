import { Frontier, leafHash, type TreeHead } from '../../app/log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../app/log/recorded-event.ts';
import type { Trail } from '../../app/ports/trail.ts';

/** The trail in memory: the texts of the events, and the nodes of their tree that proofs need. */
export class MemoryTrail implements Trail {
  readonly #stored: StoredFields[] = [];
  readonly #traces = new Map<number, string>();
  readonly #frontier = new Frontier();
  readonly #nodes = new Map<string, Buffer>();

  append(event: StoredFields, traceparent?: string): void {
    this.#stored.push(event);
    if (traceparent !== undefined) this.#traces.set(event.position, traceparent);
    this.#frontier.append(leafHash(recordOf(event)), (height, place, hash) => {
      this.#nodes.set(`${height} ${place}`, hash);
    });
  }

  async stored(after: number, limit: number): Promise<readonly StoredFields[]> {
    return this.#stored.slice(after, after + limit);
  }

  async traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return new Map([...this.#traces].filter(([position]) => positions.includes(position)));
  }

  async treeHead(): Promise<TreeHead> {
    return this.#frontier.head();
  }

  leaves(from: number, count: number): Buffer[] {
    return this.#stored.slice(from, from + count).map((event) => leafHash(recordOf(event)));
  }

  nodes(height: number, from: number, count: number): Buffer[] {
    return Array.from({ length: count }, (_, at) =>
      this.#nodes.get(`${height} ${from + at}`),
    ).filter((hash) => hash !== undefined);
  }
}
