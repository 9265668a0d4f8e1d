import fc, { type Arbitrary } from 'fast-check';
import { commandsTo, eventsOf, fewIds } from './arbitraries.ts';
import { brokenHistoryRule, type HistoryRule } from './oracle/history.ts';
import { OracleStore } from './oracle/store.ts';
import type { OrderEvent } from './vocabulary.ts';

/** A history, with the rule that it breaks and the event that breaks it. */
export interface IllegalHistory {
  readonly events: readonly OrderEvent[];
  readonly rule: HistoryRule;
  /** Where the first event stands that breaks a rule, from 0. */
  readonly at: number;
}

/** What a store has recorded that was asked anything about the orders with these ids. */
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

/** A legal history, an event that may not follow it, and anything behind that. */
export function illegalHistories(ids: Arbitrary<bigint> = fewIds): Arbitrary<IllegalHistory> {
  const suffixes = fc.array(eventsOf(ids), { maxLength: 5 });
  return fc
    .tuple(legalHistories(ids, 12), eventsOf(ids), suffixes)
    .map(([legal, wrong, after]) => {
      const broken = brokenHistoryRule([...legal, wrong]);
      return broken && { ...broken, events: [...legal, wrong, ...after] };
    })
    .filter((history) => history !== undefined);
}
