import { FEW_DATES } from './arbitraries.ts';
import type { Name, Program, Step } from './program.ts';

/**
 * Where it is small, everything: programs enumerated rather than drawn. What differs only in what
 * an order or a date is called is the same program, and comes up once.
 */

const [FIRST_DATE, SECOND_DATE] = FEW_DATES;

/** All that can be asked of one order, a shipment on one of two dates among it. */
function commandsTo(order: Name): readonly Step[] {
  return [
    { do: 'place', order, petId: 1n, quantity: 1 },
    { do: 'ship', order, shipDate: FIRST_DATE },
    { do: 'ship', order, shipDate: SECOND_DATE },
    { do: 'cancel', order },
  ];
}

/**
 * Every sequence of so many commands to so many orders. Every shorter one is the beginning of one
 * of these, so to run these, checking each answer, is to run them all.
 */
export function* everySequence(length: number, orders: number): IterableIterator<Program> {
  const ids = Array.from({ length: orders }, (_, index) => BigInt(index + 1));
  for (const steps of sequences(length, orders, 0, false)) yield { ids, steps };
}

function* sequences(
  length: number,
  orders: number,
  named: number,
  dated: boolean,
): IterableIterator<readonly Step[]> {
  if (length === 0) {
    yield [];
    return;
  }
  // The first order to be named is A, the next one B; the first date is the first.
  for (let order = 0; order < Math.min(named + 1, orders); order++) {
    for (const step of commandsTo(order)) {
      const ships = step.do === 'ship';
      if (ships && !dated && step.shipDate === SECOND_DATE) continue;
      const nowNamed = Math.max(named, order + 1);
      for (const rest of sequences(length - 1, orders, nowNamed, dated || ships)) {
        yield [step, ...rest];
      }
    }
  }
}

/** Every order in which two clients with so many commands each can come: 0 for one, 1 for the other. */
export function everySchedule(commandsEach: number): readonly (readonly number[])[] {
  return schedules(commandsEach, commandsEach);
}

function schedules(first: number, second: number): readonly (readonly number[])[] {
  if (first === 0 && second === 0) return [[]];
  return [
    ...(first > 0 ? schedules(first - 1, second).map((rest) => [0, ...rest]) : []),
    ...(second > 0 ? schedules(first, second - 1).map((rest) => [1, ...rest]) : []),
  ];
}

/** Every interleaving of two clients with so many commands each, to so many orders. */
export function* everyInterleaving(
  commandsEach: number,
  orders: number,
): IterableIterator<Program> {
  for (const program of everySequence(commandsEach * 2, orders)) {
    for (const clients of everySchedule(commandsEach)) yield { ...program, clients };
  }
}

/** How many programs a session takes at once, each on its own orders. */
const CHUNK = 4_096;

/** The programs in chunks. */
export function* inChunks(programs: Iterable<Program>): IterableIterator<readonly Program[]> {
  let chunk: Program[] = [];
  for (const program of programs) {
    chunk.push(program);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
