import { FEW_DATES } from './arbitraries.ts';
import type { Name, Program, Step } from './program.ts';

/**
 * Enumerates all small programs instead of drawing some. Programs that differ only in the names of
 * orders or dates are equivalent, and occur once.
 */

const [FIRST_DATE, SECOND_DATE] = FEW_DATES;

/** All commands to one order, including shipments on each of two dates. */
function commandsTo(order: Name): readonly Step[] {
  return [
    { do: 'place', order, petId: 1n, quantity: 1 },
    { do: 'ship', order, shipDate: FIRST_DATE },
    { do: 'ship', order, shipDate: SECOND_DATE },
    { do: 'cancel', order },
  ];
}

/**
 * Yields every sequence of the given number of commands to the given number of orders. Every
 * shorter sequence is a prefix of one of these, so checking each response of these checks all of
 * them.
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
  // Orders are named in order of appearance: A, B, …; dates likewise.
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

/** Yields every interleaving of two clients with the given number of commands each, as 0 and 1. */
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

/**
 * Yields every program of two clients with the given numbers of commands and orders, interleaved.
 */
export function* everyInterleaving(
  commandsEach: number,
  orders: number,
): IterableIterator<Program> {
  for (const program of everySequence(commandsEach * 2, orders)) {
    for (const clients of everySchedule(commandsEach)) yield { ...program, clients };
  }
}

/** The number of concurrent programs in a session, each on its own orders. */
const CHUNK_PROGRAMS = 4_096;

/** Splits the programs into chunks. */
export function* inChunks(programs: Iterable<Program>): IterableIterator<readonly Program[]> {
  let chunk: Program[] = [];
  for (const program of programs) {
    chunk.push(program);
    if (chunk.length < CHUNK_PROGRAMS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
