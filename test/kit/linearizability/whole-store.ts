import { type Happening, happeningsOf } from './happenings.ts';
import type { ListOperation, Orders } from './orders.ts';
import { inWords } from './timeline.ts';
import { asRecorded, type Violation } from './violation.ts';

/**
 * The rule across orders: every list is the whole store at one moment between its invocation and
 * its return. docs/linearizability.md proves that this check decides the rule.
 */

/** Returns a violation in the lists, if there is one. Each order on its own must be correct. */
export function judgeLists(orders: Orders): Violation | undefined {
  const happenings = happeningsOf(orders);
  const lists = byWhatTheyHaveSeen(orders.lists, happenings);
  return tornLists(lists, happenings, orders) ?? timesAtOdds(lists, happenings, orders);
}

/** Returns true if a list shows a happening. */
function sees({ rows }: ListOperation, { order, what }: Happening): boolean {
  const row = rows[order];
  if (row === undefined || what === 'placed') return row !== undefined;
  return what === 'shipped' ? row.complete : row.status === 'cancelled';
}

/** Sorts lists into their only possible order: those that show fewer happenings first. */
function byWhatTheyHaveSeen(
  lists: readonly ListOperation[],
  happenings: readonly Happening[],
): readonly ListOperation[] {
  const seen = new Map(
    lists.map((list) => [list, happenings.filter((it) => sees(list, it)).length] as const),
  );
  return lists.toSorted((a, b) => (seen.get(a) as number) - (seen.get(b) as number));
}

/** Returns a violation if two lists each show a happening that the other lacks. */
function tornLists(
  lists: readonly ListOperation[],
  happenings: readonly Happening[],
  { ids }: Orders,
): Violation | undefined {
  for (const [index, list] of lists.entries()) {
    const before = lists[index - 1] ?? list;
    const lost = happenings.find((it) => sees(before, it) && !sees(list, it));
    if (lost === undefined) continue;
    // It shows as many happenings as the one before, so it shows another one instead.
    const gained = happenings.find((it) => sees(list, it) && !sees(before, it)) as Happening;
    return {
      rule: 'torn',
      orders: idsOf([lost, gained], ids),
      evidence: asRecorded(before.by, list.by),
      why: [
        `${inWords(before.by)} shows that ${told(lost, ids)}, and not that ${told(gained, ids)}`,
        `${inWords(list.by)} shows it the other way round`,
      ],
    };
  }
  return undefined;
}

/**
 * Returns a violation if a list shows a happening, but lacks one that was over before it began.
 */
function timesAtOdds(
  lists: readonly ListOperation[],
  happenings: readonly Happening[],
  { ids }: Orders,
): Violation | undefined {
  let unseen = happenings;
  /** The happening with the latest start so far, and the first list that shows it. */
  let latest: { readonly shown: Happening; readonly list: ListOperation } | undefined;
  for (const list of [...lists, undefined]) {
    const isNew = (it: Happening) => list === undefined || sees(list, it);
    const seen = unseen.filter(isNew);
    unseen = unseen.filter((it) => !isNew(it));
    for (const missing of seen) {
      if (latest !== undefined && missing.until.time < latest.shown.from.time) {
        return atOdds(latest.list, latest.shown, missing, ids);
      }
    }
    for (const shown of list === undefined ? [] : seen) {
      if (latest === undefined || shown.from.time > latest.shown.from.time) {
        latest = { shown, list: list as ListOperation };
      }
    }
  }
  return undefined;
}

function atOdds(
  { by }: ListOperation,
  shown: Happening,
  missing: Happening,
  ids: readonly bigint[],
): Violation {
  return {
    rule: 'moment',
    orders: idsOf([shown, missing], ids),
    evidence: asRecorded(by, shown.from.by, missing.until.by),
    why: [
      `${inWords(by)} shows that ${told(shown, ids)}`,
      `that was not so before ${inWords(shown.from.by)} was asked`,
      `${inWords(by)} does not show that ${told(missing, ids)}`,
      `that was so, and earlier, when ${inWords(missing.until.by)} was answered`,
    ],
  };
}

function idsOf(happenings: readonly Happening[], ids: readonly bigint[]): readonly bigint[] {
  return [...new Set(happenings.map(({ order }) => ids[order] as bigint))];
}

function told({ order, what }: Happening, ids: readonly bigint[]): string {
  return `order ${ids[order]} was ${what}`;
}
