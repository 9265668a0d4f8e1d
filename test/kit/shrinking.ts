import type { Program, Step } from './program.ts';
import type { Order } from './vocabulary.ts';

/**
 * Yields candidates for a smaller failing program, the largest reductions first. Every candidate is
 * simpler than the program: it has fewer steps, or as many steps and fewer orders, or as many of
 * both and simpler values. So shrinking terminates, with a program of which nothing can be omitted.
 */
export function* simplerPrograms(program: Program): IterableIterator<Program> {
  yield* withFewerSteps(program);
  yield* withFewerOrders(program);
  yield* withPlainerValues(program);
}

/** Yields the same for concurrent programs: fewer programs first, then simpler ones. */
export function* simplerBundles(bundle: readonly Program[]): IterableIterator<readonly Program[]> {
  const { length } = bundle;
  // One part, the larger parts first; then all but one part.
  for (let size = length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < length; from += size) yield bundle.slice(from, from + size);
  }
  for (let size = length >> 1; size >= 1 && length > 2; size >>= 1) {
    for (let from = 0; from < length; from += size) {
      yield [...bundle.slice(0, from), ...bundle.slice(from + size)];
    }
  }
  for (const [index, program] of bundle.entries()) {
    for (const simpler of simplerPrograms(program)) yield bundle.with(index, simpler);
  }
}

/** The largest number of steps of which each pair is omitted: some steps matter only as a pair. */
const FEW_STEPS = 12;

function* withFewerSteps({ ids, steps }: Program): IterableIterator<Program> {
  const { length } = steps;
  for (let size = length >> 1; size >= 1; size >>= 1) {
    // Usually the last step fails, so the first steps are omitted first.
    for (let from = 0; from < length; from += size) {
      yield { ids, steps: [...steps.slice(0, from), ...steps.slice(from + size)] };
    }
  }
  if (length > FEW_STEPS) return;
  for (let first = 0; first < length; first++) {
    for (let second = first + 2; second < length; second++) {
      yield { ids, steps: steps.filter((_, index) => index !== first && index !== second) };
    }
  }
}

function* withFewerOrders({ ids, steps }: Program): IterableIterator<Program> {
  const named = [...new Set(steps.flatMap((step) => ('order' in step ? [step.order] : [])))].sort();
  // Names without gaps: A, B, C.
  if (named.length < ids.length) {
    yield {
      ids: named.map((name) => ids[name] as bigint),
      steps: steps.map((step) => renamed(step, (name) => named.indexOf(name))),
    };
  }
  for (const name of named) {
    for (const other of named.filter((each) => each < name)) {
      yield {
        ids,
        steps: steps.map((step) => renamed(step, (each) => (each === name ? other : each))),
      };
    }
  }
}

function renamed(step: Step, to: (name: number) => number): Step {
  return 'order' in step ? { ...step, order: to(step.order) } : step;
}

/** Dates that are sometimes equal. */
export const FEW_DATES = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const;

/** Values from the simplest on. A value is only replaced by an earlier one, or a smaller one. */
const PLAIN_IDS = [1n, 2n, 3n, 2n ** 53n + 1n, 2n ** 53n + 3n] as const;
const PLAIN_QUANTITIES = [1, 2] as const;
const PLAIN_DATES = [...FEW_DATES, '1970-01-01T00:00:00.000Z', '1969-12-31T00:00:00.000Z'] as const;

function* withPlainerValues({ ids, steps }: Program): IterableIterator<Program> {
  const plainIds = ids.map((_, index) => BigInt(index + 1));
  if (ids.some((id, index) => id !== plainIds[index])) yield { ids: plainIds, steps };
  for (const [index, id] of ids.entries()) {
    for (const plainer of before(id, PLAIN_IDS)) {
      if (!ids.includes(plainer)) yield { ids: ids.with(index, plainer), steps };
    }
  }
  const plain = steps.map((step) => plainersOf(step)[0] ?? step);
  if (plain.some((step, index) => step !== steps[index])) yield { ids, steps: plain };
  for (const [index, step] of steps.entries()) {
    for (const plainer of plainersOf(step)) yield { ids, steps: steps.with(index, plainer) };
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

/** Yields placements of which one value is plainer. */
export function* plainerPlacings(placing: Placing): IterableIterator<Placing> {
  const { shipDate, ...undated } = placing;
  if (shipDate !== undefined) yield undated;
  const { petId: pet, quantity: number } = placing;
  for (const petId of [...smaller(pet), ...before(pet, PLAIN_IDS)]) yield { ...placing, petId };
  const numbers = [...smaller(BigInt(number)).map(Number), ...before(number, PLAIN_QUANTITIES)];
  for (const quantity of numbers) yield { ...placing, quantity };
  if (shipDate === undefined) return;
  for (const date of plainerDates(shipDate)) yield { ...placing, shipDate: date };
}

/** Returns integers between 0 and a value, from half of it to the next one, so that one bisects. */
function smaller(value: bigint): readonly bigint[] {
  if (PLAIN_IDS.includes(value as (typeof PLAIN_IDS)[number])) return [];
  const between: bigint[] = [];
  for (let step = value / 2n; step !== 0n; step /= 2n) between.push(value - step);
  return value < 0n ? [-value, ...between] : between;
}

/** Returns plainer dates: few ones, then the same day and the same second. */
function plainerDates(shipDate: string): readonly string[] {
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
