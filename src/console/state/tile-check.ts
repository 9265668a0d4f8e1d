/**
 * The check of a folder of tiles (C2SP tlog-tiles), bundle by bundle: memory holds one bundle, the
 * right edge of the tree and the states of the orders, however many files there are.
 */

import { areSameBytes, textIn } from '../../app/audit/proofs/bytes.ts';
import { EventRules } from '../../app/audit/proofs/event-rules.ts';
import type { ExpectedHead } from '../../app/audit/proofs/trail-check.ts';
import { type Checkpoint, verifyCheckpoint } from '../../app/audit/proofs/verifier.ts';
import { fieldsOf } from '../../app/log/recorded-event.ts';
import { readStoredEvent } from './event-reader.ts';
import { expectedHeads } from './expected-heads.ts';
import { isolated } from './isolated.ts';
import { headWords, type Step, type Verified } from './proof-steps.ts';
import { Slices } from './slices.ts';
import { type FileProblem, type Folder, TileFolder } from './tile-folder.ts';
import { FULL_WIDTH, type TileName, writeTileName } from './tile-names.ts';
import { leafOf, type TileRow, TileTree } from './tile-tree.ts';
import { countText } from './times.ts';
import { unwitnessedSteps, witnessSteps } from './witness-steps.ts';

export interface TileProgress {
  readonly events: number;
  /** The number of events of the checkpoint; 0 until it is read. */
  readonly size: number;
}

export interface TilesInput {
  readonly folder: Folder;
  readonly key: string;
  /** Checkpoints of the reader, which the log must have had. */
  readonly notes: readonly string[];
  /** The texts of policies of witnesses. */
  readonly policies: readonly string[];
}

/** Checks a folder. Rejects with the reason of the signal if it is aborted. */
export async function checkTiles(
  input: TilesInput,
  signal: AbortSignal,
  onProgress: (progress: TileProgress) => void,
): Promise<Verified> {
  const folder = new TileFolder(input.folder);
  const note = await folder.checkpoint();
  signal.throwIfAborted();
  if (typeof note !== 'string') return refused(note.problem, folder, input.policies);
  const signed = verifyCheckpoint(note, input.key);
  if (!signed.ok) return refused(`checkpoint: ${signed.reason}`, folder, input.policies);
  const checkpoint = signed.value;
  const heads = expectedHeads(input.notes, input.key, checkpoint.origin);
  const check = new TileCheck(folder, checkpoint, 'problem' in heads ? [] : heads);
  const failure =
    'problem' in heads
      ? { step: 'yours' as const, ...heads }
      : await check.run(new Slices(signal, onProgress));
  signal.throwIfAborted();
  const stated = stepsOf(folder, checkpoint, input.notes.length > 0, failure);
  return { ...stated, steps: [...stated.steps, ...witnessSteps(note, input.policies)] };
}

type StepName = 'checkpoint' | 'hashes' | 'records' | 'events' | 'yours' | 'others';

interface Failure extends FileProblem {
  readonly step: StepName;
}

class TileCheck {
  readonly #folder: TileFolder;
  readonly #checkpoint: Checkpoint;
  readonly #heads: readonly ExpectedHead[];
  readonly #tree = new TileTree();
  readonly #rules = new EventRules(readStoredEvent);
  /** The first of the reader's checkpoints that the log does not lead to. */
  #other: Failure | undefined;

  constructor(folder: TileFolder, checkpoint: Checkpoint, heads: readonly ExpectedHead[]) {
    this.#folder = folder;
    this.#checkpoint = checkpoint;
    this.#heads = heads;
  }

  /** Returns the first failure. Of entries and hashes that differ, both files are named. */
  async run(slices: Slices<TileProgress>): Promise<Failure | undefined> {
    const { size, root } = this.#checkpoint;
    this.#compareHeads();
    for (let index = 0; index * FULL_WIDTH < size; index += 1) {
      const width = Math.min(FULL_WIDTH, size - index * FULL_WIDTH);
      const failure = await this.#addTile(index, width, slices);
      if (failure !== undefined) return failure;
      await slices.restIfOver(this.#progress);
    }
    const edge = this.#tree.partial();
    const failure = await this.#compareRows(edge.filter(({ level }) => level > 0));
    if (failure !== undefined) return failure;
    if (!areSameBytes(this.#tree.root(), root)) return { step: 'hashes', problem: otherRoot(edge) };
    const beyond = this.#heads.find((head) => head.size > size);
    if (beyond === undefined) return this.#other;
    const short = `the log in the folder ends at position ${size}, and ${beyond.name} is of a longer one`;
    return { step: 'yours', problem: beyond.cut?.problem ?? short };
  }

  get #progress(): TileProgress {
    return { events: this.#tree.size, size: this.#checkpoint.size };
  }

  /** Adds the leaves of one tile to the tree, and checks the files of what they fill. */
  async #addTile(
    index: number,
    width: number,
    slices: Slices<TileProgress>,
  ): Promise<Failure | undefined> {
    const bundle: TileName = { level: 'entries', index, width };
    const tile: TileName = { level: 0, index, width };
    const { hasEntries } = this.#folder;
    const entries = hasEntries ? await this.#folder.entries(bundle) : [];
    if ('problem' in entries) return { step: 'records', ...entries };
    const leaves = hasEntries ? entries.map(leafOf) : await this.#folder.hashes(tile);
    if ('problem' in leaves) return { step: 'hashes', ...leaves };
    // The lowest row is compared first, so that what differs is found where it is.
    const own = await this.#folder.compare({ level: 0, index, hashes: leaves });
    if (own !== undefined) return { step: hasEntries ? 'records' : 'hashes', ...own };
    const rows: TileRow[] = [];
    for (const each of leaves) {
      rows.push(...this.#tree.add(each));
      this.#compareHeads();
    }
    const above = await this.#compareRows(rows.filter(({ level }) => level > 0));
    return above ?? this.#checkEvents(bundle, entries, slices);
  }

  async #compareRows(rows: readonly TileRow[]): Promise<Failure | undefined> {
    for (const row of rows) {
      const problem = await this.#folder.compare(row);
      if (problem !== undefined) return { step: 'hashes', ...problem };
    }
    return undefined;
  }

  async #checkEvents(
    bundle: TileName,
    entries: readonly Uint8Array[],
    slices: Slices<TileProgress>,
  ): Promise<Failure | undefined> {
    for (const entry of entries) {
      const position = this.#rules.due;
      const problem = this.#problemOf(entry);
      if (problem !== undefined) {
        const where = `${writeTileName(bundle)}: position ${position}`;
        return { step: 'events', problem: `${where}: ${problem}` };
      }
      // Nothing is awaited for most events: that would take longer than their check.
      if (slices.isOver) await slices.restIfOver(this.#progress);
    }
    return undefined;
  }

  #problemOf(entry: Uint8Array): string | undefined {
    const text = textIn(entry);
    const fields = text === undefined ? undefined : fieldsOf(text);
    if (fields === undefined) return 'its record is not in the one form that it can have';
    const { position } = fields;
    if (position !== this.#rules.due) return `the record of position ${position} is in its place`;
    return this.#rules.problemOf(fields);
  }

  #compareHeads(): void {
    for (const { name, size, root, cut } of this.#heads) {
      if (size !== this.#tree.size || root === undefined) continue;
      if (areSameBytes(Uint8Array.from(root), this.#tree.root())) continue;
      const problem = `${name} has another root than the folder for these ${size} events`;
      this.#other ??= { step: 'yours', problem: cut?.problem ?? problem };
    }
  }
}

function otherRoot(edge: readonly TileRow[]): string {
  const files = edge.map(({ level, index, hashes: { length: width } }) =>
    writeTileName({ level, index, width }),
  );
  return (
    'checkpoint has another root than the tiles. It is of another log, or one of these was ' +
    `changed: ${files.join(', ')}`
  );
}

/** Returns the steps where the checkpoint is refused. */
function refused(problem: string, folder: TileFolder, policies: readonly string[]): Verified {
  const { steps } = stepsOf(folder, undefined, false, { step: 'checkpoint', problem });
  return { steps: [...steps, ...unwitnessedSteps(policies)] };
}

/** Returns all steps. They are checked side by side, so where one fails, no other is complete. */
function stepsOf(
  folder: TileFolder,
  checkpoint: Checkpoint | undefined,
  hasNotes: boolean,
  failure: Failure | undefined,
): Verified {
  const failed = failure?.step;
  // An empty log has no records that could be absent.
  const hasRecords = folder.hasEntries || checkpoint?.size === 0;
  const unchecked = failure === undefined ? folder.unchecked() : [];
  const known = checkpoint === undefined ? '' : `: ${headWords(checkpoint)}`;
  const open = (name: StepName) => {
    if (name === 'checkpoint') return false;
    if (failed !== undefined) return true;
    return name === 'others' ? unchecked.length > 0 : !hasRecords && OF_RECORDS.has(name);
  };
  const words: readonly (readonly [StepName, string])[] = [
    ['checkpoint', `The file checkpoint is signed by this key${known}.`],
    ['records', 'Each record has the hash that is in the tile beside it.'],
    ['hashes', 'Each tile leads to those above it, and all of them to the root of the checkpoint.'],
    [
      'events',
      'Each record is an event in its one form, in order, and one that a command can lead to.',
    ],
    ...(hasNotes
      ? [['yours', 'The log has all that your checkpoints are of, unchanged.'] as const]
      : []),
    ['others', othersWords(unchecked)],
  ];
  const steps = words.map(([name, what]): Step => {
    if (name === failure?.step) return { outcome: 'failed', what, reason: failure.problem };
    return { outcome: open(name) ? 'not checked' : 'ok', what };
  });
  if (failure !== undefined) return { steps };
  return { steps, facts: [['Files verified', countText(folder.checked)]] };
}

const OF_RECORDS: ReadonlySet<StepName> = new Set(['records', 'events']);

function othersWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'There is no other file in the folder.';
  const { length } = others;
  const more = length === 0 ? '' : ` and ${countText(length)} other${length === 1 ? '' : 's'}`;
  return `The checkpoint covers every file in the folder. It does not cover all of ${isolated(first)}${more}.`;
}
