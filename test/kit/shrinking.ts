import {
  namesIn,
  renameAll,
  type StepLanguage,
  simplerBundles as simpler,
  withFewerNames,
  withFewerSteps,
  withPlainerValues as withPlainerSteps,
} from './aggregate/simpler.ts';
import type { Program, Step } from './program.ts';
import { MIN_INT64, type Order } from './vocabulary.ts';

/** The steps of orders, as shrinking sees them. */
const STEPS: StepLanguage<Step> = {
  nameOf: (step) => ('order' in step ? step.order : undefined),
  renamed: (step, order) => ({ ...step, order }) as Step,
  plainer: plainersOf,
};

/**
 * Yields candidates for a smaller failing program, the largest reductions first. Every candidate is
 * simpler than the program: it has fewer steps, or as many steps and fewer orders, or as many of
 * both and simpler values. So shrinking terminates, with a program of which nothing can be omitted.
 */
export function* simplerPrograms({ ids, steps }: Program): IterableIterator<Program> {
  for (const fewer of withFewerSteps(steps)) yield { ids, steps: fewer };
  yield* withFewerOrders({ ids, steps });
  yield* withPlainerIds({ ids, steps });
  for (const plainer of withPlainerSteps(STEPS, steps)) yield { ids, steps: plainer };
}

/** Yields the same for concurrent programs: fewer programs first, then simpler ones. */
export function simplerBundles(bundle: readonly Program[]): IterableIterator<readonly Program[]> {
  return simpler(bundle, simplerPrograms);
}

function* withFewerOrders({ ids, steps }: Program): IterableIterator<Program> {
  const named = namesIn(STEPS, steps);
  // Names without gaps: A, B, C.
  if (named.length < ids.length) {
    yield {
      ids: named.map((name) => ids[name] as bigint),
      steps: renameAll(STEPS, steps, (name) => named.indexOf(name)),
    };
  }
  for (const fewer of withFewerNames(STEPS, steps)) yield { ids, steps: fewer };
}

/** Dates that are sometimes equal. */
export const FEW_DATES = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const;

/** Dates of the day of the first one, which a comparison of days, hours or seconds takes for it. */
export const CLOSE_DATES = [
  '2026-01-01T00:00:00.001Z',
  '2026-01-01T00:00:01.000Z',
  '2026-01-01T01:00:00.000Z',
] as const;

/** Values from the simplest on. A value is only replaced by an earlier one, or a smaller one. */
const PLAIN_IDS = [1n, 2n, 3n, 2n ** 53n + 1n, 2n ** 53n + 3n] as const;
/** The largest of the ids that are plain for being small. */
const FEW_IDS = 3n;
const PLAIN_QUANTITIES = [1, 2, 1_000, 65_536] as const;
const PLAIN_DATES = [
  ...FEW_DATES,
  ...CLOSE_DATES.toReversed(),
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T00:00:00.000Z',
  '2024-02-29T00:00:00.000Z',
  '2040-01-01T00:00:00.000Z',
] as const;

function* withPlainerIds({ ids, steps }: Program): IterableIterator<Program> {
  const plainIds = ids.map((_, index) => BigInt(index + 1));
  if (ids.some((id, index) => id !== plainIds[index])) yield { ids: plainIds, steps };
  for (const [index, id] of ids.entries()) {
    // The order's own number comes first, or two ids would take each other's place without an end.
    for (const plainer of before(id, [BigInt(index + 1), ...PLAIN_IDS])) {
      if (!ids.includes(plainer)) yield { ids: ids.with(index, plainer), steps };
    }
  }
}

function plainersOf(step: Step): readonly Step[] {
  if (step.do === 'ship') {
    return plainerDates(step.shipDate).map((shipDate) => ({ ...step, shipDate }));
  }
  if (step.do !== 'place') return [];
  const { do: what, order, ...placing } = step;
  return [...plainerPlacings(placing)].map((plainer) => ({ do: what, order, ...plainer }));
}

type Placing = Pick<Order, 'petId' | 'quantity' | 'shipDate'>;

/** Yields plainer placements, the plainest values first: to bisect takes many runs. */
export function* plainerPlacings(placing: Placing): IterableIterator<Placing> {
  const { shipDate, ...undated } = placing;
  const { petId: pet, quantity: number } = undated;
  const [petId, quantity] = [PLAIN_IDS[0], PLAIN_QUANTITIES[0]];
  // All values at once: a server may take a while for each run.
  if ([pet !== petId, number !== quantity, shipDate !== undefined].filter(Boolean).length > 1) {
    yield { ...undated, petId, quantity };
  }
  if (shipDate !== undefined) yield undated;
  const pets = plainer(pet);
  const numbers = PLAIN_QUANTITIES.filter((plain) => plain < number);
  for (const first of pets.slice(0, 1)) yield { ...placing, petId: first };
  for (const first of numbers.slice(0, 1)) yield { ...placing, quantity: first };
  const dates = shipDate === undefined ? [] : plainerDates(shipDate);
  for (const date of dates) yield { ...placing, shipDate: date };
  for (const other of [...smaller(pet), ...pets.slice(1)]) yield { ...placing, petId: other };
  const others = [...smaller(BigInt(number)).map(Number), ...numbers.slice(1)];
  for (const other of others) yield { ...placing, quantity: other };
}

/** Returns the plain ids that are plainer than an id: none of them is larger, but for the first few. */
function plainer(id: bigint): readonly bigint[] {
  const size = id < 0n ? -id : id;
  return before(id, PLAIN_IDS).filter((plain) => plain <= FEW_IDS || plain <= size);
}

/**
 * Returns integers between 0 and a value, from half of it to the next one, so that one bisects. For a
 * negative one, its counterpart and -1 come first.
 */
function smaller(value: bigint): readonly bigint[] {
  if (PLAIN_IDS.includes(value as (typeof PLAIN_IDS)[number])) return [];
  const between: bigint[] = [];
  for (let step = value / 2n; step !== 0n; step /= 2n) between.push(value - step);
  if (value >= 0n) return between;
  // The lowest int64 has no counterpart.
  const counterpart = value === MIN_INT64 ? [] : [-value];
  return [...counterpart, ...(value === -1n ? [] : [-1n]), ...between];
}

/** Returns plainer dates: few ones, then the same day and the same second. */
export function plainerDates(shipDate: string): readonly string[] {
  const plain = before(shipDate, PLAIN_DATES);
  const isPlain = plain.length < PLAIN_DATES.length;
  const [day, second] = [
    `${shipDate.slice(0, -14)}T00:00:00.000Z`,
    `${shipDate.slice(0, -5)}.000Z`,
  ];
  return isPlain
    ? plain
    : [...new Set([...plain, day, second])].filter((date) => date !== shipDate);
}

/** Returns the items before a value in a list, or the whole list if it lacks the value. */
function before<Item>(value: Item, plain: readonly Item[]): readonly Item[] {
  const index = plain.indexOf(value);
  return index === -1 ? plain : plain.slice(0, index);
}
