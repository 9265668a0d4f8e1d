/** The rounds of a monitor: what is given to them, and their outcomes. */

import type { DecodeStrictly } from '../../ports/evidence.ts';
import type { Finding } from '../proofs/trail-check.ts';
import type { Checkpoint } from '../proofs/verifier.ts';

/** The outcome of a round. */
export type Round =
  /** The log is as it was, and `added` events longer. `checked` records keep the rules. */
  | {
      readonly kind: 'verified';
      readonly size: number;
      readonly added: number;
      readonly checked?: number | undefined;
      /** The cut that was accepted, in the round that went on behind it. */
      readonly cut?: Cut;
    }
  /** The log has gone on in another epoch, and nobody has accepted that. */
  | ({ readonly kind: 'cut' } & Cut)
  /** The log has sent an earlier checkpoint than before, of a tree that the known one begins with. */
  | { readonly kind: 'behind'; readonly size: number; readonly known: number }
  /** The log has signed two trees, neither of which begins with the other. */
  | {
      readonly kind: 'forked';
      readonly problem: string;
      readonly known: SignedNote;
      readonly other: SignedNote;
    }
  /**
   * The log has published something that it has not signed, or signed what no log may have. `other` is the
   * signed checkpoint of the round, unless it is the known one.
   */
  | { readonly kind: 'refuted'; readonly finding: Finding; readonly other?: SignedNote };

/** A checkpoint, as the log has sent it. */
export interface SignedNote {
  readonly note: string;
  readonly size: number;
}

/** A cut between the last known checkpoint and the present one. */
export interface Cut {
  /** The epoch in which the log goes on. */
  readonly epoch: string;
  /**
   * The number of known events that it has kept, from the first on; `undefined` if that cannot be known
   * any more, because a monitor was ended while it accepted the cut.
   */
  readonly kept: number | undefined;
  readonly known: SignedNote;
  readonly other: SignedNote;
}

export interface Monitoring {
  /** The public keys of the log. One of them must have signed each checkpoint. */
  readonly keys: readonly string[];
  /** Reads the records; absent: they are not checked. */
  readonly decode: DecodeStrictly | undefined;
  /** The epoch in which a log may go on that was cut; absent: none. */
  readonly acceptedEpoch?: string | undefined;
}

/** A checkpoint of the log, and the text that it has signed. */
export interface Signed {
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

export function noteOf({ note, checkpoint: { size } }: Signed): SignedNote {
  return { note, size };
}

export function refuted(problem: string): Round {
  return { kind: 'refuted', finding: { problem } };
}

/** @param known The checkpoint that was seen first. */
export function forked(known: Signed, other: Signed, problem: string): Round {
  return { kind: 'forked', problem, known: noteOf(known), other: noteOf(other) };
}

/** Returns the fork of a tree that does not begin with the one that was signed before, at its size at most. */
export function beginningOtherwise(known: Signed, other: Signed): Round {
  const [before, { size }] = [known.checkpoint.size, other.checkpoint];
  const problem =
    before === size
      ? `${size} events have two signed roots`
      : `the log of ${size} events begins with other events than those that were signed at ${before}`;
  return forked(known, other, problem);
}
