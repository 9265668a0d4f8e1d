/**
 * A witness of logs (C2SP tlog-witness): it cosigns a checkpoint of a log only if that is consistent
 * with the one that it has cosigned before. So no two of its cosignatures are on different histories
 * of one log, and readers who require them cannot be shown different ones.
 */

import { createHash } from 'node:crypto';
import { instantAt } from '../../../domain/instant.ts';
import { CLOCK_OUT_OF_RANGE, CLOCKS } from '../../clock.ts';
import { DamagedStore, StoreUnavailable } from '../../ports/store.ts';
import type {
  CosignedCheckpoint,
  WitnessDecision,
  WitnessMemory,
} from '../../ports/witness-memory.ts';
import { verifyCosignatureBy } from '../proofs/cosignature.ts';
import { RecordTree, readNote, type TreeHead, verifyConsistency } from '../proofs/verifier.ts';
import type { Cosigner } from './cosigner.ts';
import {
  type KnownLogs,
  type Refused,
  readCheckpoint,
  readSubmittedCheckpoint,
  refused,
  type SubmittedCheckpoint,
} from './submitted-checkpoint.ts';

/** The answer to a submitted checkpoint. */
export type WitnessAnswer =
  /** The line that joins the signatures of the checkpoint. */
  | { readonly kind: 'cosigned'; readonly line: string }
  /** The proof begins at another size than the latest cosigned one, which this is. */
  | { readonly kind: 'conflict'; readonly size: number }
  /**
   * An inconsistent checkpoint is there as its log has signed it, and so is the latest cosigned one, if
   * there is one: both signatures are needed to prove to others that the log lies.
   */
  | (Refused & { readonly checkpoint?: string; readonly cosigned?: string | undefined });

/** The state of a log at the latest cosignature. */
interface Seen extends TreeHead {
  readonly atS: number;
}

/** The empty log, with which every log begins, at the first time that a cosignature can have. */
const NOTHING_SEEN: Seen = { ...new RecordTree().head(), atS: 1 };

interface WitnessParts {
  readonly cosigner: Cosigner;
  readonly logs: KnownLogs;
  readonly memory: WitnessMemory;
  /** Milliseconds since 1970. */
  readonly wall?: () => number;
}

export class Witness {
  readonly #parts: WitnessParts;
  readonly #wall: () => number;
  /** The origins of all logs, by their hashes in hexadecimal digits. */
  readonly #origins: ReadonlyMap<string, string>;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    this.#wall = parts.wall ?? CLOCKS.wall;
    const origins = [...parts.logs.keys()];
    this.#origins = new Map(
      origins.map((origin) => [createHash('sha256').update(origin).digest('hex'), origin]),
    );
  }

  /**
   * Cosigns the checkpoint in the body of a request, or not. Throws {@link StoreUnavailable} while nothing
   * can be recorded, or the clock shows a time that no cosignature can have.
   */
  add(body: string): WitnessAnswer {
    const submitted = readSubmittedCheckpoint(body, this.#parts.logs);
    if (submitted.kind === 'refused') return submitted;
    const { origin } = submitted;
    return this.#parts.memory.update(origin, (latest) => {
      return this.#decide(submitted, this.#seen(origin, latest), latest?.note);
    });
  }

  /**
   * Returns the latest cosigned checkpoint of a log, with the signatures of the log and of the witness.
   * @param originHash The SHA-256 of the log's origin, in lower-case hexadecimal digits.
   */
  checkpointOf(originHash: string): string | undefined {
    const origin = this.#origins.get(originHash);
    if (origin === undefined) return undefined;
    const latest = this.#parts.memory.latest(origin);
    this.#seen(origin, latest);
    return latest?.note;
  }

  #decide(
    { head, text, signatureLines, oldSize, proof }: SubmittedCheckpoint,
    seen: Seen,
    cosigned: string | undefined,
  ): WitnessDecision<WitnessAnswer> {
    if (oldSize !== seen.size) return { result: { kind: 'conflict', size: seen.size } };
    const consistent = verifyConsistency(seen, head, proof);
    if (!consistent.ok) {
      const checkpoint = `${text}\n${signatureLines}`;
      return { result: { ...refused('inconsistent', consistent.reason), checkpoint, cosigned } };
    }
    const wallMs = this.#wall();
    // The record of such a cosignature would be damage to all later submissions, also with the right clock.
    if (instantAt(wallMs) === undefined) throw new StoreUnavailable(new Error(CLOCK_OUT_OF_RANGE));
    // Of two cosignatures the one of the larger tree is never the earlier, also if the clock was set back.
    const atS = Math.max(seen.atS, Math.floor(wallMs / 1_000));
    const line = this.#parts.cosigner.cosign(text, atS);
    const note = `${text}\n${signatureLines}${line}`;
    return { result: { kind: 'cosigned', line }, record: { size: head.size, note } };
  }

  /**
   * Returns the recorded state. Throws {@link DamagedStore} unless its note is one that this witness has
   * signed for this log, of the recorded size, from which the next one is not smaller.
   */
  #seen(origin: string, recorded: CosignedCheckpoint | undefined): Seen {
    if (recorded === undefined) return NOTHING_SEEN;
    const { size, note } = recorded;
    const atS = verifyCosignatureBy(note, this.#parts.cosigner.verifierKey);
    const read = readNote(note);
    const checkpoint = read.ok ? readCheckpoint(read.value.text) : undefined;
    const isOfRow = checkpoint?.origin === origin && checkpoint.head.size === size;
    if (atS.ok && atS.value !== undefined && isOfRow) {
      return { ...checkpoint.head, atS: atS.value };
    }
    throw new DamagedStore(`the recorded checkpoint of ${origin} is not one of this witness`);
  }
}
