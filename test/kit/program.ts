import { letterOf, type Name } from './aggregate/program.ts';
import type { Command } from './vocabulary.ts';

/**
 * Programs: sequences of steps of a client. A program names orders by letters, like the variables
 * of a script, so that the same program runs whether the client or the server chooses ids.
 */

export { letterOf, type Name };

export type Step =
  | {
      readonly do: 'place';
      readonly order: Name;
      readonly petId: bigint;
      readonly quantity: number;
      readonly shipDate?: string;
    }
  | { readonly do: 'ship'; readonly order: Name; readonly shipDate: string }
  | { readonly do: 'cancel'; readonly order: Name }
  | { readonly do: 'get'; readonly order: Name }
  | { readonly do: 'list' }
  /** The process is killed, and another one continues with the stored data. */
  | { readonly do: 'restart' };

export interface Program {
  /**
   * The id of each order, by its name: the id under which it is placed if the client chooses ids,
   * and the id by which it is requested before it is placed.
   */
  readonly ids: readonly bigint[];
  readonly steps: readonly Step[];
  /** The client of each step; default the first one for all. */
  readonly clients?: readonly number[];
}

/** A concurrent program: several clients, each with its own steps in order. */
export interface ConcurrentProgram {
  readonly ids: readonly bigint[];
  readonly clients: readonly (readonly Step[])[];
}

const KINDS: readonly Step['do'][] = ['place', 'ship', 'cancel', 'get', 'list', 'restart'];

/** Throws a RangeError unless a program that a user has written can run. */
export function requireProgram(program: Program): void {
  const { ids, steps } = Object(program) as Program;
  if (!(Array.isArray(ids) && Array.isArray(steps))) {
    throw new RangeError('a program has ids and steps, which are arrays');
  }
  for (const id of ids) {
    if (typeof id !== 'bigint') throw new RangeError(`an id is a bigint, and not ${id}`);
  }
  for (const step of steps) {
    if (!KINDS.includes(step.do)) {
      throw new RangeError(`a step does one of ${KINDS.join(', ')}, and not ${step.do}`);
    }
    if (step.do === 'list' || step.do === 'restart' || step.order in ids) continue;
    throw new RangeError(`order ${step.order} of a step has no id: ids has ${ids.length}`);
  }
}

/** Returns an id that no order has on a server that chooses ids, since it chooses positive ones. */
export function absentId(id: bigint): bigint {
  return id > 0n ? -id : id;
}

/** Returns the command of a step. */
export function commandOf(
  step: Extract<Step, { do: 'place' | 'ship' | 'cancel' }>,
  orderId: bigint,
): Command {
  switch (step.do) {
    case 'place': {
      const { petId, quantity, shipDate } = step;
      const placed = { type: 'PlaceOrder', orderId, petId, quantity } as const;
      return shipDate === undefined ? placed : { ...placed, shipDate };
    }
    case 'ship':
      return { type: 'ShipOrder', orderId, shipDate: step.shipDate };
    case 'cancel':
      return { type: 'CancelOrder', orderId };
  }
}
