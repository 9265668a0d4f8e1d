import fc from 'fast-check';
import type { Decider, Domain } from 'store-orders-testing';
import type { Command, Copy, Event } from './library.ts';

/**
 * The loans of one copy of a book, as the kit has to know them. The model is what the library's staff
 * would say, and shares no code with library.ts.
 */

type Answer = Event | 'nothing to do' | { readonly refused: string };

/** The rules of the library, written to be read. */
function answerTo(command: Command, { lentTo, reservedBy }: Copy): Answer {
  switch (command.type) {
    case 'Lend':
      if (lentTo === command.to) return 'nothing to do';
      if (lentTo !== undefined) return { refused: 'lent_already' };
      if (reservedBy !== undefined && reservedBy !== command.to) return { refused: 'reserved' };
      return { type: 'Lent', to: command.to };
    case 'Return':
      return lentTo === undefined ? { refused: 'not_lent' } : { type: 'Returned' };
    case 'Reserve':
      if (reservedBy === command.by) return 'nothing to do';
      if (reservedBy !== undefined) return { refused: 'reserved' };
      if (lentTo === command.by) return { refused: 'lent_to_the_same' };
      return { type: 'Reserved', by: command.by };
  }
}

const model: Decider<Copy, Command, Event> = {
  initial: {},
  decide(command, copy) {
    const answer = answerTo(command, copy);
    if (answer === 'nothing to do') return { kind: 'accepted', events: [] };
    if ('refused' in answer) return { kind: 'rejected', reason: answer.refused };
    return { kind: 'accepted', events: [answer] };
  },
  evolve(copy, event) {
    switch (event.type) {
      case 'Lent':
        // A reservation ends when its reader gets the copy.
        return { lentTo: event.to };
      case 'Returned':
        return copy.reservedBy === undefined ? {} : { reservedBy: copy.reservedBy };
      case 'Reserved':
        return { ...copy, reservedBy: event.by };
    }
  },
};

// Three readers, so that they meet.
const readers = fc.constantFrom('ann', 'ben', 'eve');

export const LOANS: Domain<Copy, Command, Event> = {
  name: 'copy',
  model,
  commands: fc.oneof(
    readers.map((to): Command => ({ type: 'Lend', to })),
    fc.constant<Command>({ type: 'Return' }),
    readers.map((by): Command => ({ type: 'Reserve', by })),
  ),
  events: fc.oneof(
    readers.map((to): Event => ({ type: 'Lent', to })),
    fc.constant<Event>({ type: 'Returned' }),
    readers.map((by): Event => ({ type: 'Reserved', by })),
  ),
  causeOf(event) {
    switch (event.type) {
      case 'Lent':
        return { type: 'Lend', to: event.to };
      case 'Returned':
        return { type: 'Return' };
      case 'Reserved':
        return { type: 'Reserve', by: event.by };
    }
  },
  view: ({ lentTo, reservedBy }) => ({ lentTo, reservedBy }),
  print(command) {
    switch (command.type) {
      case 'Lend':
        return `lend to ${command.to}`;
      case 'Return':
        return 'return';
      case 'Reserve':
        return `reserve for ${command.by}`;
    }
  },
};
