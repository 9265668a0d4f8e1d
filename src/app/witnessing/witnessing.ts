/**
 * Obtains cosignatures for the checkpoints of a log (C2SP tlog-witness), beside all requests.
 *
 * At an interval it takes the newest checkpoint and submits it to each witness that has not cosigned it
 * and is not to be left alone after a failure. The requests of one checkpoint are independent of each
 * other. A new checkpoint waits until the one before has a quorum, or no request for it is in
 * flight: so a slow witness whose cosignature is needed is waited for, and any other is not.
 */

import type { Prover, SignedCheckpoint } from '../audit/proving/prover.ts';
import type { AskWitness, CosignedRecords } from '../ports/witnesses.ts';
import { submit } from './checkpoint-submission.ts';
import type { CosignedCheckpoints } from './cosigned-checkpoints.ts';
import type { WitnessOutcome } from './outcome.ts';
import { originOf, restoreCosigned } from './restore.ts';
import { type Witness, WitnessProgress, type WitnessStatus } from './witness-progress.ts';

/** Something that an operator may have to know. */
export interface WitnessNotice {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly about: object;
}

export interface WitnessingParts {
  readonly witnesses: readonly Witness[];
  readonly cosigned: CosignedCheckpoints;
  readonly prover: Pick<Prover, 'checkpoint' | 'consistency' | 'verifierKey'>;
  readonly ask: AskWitness;
  readonly records: CosignedRecords;
  /** The shortest time between two checkpoints, in milliseconds. */
  readonly intervalMs: number;
  readonly noticed: (notice: WitnessNotice) => void;
  /** Takes an error of the log, which may be one of its store. */
  readonly failed: (error: Error) => void;
  /** Milliseconds since an arbitrary moment. */
  readonly elapsed: () => number;
}

/** The notices of a change to an outcome. A conflict is none: it is solved by the next request. */
const NOTICES: Readonly<
  Record<Exclude<WitnessOutcome['kind'], 'conflict'>, Pick<WitnessNotice, 'level' | 'message'>>
> = {
  cosigned: { level: 'info', message: 'a witness cosigns' },
  unreachable: { level: 'warn', message: 'a witness does not answer' },
  limited: { level: 'warn', message: 'a witness limits requests' },
  refused: { level: 'error', message: 'a witness refuses the log' },
  inconsistent: { level: 'error', message: 'a witness has seen another history of the log' },
  invalid: { level: 'error', message: 'the answer of a witness is not valid' },
};

/** Submits checkpoints from {@link begin} to {@link close}. */
export class Witnessing {
  readonly #parts: WitnessingParts;
  readonly #progress: readonly WitnessProgress[];
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  #round: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isSaved = true;

  constructor(parts: WitnessingParts) {
    this.#parts = parts;
    this.#progress = parts.witnesses.map((each) => new WitnessProgress(each, parts.intervalMs));
  }

  /** Takes over what was recorded before a restart. A record that is not usable is left out. */
  async restore(): Promise<void> {
    const { records, cosigned, prover, failed } = this.#parts;
    try {
      const sizes = await restoreCosigned(records.load(), cosigned, prover);
      for (const each of this.#progress) each.sees(sizes[each.witness.key.vkey] ?? 0);
    } catch (error) {
      failed(error as Error);
    }
  }

  /** Submits the newest checkpoint at once, and then at each interval. */
  begin(): void {
    this.#round = this.#submitNewest().then(() => {
      if (this.#stop.signal.aborted) return;
      this.#timer = setTimeout(() => this.begin(), this.#parts.intervalMs).unref();
    });
  }

  /** Ends the requests in flight without waiting for their answers. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.settled();
  }

  /** Resolves when no request is in flight. */
  async settled(): Promise<void> {
    await this.#round;
    await Promise.all(this.#underWay.values());
  }

  /** The states of all witnesses, in the order of the policy. */
  get statuses(): readonly WitnessStatus[] {
    const atMs = this.#parts.elapsed();
    return this.#progress.map((each) => each.status(atMs));
  }

  async #submitNewest(): Promise<void> {
    const { cosigned, prover, failed, elapsed } = this.#parts;
    try {
      const checkpoint = await prover.checkpoint();
      const atMs = elapsed();
      for (const each of this.#progress) each.reaches(checkpoint.size, atMs);
      // An empty log has nothing that could be rewritten.
      const isBusy = this.#underWay.size > 0 && !cosigned.isComplete;
      if (checkpoint.size === 0 || isBusy || this.#stop.signal.aborted) return;
      cosigned.begin(checkpoint);
      for (const each of this.#progress) {
        const { name } = each.witness;
        if (cosigned.has(name) || this.#underWay.has(name) || !each.isDue(atMs)) continue;
        const submission = this.#submit(checkpoint, each).finally(() =>
          this.#underWay.delete(name),
        );
        this.#underWay.set(name, submission);
      }
    } catch (error) {
      failed(error as Error);
    }
  }

  async #submit(checkpoint: SignedCheckpoint, progress: WitnessProgress): Promise<void> {
    const { witness, size: seen, outcome: before } = progress;
    const { cosigned, elapsed, failed } = this.#parts;
    const { signal } = this.#stop;
    try {
      const outcome = await submit(checkpoint, witness, seen, this.#parts, signal);
      // A stop looks like an unreachable witness.
      if (signal.aborted) return;
      progress.note(outcome, checkpoint.size, elapsed());
      if (outcome.kind === 'cosigned') cosigned.add(checkpoint, witness.name, outcome.line);
      this.#notice(witness, outcome, before);
      if (outcome.kind === 'cosigned' || outcome.kind === 'conflict') this.#save(checkpoint);
    } catch (error) {
      failed(error as Error);
    }
  }

  #notice(
    { name: witness, url }: Witness,
    outcome: WitnessOutcome,
    before: WitnessOutcome['kind'] | undefined,
  ): void {
    if (outcome.kind === 'conflict' || outcome.kind === before) return;
    const reason = outcome.kind === 'cosigned' ? undefined : outcome.reason;
    this.#parts.noticed({ ...NOTICES[outcome.kind], about: { witness, url, reason } });
  }

  /** Records the progress. If that fails, a restart asks the witnesses again. */
  #save(checkpoint: SignedCheckpoint): void {
    const { records, cosigned, noticed } = this.#parts;
    const sizes = this.#progress.map(({ witness, size }) => [witness.key.vkey, size]);
    try {
      records.save({
        origin: originOf(checkpoint),
        sizes: Object.fromEntries(sizes),
        checkpoint: cosigned.newest?.note,
      });
      this.#isSaved = true;
    } catch (error) {
      const about = { reason: (error as Error).message };
      const message = 'the cosignatures are not recorded: a restart asks for them again';
      if (this.#isSaved) noticed({ level: 'warn', message, about });
      this.#isSaved = false;
    }
  }
}
