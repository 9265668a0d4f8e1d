import { Epochs } from '../epochs.ts';
import { DamagedStore } from '../ports/store.ts';
import type { Trail } from '../ports/trail.ts';
import { orDamaged } from './checked-trail.ts';
import type { NoteSigner } from './checkpoint.ts';
import { consistencyProof, inclusionProof, treeRoot } from './merkle-proofs.ts';
import type { TreeHead } from './merkle-tree.ts';
import { receiptOf } from './receipt.ts';
import { recordOf } from './record.ts';
import { type Seal, sealText } from './trail-seal.ts';
import { type Verdict, verifyConsistency, verifyInclusion } from './verifier.ts';

/** A signed note, and the size of the log that it is of. */
export interface SignedCheckpoint extends TreeHead {
  readonly note: string;
}

/**
 * What was asked for is not in the log, or not in the log of that size; or it takes a signature, and
 * there is no key. The message says which.
 */
export class CannotProve extends Error {
  override readonly name = 'CannotProve';
}

/**
 * What the log says and proves of itself. It only ever speaks of what is durable: that is all that
 * a trail shows. Whatever it is asked for, it reads a few hundred hashes at most.
 */
export class Prover {
  readonly #trail: Trail;
  #signer: NoteSigner | undefined;
  readonly #epochs: Epochs;
  #last: (TreeHead & { readonly note: string }) | undefined;

  /** @param signer Where there is none, nothing is signed: proofs are all there is. */
  constructor(trail: Trail, signer: NoteSigner | undefined, epochs = new Epochs('')) {
    this.#epochs = epochs;
    this.#trail = trail;
    this.#signer = signer;
  }

  /** Signs from now on: for a prover whose key could not be made at once. */
  signWith(signer: NoteSigner | undefined): void {
    this.#signer = signer;
  }

  /** The key that all of this is verified with. Throws {@link CannotProve} where there is none. */
  get verifierKey(): string {
    return this.#needSigner().verifierKey;
  }

  /** The statements of all breaks of the log, signed. Throws {@link CannotProve} without a key. */
  breaks(): readonly string[] {
    const { statements } = this.#epochs;
    return statements.map((statement) => this.#needSigner().sign(`${statement}\n`));
  }

  /** A checkpoint of the log as it is now: every event that was acknowledged is in it. */
  async checkpoint(): Promise<SignedCheckpoint> {
    const head = await this.#trail.treeHead();
    return { ...head, note: this.#noteOf(head) };
  }

  /** The proof that the event at a position is in the log of a size. */
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

  /** The proof that the log of the size `to` begins with the log of the size `from`. */
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

  /** A receipt for the event at a position. */
  async receipt(position: number): Promise<string> {
    const head = await this.#trail.treeHead();
    needPosition(position, head.size);
    const record = await this.#recordAt(position);
    const prove = () => inclusionProof(position - 1, head.size, this.#trail);
    const proof = await orDamaged(prove);
    // What is handed out has to hold in ten years, so it is looked at by those who verify it.
    requireTrue(verifyInclusion(record, position - 1, head, proof));
    return receiptOf(record, proof, this.#noteOf(head));
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

  /** The log as it was at a size, of which it is made sure that the log as it is begins with it. */
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

  /** Each state of the log is signed once, when somebody first asks for it. */
  #noteOf(head: TreeHead): string {
    const { size, root } = head;
    const last = this.#last;
    if (last?.size === size && Buffer.from(root).equals(last.root)) return last.note;
    const note = this.#needSigner().signCheckpoint(size, root, this.#epochs.id);
    this.#last = { size, root, note };
    return note;
  }
}

/** Throws {@link DamagedStore} for a proof that does not hold: what it was read from has changed. */
function requireTrue(verdict: Verdict<void>): void {
  if (!verdict.ok) throw new DamagedStore(`the tree of the log: ${verdict.reason}`);
}

function needPosition(position: number, size: number): void {
  if (position >= 1 && position <= size) return;
  throw new CannotProve(`the log of size ${size} has no event at position ${position}`);
}
