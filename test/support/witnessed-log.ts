import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { witnessRequestText } from '../../src/app/audit/witness/witness-request.ts';
import { mth, proof } from './reference-tree.ts';

/** A log of given leaves, with the requests by which it submits its checkpoints to witnesses. */
export class WitnessedLog {
  readonly signer: NoteSigner;
  readonly leaves: readonly string[];

  constructor(leaves: readonly string[], signer = new NoteSigner('example.com/log', seed(1))) {
    this.leaves = leaves;
    this.signer = signer;
  }

  root(size: number): Buffer {
    return mth(this.leaves, 0, size);
  }

  note(size: number, epoch?: string): string {
    return this.signer.signCheckpoint(size, this.root(size), epoch);
  }

  /** Returns the proof that the log of one size begins with that of another; none from nothing. */
  proof(oldSize: number, size: number): readonly Buffer[] {
    return oldSize === 0 || oldSize >= size ? [] : proof(oldSize, this.leaves, size);
  }

  /** Returns the body of a request for a cosignature. */
  request(oldSize: number, size: number, note = this.note(size)): string {
    return witnessRequestText({ oldSize, proof: this.proof(oldSize, size), note });
  }
}

/** Returns the same private key for the same number. */
export function seed(number: number): Buffer {
  return Buffer.alloc(32, number);
}

/** Returns leaves that differ from those of another letter. */
export function leavesOf(count: number, letter = 'a'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index}`);
}
