/**
 * The signed checkpoints of a log whose trees a monitor has not seen: the tiles did not come, or did
 * not lead to the signed root. Each is kept until a verified tree contains it. Another root at its size
 * proves a fork, whatever the log has published in between.
 */

import { epochNumberOf } from '../../log/epochs.ts';
import type { MonitorFiles, Rows } from '../../ports/published-log.ts';
import { byAnyKey } from '../proofs/by-any-key.ts';
import { areSameBytes } from '../proofs/bytes.ts';
import {
  type Checkpoint,
  isInNameOf,
  readNote,
  readNoteKey,
  type Verdict,
  verifyCheckpoint,
} from '../proofs/verifier.ts';
import { rootsAt } from './leaf-comparison.ts';
import type { Signed } from './monitor-round.ts';
import { strangeness } from './monitor-state.ts';

/** A checkpoint whose tree was not seen. */
export interface Unproven extends Signed {
  /** True if an alert was raised for it: its tiles led to another root, or were none. */
  readonly isRefuted: boolean;
}

const FORMAT = 'store-orders/monitor-unproven/v1';

/** The most that are kept, so that the file stays small. Later ones are dropped. */
const MAX_UNPROVEN = 256;

export class UnprovenCheckpoints {
  readonly #files: MonitorFiles;
  readonly #keys: readonly string[];
  #all: readonly Unproven[];

  /** @param keys The keys of the log. */
  constructor(files: MonitorFiles, keys: readonly string[], all: readonly Unproven[]) {
    this.#files = files;
    this.#keys = keys;
    this.#all = all;
  }

  /** Adds a checkpoint, unless its tree is there or known, or cannot be compared with the known one. */
  async add(seen: Unproven, known: Signed | undefined): Promise<void> {
    const { checkpoint } = seen;
    if (known && strangeness(known.checkpoint, checkpoint) !== undefined) return;
    const isThere = [...(known ? [known] : []), ...this.#all].some(
      ({ checkpoint: { origin, size, root } }) =>
        origin === checkpoint.origin &&
        size === checkpoint.size &&
        areSameBytes(root, checkpoint.root),
    );
    if (isThere || this.#all.length >= MAX_UNPROVEN) return;
    await this.#replace([...this.#all, { ...seen, note: ownNoteOf(seen.note, this.#keys) }]);
  }

  /** Returns one of the same size and epoch with another root. */
  otherThan(seen: Checkpoint): Signed | undefined {
    return this.#of(seen).find(
      ({ checkpoint: { size, root } }) => size === seen.size && !areSameBytes(root, seen.root),
    );
  }

  /** Returns true if one is of a beginning of such a tree, or should be. */
  hasWithin(tree: Checkpoint): boolean {
    return this.#within(tree).length > 0;
  }

  /** Returns one that is no beginning of a verified tree, whose leaves are given. */
  outside(tree: Checkpoint, leaves: Rows): Signed | undefined {
    const within = this.#within(tree);
    const sizes = within.map(({ checkpoint: { size } }) => size);
    const roots = rootsAt(sizes, leaves);
    return within.find(({ checkpoint: { root } }, at) => !areSameBytes(roots[at] as Buffer, root));
  }

  /** Drops those that a verified tree contains, and those of an epoch that was left. */
  async settle({ origin, size, epoch }: Checkpoint): Promise<void> {
    const left = this.#all.filter(({ checkpoint: each }) =>
      each.origin === origin ? each.size > size : epochNumberOf(each.epoch) >= epochNumberOf(epoch),
    );
    if (left.length < this.#all.length) await this.#replace(left);
  }

  /** Returns the largest size beyond a tree for which the log has not sent the tiles. */
  sizeBeyond(tree: Checkpoint): number | undefined {
    const sizes = this.#of(tree).flatMap(({ isRefuted, checkpoint: { size } }) =>
      isRefuted || size <= tree.size ? [] : [size],
    );
    return sizes.length === 0 ? undefined : Math.max(...sizes);
  }

  #of({ origin }: Checkpoint): readonly Unproven[] {
    return this.#all.filter(({ checkpoint }) => checkpoint.origin === origin);
  }

  #within(tree: Checkpoint): readonly Unproven[] {
    return this.#of(tree).filter(({ checkpoint: { size } }) => size <= tree.size);
  }

  async #replace(all: readonly Unproven[]): Promise<void> {
    await this.#files.saveUnproven(writeUnproven(all));
    this.#all = all;
  }
}

/**
 * Returns a signed note without the lines of others, each line once: the log may put any there, so that
 * the file would be too long to be read again.
 */
function ownNoteOf(note: string, keys: readonly string[]): string {
  const { text, signatures } = held(readNote(note));
  const logKeys = keys.map((key) => held(readNoteKey(key)));
  const lines = note.slice(text.length + 1).split('\n');
  const own = lines.filter((_, at) => {
    const signature = signatures[at];
    return signature !== undefined && logKeys.some((key) => isInNameOf(signature, key));
  });
  return `${text}\n${[...new Set(own)].join('\n')}\n`;
}

/** Returns the value of a verdict on what was verified before. */
function held<Value>(verdict: Verdict<Value>): Value {
  return (verdict as Extract<Verdict<Value>, { readonly ok: true }>).value;
}

function writeUnproven(all: readonly Unproven[]): string {
  const checkpoints = all.map(({ note, isRefuted }) => ({ note, isRefuted }));
  return `${JSON.stringify({ format: FORMAT, checkpoints })}\n`;
}

/** Reads the text that was saved. Each checkpoint must be signed with one of the keys. */
export function readUnproven(text: string, keys: readonly string[]): Verdict<readonly Unproven[]> {
  let parts: Readonly<Record<string, unknown>>;
  try {
    parts = Object(JSON.parse(text));
  } catch {
    return { ok: false, reason: 'it is not JSON' };
  }
  const { format, checkpoints } = parts;
  if (format !== FORMAT || !Array.isArray(checkpoints)) {
    return { ok: false, reason: 'its format is another' };
  }
  const all: Unproven[] = [];
  for (const each of checkpoints) {
    const { note, isRefuted } = Object(each) as Record<string, unknown>;
    const signed = byAnyKey(keys, (key) => verifyCheckpoint(String(note), key));
    if (!signed.ok) return { ok: false, reason: `a checkpoint in it: ${signed.reason}` };
    all.push({ note: String(note), checkpoint: signed.value, isRefuted: isRefuted === true });
  }
  return { ok: true, value: all };
}
