import { type DecodeStrictly, EventRules, type StoredRow } from './event-rules.ts';
import { recordOf } from './record.ts';
import { RecordTree } from './verifier.ts';

/** Something that is not as it must be. */
export interface Finding {
  /** The first position where it is wrong, or may be; absent where it is not about events. */
  readonly from?: number;
  /** The last such position, where it cannot be told exactly. */
  readonly to?: number;
  readonly problem: string;
}

/** What the log was at a size, by somebody's account. */
export interface ExpectedHead {
  /** Whose account, for people: the name of a file. */
  readonly name: string;
  readonly size: number;
  /** `undefined` where the account does not say. */
  readonly root: Uint8Array | undefined;
  /** What it means where the log has another root there, or ends before: it has been cut since. */
  readonly cut?: { readonly from: number; readonly problem: string };
}

/** The tree over the records, and what it is held against as it grows. */
export interface CheckedTree {
  append(record: string): void;
  root(): Uint8Array;
  /** What does not fit at the end of the log. */
  end(size: number): readonly Finding[];
  /** What did not fit on the way. */
  findings(): readonly Finding[];
}

/** A tree that is held against nothing but accounts of its root. */
export class PlainTree implements CheckedTree {
  readonly #tree = new RecordTree();

  append(record: string): void {
    this.#tree.add(record);
  }

  root(): Uint8Array {
    return this.#tree.head().root;
  }

  end(): readonly Finding[] {
    return [];
  }

  findings(): readonly Finding[] {
    return [];
  }
}

/**
 * Checks a trail from its first event to its last. The first event that breaks a rule ends that;
 * trees and accounts that do not fit are noted on the way.
 */
export class TrailCheck {
  readonly #rules: EventRules;
  readonly #tree: CheckedTree;
  readonly #heads: Map<number, ExpectedHead[]>;
  readonly #findings: Finding[] = [];
  /** Up to which size the accounts are true. */
  #confirmed = 0;

  constructor(decode: DecodeStrictly, tree: CheckedTree, heads: readonly ExpectedHead[]) {
    this.#rules = new EventRules(decode);
    this.#tree = tree;
    this.#heads = Map.groupBy(heads, ({ size }) => size);
    this.#compare(0);
  }

  /** How many events obey the rules, from the first on. */
  get size(): number {
    return this.#rules.due - 1;
  }

  /** Checks the next event. False where it breaks a rule: then no other can be checked. */
  add(row: StoredRow): boolean {
    const from = this.#rules.due;
    const problem = this.#rules.problemOf(row);
    if (problem !== undefined) return this.fail(problem);
    this.#tree.append(recordOf(row));
    this.#compare(from);
    return true;
  }

  /** Notes that the next event cannot be what it must be. */
  fail(problem: string): false {
    this.#findings.push({ from: this.#rules.due, problem });
    return false;
  }

  /** Notes what is missing, or too much, behind the last event. */
  end(): void {
    const { size } = this;
    this.#findings.push(...this.#tree.end(size));
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

  /** All that was found; first that which tells most exactly where the first mistake is. */
  findings(): readonly Finding[] {
    return [...this.#tree.findings(), ...this.#findings].sort(
      (one, other) => lastOf(one) - lastOf(other),
    );
  }

  #compare(size: number): void {
    const heads = this.#heads.get(size);
    // Where one does not fit, those of later sizes cannot.
    if (heads === undefined || this.#confirmed === Number.POSITIVE_INFINITY) return;
    const root = Buffer.from(this.#tree.root());
    const others = heads.filter((head) => !root.equals(head.root ?? root));
    const from = this.#confirmed + 1;
    for (const { name, cut } of others) {
      const problem = `${name} has another root for these ${size} events`;
      this.#findings.push({ from, problem, ...cut, to: size });
    }
    const isConfirmed = others.every(({ cut }) => cut !== undefined);
    this.#confirmed = isConfirmed ? size : Number.POSITIVE_INFINITY;
  }
}

/** Up to where something is wrong for sure. */
function lastOf({ from, to = from }: Finding): number {
  return to ?? Number.POSITIVE_INFINITY;
}
