import type { Command } from './vocabulary.ts';

/**
 * A program is what a client does, one step after another. It names orders by letters, as a script
 * names its variables, so that the same program runs where the client chooses ids and where the
 * server does.
 */

/** Which order: 0 is A, 1 is B, and so on. */
export type Name = number;

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
  /** The process ends as it pleases, and another one goes on with what is stored. */
  | { readonly do: 'restart' };

export interface Program {
  /**
   * The id of each order, by its name: the one that it is placed under where the client chooses,
   * and the one that it is asked for by as long as it was not placed.
   */
  readonly ids: readonly bigint[];
  readonly steps: readonly Step[];
  /** Which of several clients takes each step; the first one takes all unless told. */
  readonly clients?: readonly number[];
}

/** What several clients do at once, each its own steps in order. */
export interface ConcurrentProgram {
  readonly ids: readonly bigint[];
  readonly clients: readonly (readonly Step[])[];
}

/** The letter of an order. */
export function letterOf(name: Name): string {
  return String.fromCharCode(65 + name);
}

/** The id that no order is expected to have on a server that chooses ids: it gives positive ones. */
export function absentId(id: bigint): bigint {
  return id > 0n ? -id : id;
}

/** A step as the command that it sends. */
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
