import type { Trail } from '../ports/trail.ts';
import type { NoteSigner } from './checkpoint.ts';
import { consistencyProof, inclusionProof } from './merkle-proofs.ts';
import type { TreeHead } from './merkle-tree.ts';
import { receiptOf } from './receipt.ts';
import { recordOf } from './record.ts';
import { type Seal, sealText } from './trail-seal.ts';
import { verifyInclusion } from './verifier.ts';

/** A signed note, and the size of the log that it is of. */
export interface SignedCheckpoint {
  readonly size: number;
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
  #last: (TreeHead & { readonly note: string }) | undefined;

  /** @param signer Where there is none, nothing is signed: proofs are all there is. */
  constructor(trail: Trail, signer: NoteSigner | undefined) {
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

  /** A checkpoint of the log as it is now: every event that was acknowledged is in it. */
  async checkpoint(): Promise<SignedCheckpoint> {
    const head = await this.#trail.treeHead();
    return { size: head.size, note: this.#noteOf(head) };
  }

  /** The proof that the event at a position is in the log of a size. */
  async inclusion(position: number, size: number): Promise<Uint8Array[]> {
    await this.#need(size);
    needPosition(position, size);
    return inclusionProof(position - 1, size, this.#trail);
  }

  /** The proof that the log of the size `to` begins with the log of the size `from`. */
  async consistency(from: number, to: number): Promise<Uint8Array[]> {
    await this.#need(to);
    if (from > to)
      throw new CannotProve(`the log of size ${to} does not begin with one of ${from}`);
    return consistencyProof(from, to, this.#trail);
  }

  /** A receipt for the event at a position. */
  async receipt(position: number): Promise<string> {
    const head = await this.#trail.treeHead();
    needPosition(position, head.size);
    const [event] = await this.#trail.stored(position - 1, 1);
    const record = event === undefined ? '' : recordOf(event);
    const proof = await inclusionProof(position - 1, head.size, this.#trail);
    // What is handed out has to hold in ten years, so it is looked at by those who verify it.
    const verdict = verifyInclusion(record, position - 1, head, proof);
    if (!verdict.ok) throw new Error(`no receipt for position ${position}: ${verdict.reason}`);
    return receiptOf(record, proof, this.#noteOf(head));
  }

  /** Signs the digest of an export: see {@link sealText}. */
  seal(exported: Seal): string {
    return this.#needSigner().sign(sealText(exported));
  }

  async #need(size: number): Promise<void> {
    const head = await this.#trail.treeHead();
    if (size > head.size)
      throw new CannotProve(`the log has the size ${head.size}, not yet ${size}`);
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
    const note = this.#needSigner().signCheckpoint(size, root);
    this.#last = { size, root, note };
    return note;
  }
}

function needPosition(position: number, size: number): void {
  if (position >= 1 && position <= size) return;
  throw new CannotProve(`the log of size ${size} has no event at position ${position}`);
}
