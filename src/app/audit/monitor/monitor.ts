/**
 * A monitor: follows a log from outside, by what the log publishes, and remembers the last
 * checkpoint that it has verified. A round reads the present checkpoint and verifies that the log
 * still begins with what it has signed before:
 *
 *   same size      both must have the same root
 *   a larger size  the known leaves and the new tiles must lead to the signed root
 *   a smaller one  the known leaves must lead to it: a cache may have an old checkpoint
 *
 * The hashes of all leaves are known, so that the last case needs nothing from the log, which might
 * withhold it. Then the new records are checked: see {@link RecordCheck}.
 */

import { epochNumberOf } from '../../log/epochs.ts';
import { Frontier, type TreeHead } from '../../log/merkle-tree.ts';
import { LogAway, type MonitorFiles, type PublishedLog } from '../../ports/published-log.ts';
import { byAnyKey } from '../proofs/by-any-key.ts';
import { areSameBytes } from '../proofs/bytes.ts';
import type { Finding } from '../proofs/trail-check.ts';
import { type Checkpoint, verifyCheckpoint } from '../proofs/verifier.ts';
import { earlierRoot, followTree } from './follow-tree.ts';
import { Comparison, rootsAt } from './leaf-comparison.ts';
import type { Cut, Monitoring, Round, SignedNote } from './monitor-round.ts';
import { baseOf, type MonitorState, otherEpoch, otherLog, writeState } from './monitor-state.ts';
import { FalseTile, PublishedTree } from './published-tree.ts';
import { RecordCheck } from './record-check.ts';

const MAX_CHECKPOINT_BYTES = 1 << 18;

export class Monitor {
  readonly #log: PublishedLog;
  readonly #files: MonitorFiles;
  readonly #monitoring: Monitoring;
  #state: MonitorState | undefined;
  #records: RecordCheck | undefined;
  /** The checkpoint of the present round, once its signature was verified. */
  #seen: SignedNote | undefined;
  /** True once the known leaves were seen to lead to the known root. */
  #areLeavesChecked = false;

  /** @param state The state after the last round; `undefined` for the first. */
  constructor(
    log: PublishedLog,
    files: MonitorFiles,
    monitoring: Monitoring,
    state: MonitorState | undefined,
  ) {
    this.#log = log;
    this.#files = files;
    this.#monitoring = monitoring;
    this.#state = state;
  }

  /**
   * Does a round. Throws {@link LogAway} if the log has not answered to the end. The log is never
   * refuted by a known leaf that was damaged: that is read again first.
   */
  async round(): Promise<Round> {
    let round = await this.#judged();
    const known = this.#state?.checkpoint;
    if (round.kind === 'refuted' && known !== undefined && this.#areDamaged(known)) {
      this.#areLeavesChecked = false;
      round = await this.#judged();
    }
    if (round.kind !== 'refuted' || this.#seen?.note === this.#state?.note) return round;
    return { ...round, ...(this.#seen && { other: this.#seen }) };
  }

  async #judged(): Promise<Round> {
    this.#seen = undefined;
    try {
      return await this.#round();
    } catch (error) {
      if (error instanceof FalseTile) return refuted(error.message);
      throw error;
    }
  }

  async #round(): Promise<Round> {
    const { bytes, absent } = await this.#log.read('checkpoint', MAX_CHECKPOINT_BYTES);
    if (bytes === undefined) throw new LogAway(`the log has no checkpoint (${absent})`, true);
    const note = bytes.toString();
    const verdict = byAnyKey(this.#monitoring.keys, (key) => verifyCheckpoint(note, key));
    if (!verdict.ok) return refuted(`the checkpoint: ${verdict.reason}`);
    const seen = verdict.value;
    this.#seen = { note, size: seen.size };
    const state = this.#state;
    if (state === undefined) return this.#advance(seen, note, new Frontier());
    const { checkpoint: known } = state;
    if (baseOf(seen) !== baseOf(known)) return refuted(otherLog(known, seen));
    if (seen.epoch !== known.epoch) {
      if (epochNumberOf(seen.epoch) <= epochNumberOf(known.epoch))
        return refuted(otherEpoch(known, seen));
      return this.#behindCut(seen, note, state);
    }
    const areKnown = this.#haveLeaves(known);
    if (seen.size > known.size) {
      return this.#advance(seen, note, areKnown ? Frontier.unpack(state.edge) : new Frontier());
    }
    if (!areKnown) await this.#fetchLeaves(state);
    const root = seen.size === known.size ? known.root : await this.#knownRoot(seen.size, state);
    if (!areSameBytes(root, seen.root)) {
      return forked(state, { note, size: seen.size }, `${seen.size} events have two signed roots`);
    }
    return seen.size < known.size
      ? { kind: 'behind', size: seen.size, known: known.size }
      : this.#checkRecords(0);
  }

  /**
   * Verifies a checkpoint of a larger tree than the known one, whose right edge is given; the edge of
   * the empty tree if the known leaves have to be read again.
   */
  async #advance(seen: Checkpoint, note: string, edge: Frontier): Promise<Round> {
    const tree = new PublishedTree(this.#log, seen.size);
    const known = this.#state?.checkpoint ?? { size: 0, root: edge.root() };
    const isAnew = edge.size < known.size;
    const problem = await followTree(tree, edge, this.#files.leaves);
    if (!areSameBytes(edge.root(), seen.root)) {
      return (
        (await this.#forkBefore(seen, note, tree)) ??
        refuted(problem ?? 'the tiles do not lead to the signed root')
      );
    }
    if (problem !== undefined) return refuted(problem);
    if (
      isAnew &&
      !areSameBytes(rootsAt([known.size, seen.size], this.#files.leaves)[0], known.root)
    ) {
      return this.#beginsOtherwise(seen, note);
    }
    const checked = this.#state?.checked;
    await this.#save({ note, checkpoint: seen, edge: edge.pack(), checked });
    this.#areLeavesChecked = true;
    return this.#checkRecords(seen.size - known.size);
  }

  /** Returns the fork, if the tiles lead to the root of a larger tree, and not to the known one. */
  async #forkBefore(
    seen: Checkpoint,
    note: string,
    tree: PublishedTree,
  ): Promise<Round | undefined> {
    const state = this.#state;
    if (state === undefined || state.checkpoint.size === 0) return undefined;
    const { size, root } = state.checkpoint;
    const other = await earlierRoot(tree, seen, size);
    if (other === undefined || areSameBytes(other, root)) return undefined;
    return this.#beginsOtherwise(seen, note);
  }

  #beginsOtherwise({ size }: Checkpoint, note: string): Round {
    const state = this.#state as MonitorState;
    const problem = `the log of ${size} events begins with other events than those that were \
signed at ${state.checkpoint.size}`;
    return forked(state, { note, size }, problem);
  }

  /** Verifies a checkpoint of another epoch, and goes on there if that was accepted. */
  async #behindCut(seen: Checkpoint, note: string, state: MonitorState): Promise<Round> {
    const tree = new PublishedTree(this.#log, seen.size);
    const comparison = new Comparison(this.#files.leaves, state.checkpoint);
    const edge = new Frontier();
    const problem = await followTree(tree, edge, comparison);
    if (problem !== undefined || !areSameBytes(edge.root(), seen.root)) {
      return refuted(problem ?? 'the tiles do not lead to the signed root');
    }
    const kept = comparison.end();
    const known = { note: state.note, size: state.checkpoint.size };
    const cut: Cut = { epoch: seen.epoch, kept, known, other: { note, size: seen.size } };
    if (seen.epoch !== this.#monitoring.acceptedEpoch) return { kind: 'cut', ...cut };
    // In this order, so that hashes of the earlier epoch are never taken for those of the new one.
    this.#files.leaves.write(0, Buffer.alloc(0));
    const next = { note, checkpoint: seen, edge: edge.pack() };
    await this.#save(next);
    this.#records = undefined;
    await this.#fetchLeaves(next);
    const round = await this.#checkRecords(seen.size - (kept ?? 0));
    return round.kind === 'verified' ? { ...round, cut } : round;
  }

  async #checkRecords(added: number): Promise<Round> {
    const { decode } = this.#monitoring;
    const state = this.#state as MonitorState;
    const { size } = state.checkpoint;
    if (decode === undefined) return { kind: 'verified', size, added };
    this.#records ??= RecordCheck.continue(decode, this.#files, state.checked);
    const records = this.#records;
    const before = records.checked.events;
    let finding: Finding | undefined;
    try {
      finding = await records.advance(new PublishedTree(this.#log, size));
    } finally {
      const { checked } = records;
      if (checked.events > before) await this.#save({ ...state, checked });
    }
    if (finding === undefined) {
      return { kind: 'verified', size, added, checked: records.checked.events };
    }
    this.#records = undefined;
    return { kind: 'refuted', finding };
  }

  /** Returns the root that the known tree had at an earlier size. */
  async #knownRoot(size: number, state: MonitorState): Promise<Buffer> {
    const { checkpoint } = state;
    const [earlier, whole] = rootsAt([size, checkpoint.size], this.#files.leaves);
    if (areSameBytes(whole, checkpoint.root)) return earlier;
    await this.#fetchLeaves(state);
    return rootsAt([size, checkpoint.size], this.#files.leaves)[0];
  }

  /** Returns true unless known leaves are missing, or were damaged before the first round. */
  #haveLeaves(known: TreeHead): boolean {
    const areThere = this.#files.leaves.count >= known.size;
    this.#areLeavesChecked &&= areThere;
    this.#areLeavesChecked ||= areThere && !this.#areDamaged(known);
    return this.#areLeavesChecked;
  }

  /** Returns true if all known leaves are there and do not lead to their root. */
  #areDamaged({ size, root }: TreeHead): boolean {
    if (this.#files.leaves.count < size) return false;
    return !areSameBytes(rootsAt([size, size], this.#files.leaves)[1], root);
  }

  async #fetchLeaves({ checkpoint: { size, root } }: MonitorState): Promise<void> {
    const edge = new Frontier();
    await followTree(new PublishedTree(this.#log, size), edge, this.#files.leaves);
    if (!areSameBytes(edge.root(), root)) {
      this.#files.leaves.write(0, Buffer.alloc(0));
      throw new FalseTile(`the tiles do not lead to the root that was signed at ${size} events`);
    }
    this.#areLeavesChecked = true;
  }

  async #save(state: MonitorState): Promise<void> {
    await this.#files.save(writeState(state));
    this.#state = state;
  }
}

function refuted(problem: string): Round {
  return { kind: 'refuted', finding: { problem } };
}

function forked({ note, checkpoint }: MonitorState, other: SignedNote, problem: string): Round {
  return { kind: 'forked', problem, known: { note, size: checkpoint.size }, other };
}
