import fc from 'fast-check';
import type { Decision, Domain } from './aggregate/domain.ts';
import type { Session, Target } from './aggregate/target.ts';
import { commandsTo, eventsOf } from './arbitraries.ts';
import { ask, NO_ORDER, type OrderRow } from './oracle/table.ts';
import { plainerDates, plainerPlacings } from './shrinking.ts';
import type { Decider } from './targets/decider.ts';
import type { StoreUnderTest } from './targets/store.ts';
import type { Command, OrderEvent, Rejection } from './vocabulary.ts';

/** The order, as the kit for any aggregate knows it. Its model is the oracle's table. */

const ORDER_ID = 1n;
const REASONS = ['duplicate', 'other'];
const COMMANDS = {
  OrderPlaced: 'PlaceOrder',
  OrderShipped: 'ShipOrder',
  OrderCancelled: 'CancelOrder',
} as const;

/** The order by the contract, which has no reasons. */
export const ORDERS: Domain<OrderRow, Command, OrderEvent> & { readonly model: Decider<OrderRow> } =
  {
    name: 'order',
    model: {
      initial: NO_ORDER,
      decide(command, row): Decision<OrderEvent, Rejection> {
        const { answer } = ask(row, command);
        if (answer === 'nothing to do') return { kind: 'accepted', events: [] };
        if ('refused' in answer) return { kind: 'rejected', reason: answer.refused };
        return { kind: 'accepted', events: [{ ...command, type: answer.event } as OrderEvent] };
      },
      evolve: (row, event) => ask(row, causeOf(event)).order,
    },
    commands: commandsTo(fc.constant(ORDER_ID)),
    events: eventsOf(fc.constant(ORDER_ID)),
    causeOf,
    // As version 1 shows it: whether it has shipped.
    view: ({ status }) => (status === 'none' ? undefined : status === 'shipped'),
    *plainer(command) {
      if (command.type === 'PlaceOrder') {
        const { type, orderId, ...placing } = command;
        for (const plainer of plainerPlacings(placing)) yield { type, orderId, ...plainer };
      }
      if (command.type === 'ShipOrder') {
        for (const shipDate of plainerDates(command.shipDate)) yield { ...command, shipDate };
      }
      if (command.type === 'CancelOrder' && command.reason !== undefined) {
        yield { type: command.type, orderId: command.orderId };
      }
    },
    print: ({ type, orderId: _, ...rest }) => {
      const values = Object.entries(rest).map(([name, value]) => ` ${name} ${value}`);
      return `${type}${values.join(',')}`;
    },
  };

/** The same with reasons for cancellations, for stores that record them. */
export const ORDERS_WITH_REASONS: typeof ORDERS = {
  ...ORDERS,
  commands: commandsTo(fc.constant(ORDER_ID), REASONS),
  events: eventsOf(fc.constant(ORDER_ID), REASONS),
};

/** Returns a store as a target of the kit for any aggregate, with an order for each aggregate. */
export function orderTarget(
  name: string,
  open: () => Promise<StoreUnderTest>,
): Target<Command, OrderEvent> {
  return { name, open: async () => sessionOn(await open()) };
}

function sessionOn(opened: StoreUnderTest): Session<Command, OrderEvent> {
  let store = opened;
  return {
    async perform({ id, command, commandId, client }) {
      const own = { ...command, orderId: orderIdOf(id) };
      const outcome = await store.submit(
        { command: own, by: `client-${client}`, commandId },
        client,
      );
      if (outcome.kind === 'rejected') return outcome;
      // Without events, if the store tells them: theirs have the order's own id.
      if (outcome.kind === 'accepted') return { kind: 'accepted', version: outcome.version };
      throw new Error(outcome.cause);
    },
    view: async (id) => (await store.get(orderIdOf(id)))?.complete,
    async events(id) {
      const all = (await store.events()).map(({ event }) => event);
      const own = all.filter(({ orderId }) => orderId === orderIdOf(id));
      return own.map((event) => ({ ...event, orderId: ORDER_ID }));
    },
    ...(opened.reopen && {
      async restart() {
        store = (await store.reopen?.()) ?? store;
      },
    }),
    close: () => store.close(),
    ...(opened.isIdempotent && { isIdempotent: true }),
  };
}

/** Returns the id of an order, by the kit's name for it: "order-1". */
function orderIdOf(id: string): bigint {
  return BigInt(id.slice('order-'.length));
}

function causeOf(event: OrderEvent): Command {
  return { ...event, type: COMMANDS[event.type] } as Command;
}
