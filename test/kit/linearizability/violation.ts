import type { Operation } from '../history/history.ts';

/** The rules that a history can break. */
export const RULES = {
  unexpected: 'every answer is one that the contract knows',
  nobody: 'every order was placed by somebody',
  twice: 'one request places one order at most',
  linearizable: 'what happened to one order can be told as one thing after another',
  torn: 'of two lists, one has seen everything that the other has',
  forgotten: 'a later list never forgets',
  moment: 'a list is the state of the whole store at one moment while it was asked for',
} as const;

export type Rule = keyof typeof RULES;

/** A broken rule, and the few operations that show it. */
export interface Violation {
  readonly rule: Rule;
  /** The orders that it is about: of a list, nothing else is worth showing. */
  readonly orders: readonly bigint[];
  readonly evidence: readonly Evidence[];
  /** Why it cannot be, in sentences. */
  readonly why: readonly string[];
}

export interface Evidence {
  readonly operation: Operation;
  /** The answer plays no part: it would be as wrong if the request had not been answered. */
  readonly isOpen: boolean;
}

/** The evidence that stands as it is. */
export function asRecorded(...operations: readonly Operation[]): readonly Evidence[] {
  return [...new Set(operations)].map((operation) => ({ operation, isOpen: false }));
}
