/** Makes the checkpoints, proofs and receipts of the log. */

import { Epochs } from '../../log/epochs.ts';
import { consistencyProof, inclusionProof, treeRoot } from '../../log/merkle-proofs.ts';
import type { TreeHead } from '../../log/merkle-tree.ts';
import { recordOf } from '../../log/recorded-event.ts';
import { DamagedStore } from '../../ports/store.ts';
import type { Trail } from '../../ports/trail.ts';
import { type Seal, sealText } from '../proofs/trail-seal.ts';
import { type Verdict, verifyConsistency, verifyInclusion } from '../proofs/verifier.ts';
import { orDamaged } from '../trail/checked-trail.ts';
import { isConsistent } from '../trail/extension.ts';
import type { NoteSigner } from './checkpoint.ts';
import { type ReceiptFormat, receiptOf, tlogProofOf } from './receipt.ts';

/** A signed checkpoint, with the head that it states. */
export interface SignedCheckpoint extends TreeHead {
  readonly note: string;
}

/** The newest checkpoint that a quorum of witnesses has cosigned, with the cosignatures. */
export interface WitnessedLog {
  readonly newest: SignedCheckpoint | undefined;
}

/**
 * Thrown if a proof cannot be made: the position or size is beyond the log, or there is no signing
 * key. The message gives the reason.
 */
export class CannotProve extends Error {
  override readonly name = 'CannotProve';
}

/**
 * Makes checkpoints, proofs and receipts. They cover durable events only, because a trail returns
 * no others. Each takes a few hundred hashes, however long the log is.
 */
export class Prover {
  readonly #trail: Trail;
  #signer: NoteSigner | undefined;
  readonly #epochs: Epochs;
  readonly #witnessed: WitnessedLog | undefined;
  /** The newest checkpoint. Nothing is signed that does not extend it. */
  #last: SignedCheckpoint | undefined;

  /**
   * @param signer Absent: nothing can be signed, and only proofs can be made.
   * @param witnessed Absent: the log has no witnesses.
   */
  constructor(
    trail: Trail,
    signer: NoteSigner | undefined,
    epochs = new Epochs(''),
    witnessed?: WitnessedLog,
  ) {
    this.#epochs = epochs;
    this.#witnessed = witnessed;
    this.#trail = trail;
    this.#signer = signer;
  }

  /** Sets the signing key, for a key that could not be created at the start. */
  signWith(signer: NoteSigner | undefined): void {
    this.#signer = signer;
  }

  /** The public key that verifies the signatures. Throws {@link CannotProve} without a key. */
  get verifierKey(): string {
    return this.#needSigner().verifierKey;
  }

  /** Returns the signed statements of all breaks. Throws {@link CannotProve} without a key. */
  breaks(): readonly string[] {
    const { statements } = this.#epochs;
    return statements.map((statement) => this.#needSigner().sign(`${statement}\n`));
  }

  /** Returns a checkpoint of the present log, which covers every acknowledged event. */
  async checkpoint(): Promise<SignedCheckpoint> {
    return this.#signed(await this.#trail.treeHead());
  }

  /** Returns the {@link checkpoint}, cosigned if a quorum of witnesses has cosigned this very state. */
  async bestCheckpoint(): Promise<SignedCheckpoint> {
    const present = await this.checkpoint();
    const newest = this.#witnessed?.newest;
    return newest?.note.startsWith(present.note) ? newest : present;
  }

  /** True if the log has witnesses. */
  get isWitnessed(): boolean {
    return this.#witnessed !== undefined;
  }

  /**
   * Returns the newest checkpoint that a quorum of witnesses has cosigned. Throws {@link CannotProve}
   * where there is none, or none that covers a position.
   */
  witnessed(position = 0): SignedCheckpoint {
    if (this.#witnessed === undefined) {
      throw new CannotProve('the log has no witnesses: WITNESS_POLICY names none');
    }
    const { newest } = this.#witnessed;
    if (newest !== undefined && position <= newest.size) return newest;
    const covered = position === 0 ? '' : ` that covers position ${position}`;
    throw new CannotProve(`no checkpoint${covered} has cosignatures of a quorum of witnesses yet`);
  }

  /** Returns a proof that the event at a position is in the log of a size. */
  async inclusion(position: number, size: number): Promise<Uint8Array[]> {
    const head = await this.#need(size);
    needPosition(position, size);
    const index = position - 1;
    const record = await this.#recordAt(position);
    return orDamaged(async () => {
      const proof = await inclusionProof(index, size, this.#trail);
      const older = await this.#headAt(size, head);
      requireTrue(verifyInclusion(record, index, older, proof));
      return proof;
    });
  }

  /** Returns a proof that the log of the size `to` begins with the log of the size `from`. */
  async consistency(from: number, to: number): Promise<Uint8Array[]> {
    const head = await this.#need(to);
    if (from > to)
      throw new CannotProve(`the log of size ${to} does not begin with one of ${from}`);
    return orDamaged(async () => {
      const proof = await consistencyProof(from, to, this.#trail);
      const [older, newer] = [await this.#headAt(from, head), await this.#headAt(to, head)];
      requireTrue(verifyConsistency(older, newer, proof));
      return proof;
    });
  }

  /**
   * Returns a receipt for the event at a position: with cosignatures, if the newest checkpoint that has
   * them covers it.
   * @param needsWitnesses Throws {@link CannotProve} instead of a receipt without cosignatures.
   */
  async receipt(
    position: number,
    format: ReceiptFormat = 'json',
    needsWitnesses = false,
  ): Promise<string> {
    const present = await this.#trail.treeHead();
    needPosition(position, present.size);
    const isCosigned = needsWitnesses || position <= (this.#witnessed?.newest?.size ?? 0);
    const head = isCosigned ? this.witnessed(position) : await this.#signed(present);
    const record = await this.#recordAt(position);
    const prove = () => inclusionProof(position - 1, head.size, this.#trail);
    const proof = await orDamaged(prove);
    // A receipt must be valid for years, so it is checked with the verifier that auditors use.
    requireTrue(verifyInclusion(record, position - 1, head, proof));
    const { note } = head;
    return format === 'json'
      ? receiptOf(record, proof, note)
      : tlogProofOf(record, position - 1, proof, note);
  }

  /** Signs the digest of an export: see {@link sealText}. */
  seal(exported: Seal): string {
    return this.#needSigner().sign(sealText(exported));
  }

  async #need(size: number): Promise<TreeHead> {
    const head = await this.#trail.treeHead();
    if (size > head.size)
      throw new CannotProve(`the log has the size ${head.size}, not yet ${size}`);
    return head;
  }

  async #recordAt(position: number): Promise<string> {
    const [event] = await this.#trail.stored(position - 1, 1);
    if (event === undefined) throw new DamagedStore(`the event at position ${position} is missing`);
    return recordOf(event);
  }

  /** Returns the head at an earlier size, and checks that the present log begins with it. */
  async #headAt(size: number, head: TreeHead): Promise<TreeHead> {
    const older = { size, root: await treeRoot(size, this.#trail) };
    requireTrue(
      verifyConsistency(older, head, await consistencyProof(size, head.size, this.#trail)),
    );
    return older;
  }

  #needSigner(): NoteSigner {
    if (this.#signer !== undefined) return this.#signer;
    throw new CannotProve('there is no key to sign with: SIGNING_KEY_FILE names none');
  }

  /**
   * Returns the checkpoint of a head, which is signed once, or the newest one if that covers more.
   * Throws {@link DamagedStore} unless the head extends everything signed before: two checkpoints
   * that contradict each other would prove to everybody that the log was rewritten.
   */
  async #signed(head: TreeHead): Promise<SignedCheckpoint> {
    const signer = this.#needSigner();
    for (let last = this.#last; last !== undefined; last = this.#last) {
      // A concurrent call may have signed a newer head than the one that this call has read.
      const [older, newer] = head.size < last.size ? [head, last] : [last, head];
      if (!(await isConsistent(older, newer, this.#trail))) {
        throw new DamagedStore(
          `the log of size ${head.size} contradicts the checkpoint of size ${last.size} that was signed`,
        );
      }
      if (head.size <= last.size) return last;
      // Otherwise, another call has signed meanwhile.
      if (last === this.#last) break;
    }
    const { size, root } = head;
    const note = signer.signCheckpoint(size, root, this.#epochs.id);
    this.#last = { size, root, note };
    return this.#last;
  }
}

/** Throws {@link DamagedStore} for a proof that does not hold: stored hashes were changed. */
function requireTrue(verdict: Verdict<void>): void {
  if (!verdict.ok) throw new DamagedStore(`the tree of the log: ${verdict.reason}`);
}

function needPosition(position: number, size: number): void {
  if (position >= 1 && position <= size) return;
  throw new CannotProve(`the log of size ${size} has no event at position ${position}`);
}
