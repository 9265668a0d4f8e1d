import { type Bound, type Happening, happeningsOf } from './happenings.ts';
import type { ListOperation, Orders } from './orders.ts';
import { inWords } from './timeline.ts';
import { asRecorded, type Violation } from './violation.ts';

/**
 * The rules across orders: every list is the whole store at one moment between its invocation and
 * its return, and a later list never forgets. docs/linearizability.md derives why this is exact.
 */

/** A list or a happening, in the order in which the lists say that they came. */
type Moment =
  | { readonly list: ListOperation; readonly from: Bound; readonly until: Bound }
  | { readonly happening: Happening; readonly from: Bound; readonly until: Bound };

/** What is wrong with the lists, if anything is. The orders by themselves must be right. */
export function judgeLists(orders: Orders): Violation | undefined {
  const { lists } = orders;
  const happenings = happeningsOf(orders);
  const sizes = new Map(lists.map((list) => [list, countSeen(happenings, list)]));
  const bySize = lists.toSorted((a, b) => (sizes.get(a) as number) - (sizes.get(b) as number));
  for (const [index, list] of bySize.entries()) {
    const before = bySize[index - 1];
    const torn = before && contradiction(happenings, before, list);
    if (torn !== undefined) return torn(orders);
  }
  return outOfTime(layersOf(bySize, happenings), orders);
}

/** Whether a list has seen something happen. */
function sees({ rows }: ListOperation, { order, what }: Happening): boolean {
  const row = rows[order];
  if (row === undefined || what === 'placed') return row !== undefined;
  return what === 'shipped' ? row.complete : row.status === 'cancelled';
}

function countSeen(happenings: readonly Happening[], list: ListOperation): number {
  return happenings.reduce((count, happening) => count + (sees(list, happening) ? 1 : 0), 0);
}

/** Two lists of which each has seen something that the other has not. `larger` has seen as much. */
function contradiction(
  happenings: readonly Happening[],
  smaller: ListOperation,
  larger: ListOperation,
): ((orders: Orders) => Violation) | undefined {
  const only = (one: ListOperation, other: ListOperation) => {
    return happenings.find((happening) => sees(one, happening) && !sees(other, happening));
  };
  const [missed, gained] = [only(smaller, larger), only(larger, smaller)];
  if (missed === undefined || gained === undefined) return undefined;
  return ({ ids }) => ({
    rule: 'torn',
    orders: [...new Set([missed.order, gained.order])].map((order) => ids[order] as bigint),
    evidence: asRecorded(smaller.by, larger.by),
    why: [
      `${inWords(smaller.by)} shows that ${told(missed, ids)}, and not that ${told(gained, ids)}`,
      `${inWords(larger.by)} shows it the other way round`,
    ],
  });
}

/**
 * Everything in layers: what the smallest lists have seen, these lists, what the next larger lists
 * have seen beyond that, those lists, and so on; last, what no list has seen. The layers come one
 * after another, whatever the clock says. Within a layer there is no order.
 */
function layersOf(
  bySize: readonly ListOperation[],
  happenings: readonly Happening[],
): readonly (readonly Moment[])[] {
  const layers: Moment[][] = [];
  let unseen = happenings;
  let listsAlike: Moment[] = [];
  for (const list of bySize) {
    const seen = unseen.filter((happening) => sees(list, happening));
    if (seen.length > 0 || listsAlike.length === 0) {
      unseen = unseen.filter((happening) => !sees(list, happening));
      listsAlike = [];
      layers.push(seen.map(momentOf), listsAlike);
    }
    listsAlike.push({
      list,
      from: { time: list.invoked, by: list.by },
      until: { time: list.returned, by: list.by },
    });
  }
  return [...layers, unseen.map(momentOf)];
}

function momentOf(happening: Happening): Moment {
  return { happening, from: happening.from, until: happening.until };
}

/** Whether something must have been over before something could begin that came earlier. */
function outOfTime(layers: readonly (readonly Moment[])[], orders: Orders): Violation | undefined {
  let latest: Moment | undefined;
  for (const [index, layer] of layers.entries()) {
    for (const moment of layer) {
      if (latest !== undefined && moment.until.time < latest.from.time) {
        return explain(latest, moment, layers.slice(0, index).flat(), orders);
      }
    }
    for (const moment of layer) {
      if (latest === undefined || moment.from.time > latest.from.time) latest = moment;
    }
  }
  return undefined;
}

/** By the lists `earlier` comes first; by the clock it began when `later` was over. */
function explain(
  earlier: Moment,
  later: Moment,
  before: readonly Moment[],
  { ids }: Orders,
): Violation {
  if ('list' in earlier && 'list' in later) return forgotten(earlier.list, later.list, before, ids);
  if ('list' in earlier || 'list' in later) throw new Error('the orders by themselves are wrong');
  const [shown, missing] = [earlier.happening, later.happening];
  const between = before.flatMap((moment) => ('list' in moment ? [moment.list] : []));
  const list = between.find((list) => sees(list, shown) && !sees(list, missing));
  if (list === undefined) throw new Error('no list has told the two apart');
  return {
    rule: 'moment',
    orders: [...new Set([shown.order, missing.order])].map((order) => ids[order] as bigint),
    evidence: asRecorded(list.by, earlier.from.by, later.until.by),
    why: [
      `${inWords(list.by)} shows that ${told(shown, ids)}`,
      `that was not so before ${inWords(earlier.from.by)} was asked`,
      `${inWords(list.by)} does not show that ${told(missing, ids)}`,
      `that was so, and earlier, when ${inWords(later.until.by)} was answered`,
    ],
  };
}

function forgotten(
  forgetful: ListOperation,
  first: ListOperation,
  before: readonly Moment[],
  ids: readonly bigint[],
): Violation {
  const lost = before.flatMap((moment) => {
    if (!('happening' in moment)) return [];
    const { happening } = moment;
    return sees(first, happening) && !sees(forgetful, happening) ? [happening] : [];
  })[0] as Happening;
  return {
    rule: 'forgotten',
    orders: [ids[lost.order] as bigint],
    evidence: asRecorded(first.by, forgetful.by),
    why: [
      `${inWords(first.by)} shows that ${told(lost, ids)}`,
      `${inWords(forgetful.by)} was asked after it was answered, and does not show it`,
    ],
  };
}

function told({ order, what }: Happening, ids: readonly bigint[]): string {
  return `order ${ids[order]} was ${what}`;
}
