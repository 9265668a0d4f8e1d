/**
 * The checkpoints of a log that its witnesses have cosigned. The cosignatures of one checkpoint are
 * collected at a time, because a quorum has to have cosigned the same one.
 */

import { hasQuorum, type WitnessPolicy } from '../audit/proofs/witness-policy.ts';
import type { SignedCheckpoint } from '../audit/proving/prover.ts';
import { cosignatureIn } from './outcome.ts';

/** Collects cosignatures, and has the newest checkpoint that a quorum of witnesses has cosigned. */
export class CosignedCheckpoints {
  readonly #policy: WitnessPolicy;
  #current: SignedCheckpoint | undefined;
  /** The lines of the current checkpoint, by the names of the witnesses in the policy. */
  #lines = new Map<string, string>();
  #newest: SignedCheckpoint | undefined;

  constructor(policy: WitnessPolicy) {
    this.#policy = policy;
  }

  /** The newest checkpoint with a quorum, with all its cosignatures; `undefined` for none yet. */
  get newest(): SignedCheckpoint | undefined {
    return this.#newest;
  }

  /** True if the current checkpoint has a quorum. */
  get isComplete(): boolean {
    return this.#current !== undefined && this.#newest?.size === this.#current.size;
  }

  /** Begins to collect for a checkpoint, unless it is the current one already. */
  begin(checkpoint: SignedCheckpoint): void {
    if (this.#current?.note === checkpoint.note) return;
    this.#current = checkpoint;
    this.#lines = new Map();
    this.#publish(checkpoint);
  }

  /** Returns true if a witness has cosigned the current checkpoint. */
  has(witness: string): boolean {
    return this.#lines.has(witness);
  }

  /** Adds a line that is known to be valid, if the checkpoint is still the current one. */
  add(checkpoint: SignedCheckpoint, witness: string, line: string): void {
    if (this.#current?.note !== checkpoint.note) return;
    this.#lines.set(witness, line);
    this.#publish(checkpoint);
  }

  /**
   * Takes over a checkpoint with cosignatures that was stored, without those that are not valid by the
   * policy. Has no effect if the rest is no quorum: the policy may have changed.
   * @param checkpoint As it was before its cosignatures.
   */
  restore(checkpoint: SignedCheckpoint, stored: string): void {
    this.begin(checkpoint);
    for (const { name, key } of this.#policy.witnesses) {
      const found = cosignatureIn(stored, signedTextOf(checkpoint), key);
      if (found !== undefined) this.add(checkpoint, name, found.line);
    }
  }

  #publish(checkpoint: SignedCheckpoint): void {
    if (!hasQuorum(this.#policy, new Set(this.#lines.keys()))) return;
    // In the order of the policy, so that the same cosignatures are the same bytes.
    const lines = this.#policy.witnesses.map(({ name }) => this.#lines.get(name) ?? '');
    this.#newest = { ...checkpoint, note: checkpoint.note + lines.join('') };
  }
}

/** Returns the text of a signed checkpoint, which is what witnesses sign. */
export function signedTextOf({ note }: SignedCheckpoint): string {
  return note.slice(0, note.indexOf('\n\n') + 1);
}
