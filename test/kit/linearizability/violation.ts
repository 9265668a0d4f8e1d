import type { Operation } from '../history/history.ts';

/** The rules that a history can violate. */
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

/** A violated rule, with the few operations that show it. */
export interface Violation {
  readonly rule: Rule;
  /** The orders that it is about: other rows of a list are not shown. */
  readonly orders: readonly bigint[];
  readonly evidence: readonly Evidence[];
  /** The explanation, in sentences. */
  readonly why: readonly string[];
}

export interface Evidence {
  readonly operation: Operation;
  /** True if the response is irrelevant: without it the violation would be the same. */
  readonly isOpen: boolean;
}

/** Returns operations as evidence, with their responses. */
export function asRecorded(...operations: readonly Operation[]): readonly Evidence[] {
  return [...new Set(operations)].map((operation) => ({ operation, isOpen: false }));
}
