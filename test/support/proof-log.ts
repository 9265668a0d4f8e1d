import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { recordOf } from '../../src/app/log/recorded-event.ts';
import { MemoryTree } from './memory-tree.ts';

/** Returns a record like those of the log. */
export function recordAt(position: number): string {
  return recordOf({
    position,
    version: 1 + (position % 3),
    type: 'OrderCancelled',
    schemaVersion: 1,
    data: `{"orderId":"${position}"}`,
    metadata: `{"at":"2026-01-03T12:00:00.000Z","by":"k0Aa1Bb2Cc","commandId":"Ü \\"${position}\\" 🐶"}`,
  });
}

/** A log of a few events with a constant signing key. */
export class ProofLog {
  readonly signer = new NoteSigner('orders.example/log', Buffer.alloc(32, 7));
  readonly vkey = this.signer.verifierKey;
  readonly tree: MemoryTree;

  constructor(size: number) {
    this.tree = new MemoryTree(Array.from({ length: size }, (_, index) => recordAt(index + 1)));
  }

  get size(): number {
    return this.tree.records.length;
  }

  get head(): { size: number; root: Buffer } {
    return { size: this.size, root: this.tree.frontier.root() };
  }

  checkpoint(signer = this.signer): string {
    return signer.signCheckpoint(this.size, this.head.root);
  }

  async receipt(position: number): Promise<string> {
    const proof = await this.tree.inclusion(position - 1);
    return receiptOf(this.tree.records[position - 1] as string, proof, this.checkpoint());
  }
}
