/** Checks a trail by the rules of a log and by the heads that it must have had. */

import { recordOf } from '../../log/recorded-event.ts';
import type { DecodeStrictly, OutsideHead, StoredRow } from '../../ports/evidence.ts';
import { areSameBytes } from './bytes.ts';
import { EventRules } from './event-rules.ts';
import { type Checkpoint, RecordTree } from './verifier.ts';

/** A flaw found by a check. */
export interface Finding {
  /** The first position that is, or may be, wrong; absent for flaws of other things. */
  readonly from?: number;
  /** The last such position; absent if only one is. */
  readonly to?: number;
  readonly problem: string;
}

/** The head that a log must have had at one size, according to another source. */
export interface ExpectedHead extends OutsideHead {
  /** The finding if the log has another root at that size, or is shorter: it was cut since. */
  readonly cut?: { readonly from: number; readonly problem: string };
}

/**
 * Returns the head that a signed checkpoint requires of a log, where the statements of its breaks are
 * not at hand. If the log lacks what the checkpoint has, the finding says that the log was cut, where it
 * is in another epoch, or that it is another log, where it has another name. One that was imported from
 * an export has another name, and the same events.
 * @param origin The log's origin, with its epoch.
 */
export function headUnder(origin: string, name: string, checkpoint: Checkpoint): ExpectedHead {
  const { epoch, size, root } = checkpoint;
  if (checkpoint.origin === origin) return { name, size, root };
  const problem =
    nameIn(checkpoint.origin) === nameIn(origin)
      ? `${name} is of epoch ${epoch}, and this log is ${origin}: it was cut in between, and lacks what ` +
        'the checkpoint has. Compare the checkpoint with one of today, with the statements of the breaks'
      : `${name} is of another log, ${checkpoint.origin}, and this log, ${origin}, lacks what it has`;
  return { name, size, root, cut: { from: 1, problem } };
}

/** Returns the name in an origin: the part before the plus sign, which is in no name. */
function nameIn(origin: string): string | undefined {
  return origin.split('+', 1)[0];
}

/** A tree over records, which may be compared with stored nodes as it grows. */
export interface CheckedTree {
  append(record: string): void;
  root(): Uint8Array;
  /** Returns the differences at the end of the log. */
  end?(size: number): readonly Finding[];
  /** Returns the differences before the end. */
  findings?(): readonly Finding[];
}

/** Returns a tree without stored nodes, which is compared with the expected heads only. */
export function plainTree(): CheckedTree {
  const tree = new RecordTree();
  return { append: (record) => tree.add(record), root: () => tree.head().root };
}

/**
 * Checks a trail from its first event to its last. The first event that breaks a rule ends the
 * check; differences of trees and heads are collected.
 */
export class TrailCheck {
  readonly #rules: EventRules;
  readonly #tree: CheckedTree;
  readonly #heads: Map<number, ExpectedHead[]>;
  readonly #findings: Finding[] = [];
  /** The size up to which all expected heads are confirmed. */
  #confirmed = 0;

  constructor(decode: DecodeStrictly, tree: CheckedTree, heads: readonly ExpectedHead[]) {
    this.#rules = new EventRules(decode);
    this.#tree = tree;
    this.#heads = Map.groupBy(heads, ({ size }) => size);
    this.#compare(0);
  }

  /** The number of events, from the first, that keep the rules. */
  get size(): number {
    return this.#rules.due - 1;
  }

  /**
   * Checks the next event. Returns false if it breaks a rule: no later event can be checked then.
   */
  add(row: StoredRow): boolean {
    const from = this.#rules.due;
    const problem = this.#rules.problemOf(row);
    if (problem !== undefined) return this.fail(problem);
    this.#tree.append(recordOf(row));
    this.#compare(from);
    return true;
  }

  /** Adds a finding at the next event. */
  fail(problem: string): false {
    this.#findings.push({ from: this.#rules.due, problem });
    return false;
  }

  /** Adds findings for missing or additional events at the end. */
  end(): void {
    const { size } = this;
    this.#findings.push(...(this.#tree.end?.(size) ?? []));
    for (const head of [...this.#heads.values()].flat()) {
      if (head.size <= size) continue;
      if (head.cut !== undefined) {
        this.#findings.push({ ...head.cut, to: head.size });
        continue;
      }
      const problem = `the log ends at position ${size}, and ${head.name} is of ${head.size} events`;
      this.#findings.push({ from: size + 1, to: head.size, problem });
    }
  }

  /** Returns all findings, first the one that locates the first flaw most exactly. */
  findings(): readonly Finding[] {
    return [...(this.#tree.findings?.() ?? []), ...this.#findings].sort(
      (one, other) => lastOf(one) - lastOf(other),
    );
  }

  #compare(size: number): void {
    const heads = this.#heads.get(size);
    // If one differs, those of later sizes differ as well.
    if (heads === undefined || this.#confirmed === Number.POSITIVE_INFINITY) return;
    const root = this.#tree.root();
    const others = heads.filter((head) => !areSameBytes(root, head.root ?? root));
    const from = this.#confirmed + 1;
    for (const { name, cut } of others) {
      const problem = `${name} has another root for these ${size} events`;
      this.#findings.push({ from, problem, ...cut, to: size });
    }
    const isConfirmed = others.every(({ cut }) => cut !== undefined);
    this.#confirmed = isConfirmed ? size : Number.POSITIVE_INFINITY;
  }
}

function lastOf({ from, to = from }: Finding): number {
  return to ?? Number.POSITIVE_INFINITY;
}
