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
import { Frontier, HASH_BYTES } from '../../log/merkle-tree.ts';
import { LogAway, type MonitorFiles, type PublishedLog } from '../../ports/published-log.ts';
import { byAnyKey } from '../proofs/by-any-key.ts';
import { areSameBytes } from '../proofs/bytes.ts';
import type { Finding } from '../proofs/trail-check.ts';
import { type Checkpoint, verifyCheckpoint } from '../proofs/verifier.ts';
import { earlierRoot, followTree } from './follow-tree.ts';
import { Comparison } from './leaf-comparison.ts';
import type { Cut, Monitoring, Round, SignedNote } from './monitor-round.ts';
import { type MonitorState, writeState } from './monitor-state.ts';
import { FalseTile, PublishedTree } from './published-tree.ts';
import { RecordCheck } from './record-check.ts';

const MAX_CHECKPOINT_BYTES = 1 << 18;
const CHUNK_LEAVES = 65_536;

export class Monitor {
  readonly #log: PublishedLog;
  readonly #files: MonitorFiles;
  readonly #monitoring: Monitoring;
  #state: MonitorState | undefined;
  #records: RecordCheck | undefined;

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

  /** Does a round. Throws {@link LogAway} if the log has not answered to the end. */
  async round(): Promise<Round> {
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
    const state = this.#state;
    if (state === undefined) return this.#advance(seen, note, new Frontier());
    const { checkpoint: known } = state;
    if (baseOf(seen) !== baseOf(known)) return refuted(otherLog(known, seen));
    if (seen.epoch !== known.epoch) {
      if (epochNumberOf(seen.epoch) <= epochNumberOf(known.epoch))
        return refuted(otherEpoch(known, seen));
      return this.#behindCut(seen, note, state);
    }
    await this.#needLeaves(state);
    if (seen.size > known.size) return this.#advance(seen, note, Frontier.unpack(state.edge));
    const root = seen.size === known.size ? known.root : await this.#knownRoot(seen.size, state);
    if (!areSameBytes(root, seen.root)) {
      return forked(state, { note, size: seen.size }, `${seen.size} events have two signed roots`);
    }
    return seen.size < known.size
      ? { kind: 'behind', size: seen.size, known: known.size }
      : this.#checkRecords(0);
  }

  /** Verifies a checkpoint of a larger tree than the known one, whose right edge is given. */
  async #advance(seen: Checkpoint, note: string, edge: Frontier): Promise<Round> {
    const tree = new PublishedTree(this.#log, seen.size);
    const before = edge.size;
    const problem = await followTree(tree, edge, this.#files.leaves);
    if (!areSameBytes(edge.root(), seen.root)) {
      return (
        (await this.#forkBefore(seen, note, tree)) ??
        refuted(problem ?? 'the tiles do not lead to the signed root')
      );
    }
    if (problem !== undefined) return refuted(problem);
    const checked = this.#state?.checked;
    await this.#save({ note, checkpoint: seen, edge: edge.pack(), checked });
    return this.#checkRecords(seen.size - before);
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
    const problem = `the log of ${seen.size} events begins with other events than those that were \
signed at ${size}`;
    return forked(state, { note, size: seen.size }, problem);
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
    await this.#needLeaves(next);
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
    const [earlier, whole] = rootsAt([size, checkpoint.size], this.#files);
    if (areSameBytes(whole, checkpoint.root)) return earlier;
    await this.#fetchLeaves(state);
    return rootsAt([size, checkpoint.size], this.#files)[0];
  }

  /** Fetches the known leaves again if their file is missing or was cut. */
  async #needLeaves(state: MonitorState): Promise<void> {
    if (this.#files.leaves.count < state.checkpoint.size) await this.#fetchLeaves(state);
  }

  async #fetchLeaves({ checkpoint: { size, root } }: MonitorState): Promise<void> {
    const edge = new Frontier();
    await followTree(new PublishedTree(this.#log, size), edge, this.#files.leaves);
    if (!areSameBytes(edge.root(), root)) {
      this.#files.leaves.write(0, Buffer.alloc(0));
      throw new FalseTile(`the tiles do not lead to the root that was signed at ${size} events`);
    }
  }

  async #save(state: MonitorState): Promise<void> {
    await this.#files.save(writeState(state));
    this.#state = state;
  }
}

/** Returns the roots of the known tree at two sizes. */
function rootsAt([size, whole]: readonly [number, number], { leaves }: MonitorFiles) {
  const edge = new Frontier();
  let earlier = edge.root();
  for (let from = 0; from < whole; from += CHUNK_LEAVES) {
    const hashes = leaves.read(from, Math.min(CHUNK_LEAVES, whole - from));
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      edge.append(hashes.subarray(at, at + HASH_BYTES));
      if (edge.size === size) earlier = edge.root();
    }
  }
  return [earlier, edge.root()] as const;
}

function refuted(problem: string): Round {
  return { kind: 'refuted', finding: { problem } };
}

function forked({ note, checkpoint }: MonitorState, other: SignedNote, problem: string): Round {
  return { kind: 'forked', problem, known: { note, size: checkpoint.size }, other };
}

/** Returns the name of a checkpoint's log, without its epoch. */
function baseOf({ origin, epoch }: Checkpoint): string {
  return origin.replace(`+${epoch}`, '');
}

function otherLog(known: Checkpoint, seen: Checkpoint): string {
  return `the checkpoint is of ${baseOf(seen)}, and the state of ${baseOf(known)}`;
}

function otherEpoch(known: Checkpoint, seen: Checkpoint): string {
  return `the checkpoint is of epoch ${seen.epoch}, and the state of epoch ${known.epoch}`;
}
