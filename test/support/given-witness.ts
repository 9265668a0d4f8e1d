/** A witness in the test's own process, as C2SP tlog-witness has it: it checks each proof itself. */

import {
  type TreeHead,
  verifyCheckpoint,
  verifyConsistency,
  verifyNote,
} from '../../src/app/audit/proofs/verifier.ts';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { parseWitnessRequest } from '../../src/app/audit/witness/witness-request.ts';

interface Given {
  readonly status: number;
  readonly body: string;
}

/** A witness of one log. It keeps the last checkpoint that it has cosigned. */
export class GivenWitness {
  readonly cosigner: Cosigner;
  readonly #logKey: () => string;
  #last: TreeHead | undefined;
  /** The old sizes of all requests, and the statuses that they got. */
  readonly asked: { readonly oldSize: number; readonly status: number }[] = [];
  /** The present time, in seconds. */
  nowS = 1_700_000_000;

  constructor(name: string, logKey: () => string) {
    this.cosigner = Cosigner.generate(name);
    this.#logKey = logKey;
  }

  /** The size of the checkpoint that it has cosigned last. */
  get size(): number {
    return this.#last?.size ?? 0;
  }

  /** Loses the checkpoint that it has cosigned last, as a backup does that is restored. */
  forget(): void {
    this.#last = undefined;
  }

  /** Answers the body of a request. */
  answer(body: string): Given {
    const request = parseWitnessRequest(body);
    if (!request.ok) return this.#noted(-1, 400, request.reason);
    const { oldSize, proof, note } = request.value;
    const checkpoint = verifyCheckpoint(note, this.#logKey());
    if (!checkpoint.ok) return this.#noted(oldSize, 403, checkpoint.reason);
    if (oldSize !== this.size) return this.#noted(oldSize, 409, `${this.size}\n`);
    const isConsistent =
      this.#last === undefined
        ? proof.length === 0
        : verifyConsistency(this.#last, checkpoint.value, proof).ok;
    if (!isConsistent) return this.#noted(oldSize, 422, 'no proof');
    this.#last = checkpoint.value;
    const text = verifyNote(note, this.#logKey());
    const line = text.ok ? this.cosigner.cosign(text.value, this.nowS) : '';
    return this.#noted(oldSize, 200, line);
  }

  #noted(oldSize: number, status: number, body: string): Given {
    this.asked.push({ oldSize, status });
    return { status, body };
  }
}
