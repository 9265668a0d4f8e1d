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
 * withhold it. Then the new records are checked: see {@link RecordCheck}. A signed checkpoint whose tiles did
 * not come is compared in later rounds: see {@link UnprovenCheckpoints}.
 */

import { Frontier } from '../../log/merkle-tree.ts';
import { LogAway, type MonitorFiles, type PublishedLog } from '../../ports/published-log.ts';
import { byAnyKey } from '../proofs/by-any-key.ts';
import { areSameBytes } from '../proofs/bytes.ts';
import type { Finding } from '../proofs/trail-check.ts';
import { verifyCheckpoint } from '../proofs/verifier.ts';
import { earlierRoot, followTree } from './follow-tree.ts';
import { KnownLeaves } from './known-leaves.ts';
import { Comparison, rootsAt } from './leaf-comparison.ts';
import {
  beginningOtherwise,
  type Cut,
  forked,
  type Monitoring,
  noteOf,
  type Round,
  refuted,
  type Signed,
} from './monitor-round.ts';
import { type MonitorState, strangeness, writeState } from './monitor-state.ts';
import { FalseTile, PublishedTree } from './published-tree.ts';
import { RecordCheck } from './record-check.ts';
import { type Unproven, UnprovenCheckpoints } from './unproven.ts';

const MAX_CHECKPOINT_BYTES = 1 << 18;

export class Monitor {
  readonly #log: PublishedLog;
  readonly #files: MonitorFiles;
  readonly #monitoring: Monitoring;
  readonly #leaves: KnownLeaves;
  readonly #unproven: UnprovenCheckpoints;
  #state: MonitorState | undefined;
  #records: RecordCheck | undefined;
  /** The checkpoint of the present round, once its signature was verified. */
  #seen: Signed | undefined;

  /**
   * @param state The state after the last round; `undefined` for the first.
   * @param unproven The signed checkpoints of earlier rounds whose trees were not seen.
   */
  constructor(
    log: PublishedLog,
    files: MonitorFiles,
    monitoring: Monitoring,
    state: MonitorState | undefined,
    unproven: readonly Unproven[] = [],
  ) {
    this.#log = log;
    this.#files = files;
    this.#leaves = new KnownLeaves(log, files.leaves);
    this.#unproven = new UnprovenCheckpoints(files, monitoring.keys, unproven);
    this.#monitoring = monitoring;
    this.#state = state;
  }

  /**
   * Does a round. Throws {@link LogAway} if the log has not answered to the end. The log is never
   * refuted by a known leaf that was damaged: that is read again first.
   */
  async round(): Promise<Round> {
    let round: Round | undefined;
    try {
      round = await this.#judged();
      const known = this.#state?.checkpoint;
      if (round.kind === 'refuted' && known !== undefined && this.#leaves.areDamaged(known)) {
        this.#leaves.areChecked = false;
        round = await this.#judged();
      }
    } finally {
      const seen = round === undefined || round.kind === 'refuted' ? this.#seen : undefined;
      const isRefuted = round !== undefined;
      const adding = seen && this.#unproven.add({ ...seen, isRefuted }, this.#state);
      // An alert is raised on a full disk, too.
      await (isRefuted ? adding?.catch(() => undefined) : adding);
    }
    const [seen, state] = [this.#seen, this.#state];
    if (round.kind === 'verified' && state !== undefined) {
      const known = this.#unproven.sizeBeyond(state.checkpoint);
      const isBehind = known !== undefined && round.cut === undefined;
      return isBehind ? { kind: 'behind', size: round.size, known } : round;
    }
    if (round.kind !== 'refuted' || seen === undefined || seen.note === state?.note) return round;
    return { ...round, other: noteOf(seen) };
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
    const checkpoint = verdict.value;
    const seen = { note, checkpoint };
    this.#seen = seen;
    const state = this.#state;
    const problem = state && strangeness(state.checkpoint, checkpoint);
    if (problem !== undefined) return refuted(problem);
    const other = this.#unproven.otherThan(checkpoint);
    if (other !== undefined) return beginningOtherwise(other, seen);
    if (state === undefined) return this.#advance(seen, new Frontier());
    if (checkpoint.epoch !== state.checkpoint.epoch) return this.#behindCut(seen, state);
    return this.#sameEpoch(seen, state);
  }

  /** Verifies a checkpoint of the known epoch. */
  async #sameEpoch(seen: Signed, state: MonitorState): Promise<Round> {
    const { checkpoint: known } = state;
    const { size, root: signed } = seen.checkpoint;
    const areKnown = this.#leaves.areOf(known);
    if (size > known.size) {
      return this.#advance(seen, areKnown ? Frontier.unpack(state.edge) : new Frontier());
    }
    if (!areKnown) await this.#leaves.fetch(known);
    const root = size === known.size ? known.root : await this.#leaves.rootAt(size, known);
    if (!areSameBytes(root, signed))
      return forked(state, seen, `${size} events have two signed roots`);
    const fork = await this.#outside(state);
    if (fork !== undefined) return fork;
    await this.#unproven.settle(known);
    return size < known.size ? { kind: 'behind', size, known: known.size } : this.#checkRecords(0);
  }

  /** Returns the fork, if a checkpoint of an earlier round is not of this verified tree. */
  async #outside(tree: Signed): Promise<Round | undefined> {
    const { checkpoint } = tree;
    if (!this.#unproven.hasWithin(checkpoint)) return undefined;
    if (this.#leaves.areDamaged(checkpoint)) await this.#leaves.fetch(checkpoint);
    const other = this.#unproven.outside(checkpoint, this.#files.leaves);
    return other && beginningOtherwise(other, tree);
  }

  /**
   * Verifies a checkpoint of a larger tree than the known one, whose right edge is given; the edge of
   * the empty tree if the known leaves have to be read again.
   */
  async #advance(seen: Signed, edge: Frontier): Promise<Round> {
    const { note, checkpoint } = seen;
    const { size, root } = checkpoint;
    const tree = new PublishedTree(this.#log, size);
    const known = this.#state?.checkpoint ?? { size: 0, root: edge.root() };
    const isAnew = edge.size < known.size;
    const { leaves } = this.#files;
    const problem = await followTree(tree, edge, leaves);
    if (!areSameBytes(edge.root(), root)) {
      return (
        (await this.#forkBefore(seen, tree)) ??
        refuted(problem ?? 'the tiles do not lead to the signed root')
      );
    }
    if (problem !== undefined) return refuted(problem);
    if (isAnew && !areSameBytes(rootsAt([known.size], leaves)[0], known.root)) {
      return beginningOtherwise(this.#state as MonitorState, seen);
    }
    const fork = await this.#outside(seen);
    if (fork !== undefined) return fork;
    const checked = this.#state?.checked;
    await this.#save({ note, checkpoint, edge: edge.pack(), checked });
    await this.#unproven.settle(checkpoint);
    this.#leaves.areChecked = true;
    return this.#checkRecords(size - known.size);
  }

  /** Returns the fork, if the tiles lead to the root of a larger tree, and not to the known one. */
  async #forkBefore(seen: Signed, tree: PublishedTree): Promise<Round | undefined> {
    const state = this.#state;
    if (state === undefined || state.checkpoint.size === 0) return undefined;
    const { size, root } = state.checkpoint;
    const other = await earlierRoot(tree, seen.checkpoint, size);
    if (other === undefined || areSameBytes(other, root)) return undefined;
    return beginningOtherwise(state, seen);
  }

  /** Verifies a checkpoint of another epoch, and goes on there if that was accepted. */
  async #behindCut({ note, checkpoint: seen }: Signed, state: MonitorState): Promise<Round> {
    const tree = new PublishedTree(this.#log, seen.size);
    const comparison = new Comparison(this.#files.leaves, state.checkpoint);
    const edge = new Frontier();
    const problem = await followTree(tree, edge, comparison);
    if (problem !== undefined || !areSameBytes(edge.root(), seen.root)) {
      return refuted(problem ?? 'the tiles do not lead to the signed root');
    }
    const kept = comparison.end();
    const other = { note, size: seen.size };
    const cut: Cut = { epoch: seen.epoch, kept, known: noteOf(state), other };
    if (seen.epoch !== this.#monitoring.acceptedEpoch) return { kind: 'cut', ...cut };
    // In this order, so that hashes of the earlier epoch are never taken for those of the new one.
    this.#files.leaves.write(0, Buffer.alloc(0));
    const next = { note, checkpoint: seen, edge: edge.pack() };
    await this.#save(next);
    this.#records = undefined;
    await this.#leaves.fetch(seen);
    const fork = await this.#outside(next);
    if (fork !== undefined) return fork;
    await this.#unproven.settle(seen);
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

  async #save(state: MonitorState): Promise<void> {
    await this.#files.save(writeState(state));
    this.#state = state;
  }
}
