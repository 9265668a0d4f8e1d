import fc, { type Arbitrary } from 'fast-check';
import { illegal, MAX_BEFORE } from './aggregate/histories.ts';
import { commandsTo, eventsOf, fewIds } from './arbitraries.ts';
import { brokenHistoryRule, type HistoryRule } from './oracle/history.ts';
import { OracleStore } from './oracle/store.ts';
import type { OrderEvent } from './vocabulary.ts';

/** A history, with the rule that it violates and the violating event. */
export interface IllegalHistory {
  readonly events: readonly OrderEvent[];
  readonly rule: HistoryRule;
  /** The index of the first event that violates a rule, from 0. */
  readonly at: number;
}

/** Draws the events that a store records for arbitrary commands to the orders with these ids. */
export function legalHistories(
  ids: Arbitrary<bigint> = fewIds,
  maxLength = 40,
): Arbitrary<readonly OrderEvent[]> {
  return fc.array(commandsTo(ids), { maxLength }).map((commands) => {
    const store = new OracleStore();
    for (const command of commands) store.submit(command);
    return store.events;
  });
}

/** Draws a legal history, then an illegal event, then any events. */
export function illegalHistories(ids: Arbitrary<bigint> = fewIds): Arbitrary<IllegalHistory> {
  return illegal(legalHistories(ids, MAX_BEFORE), eventsOf(ids), brokenHistoryRule);
}
