import { FORM_RULES, requireArray } from './aggregate/form.ts';
import { asText } from './aggregate/text.ts';
import { Violation } from './aggregate/violation.ts';
import type { ListRule } from './oracle/list-rules.ts';
import type { Command, Order, OrderEvent } from './vocabulary.ts';

/**
 * The interface of a system under test: a decider, a store, a server. A target executes commands;
 * its other members are optional, and checked if present.
 */
export interface Target {
  readonly name: string;
  /** Starts a new session, without orders that the model has placed. */
  open(): Session | Promise<Session>;
}

export interface Session {
  /** @param client The index of the client, from 0, for targets that distinguish clients. */
  perform(command: Command, client: number): Told | Promise<Told>;
  /** Returns all orders as listed. */
  list?(): Promise<readonly Order[]>;
  get?(id: bigint): Promise<Order | undefined>;
  /** Returns all recorded events, the oldest first. */
  events?(): Promise<readonly Recorded[]>;
  /** Ends like a killed process, and continues with the stored data. */
  restart?(): Promise<void>;
  close?(): Promise<void>;
  /** True if the target chooses ids; the id of a command that places an order is ignored then. */
  readonly choosesIds?: boolean;
  /** True if it accepts shipments of pending orders only. */
  readonly shipsPendingOnly?: boolean;
  /** True if others use the same store; the model ignores their orders. */
  readonly isShared?: boolean;
}

/** A target's result for a command. Absent members are not checked. */
export type Told =
  | {
      readonly kind: 'accepted';
      /** The id of the order; required of a target that has chosen it. */
      readonly orderId?: bigint;
      /** The number of events of the order, including this one. */
      readonly version?: number;
      /** The recorded events. */
      readonly events?: readonly OrderEvent[];
      /** The order after the command. */
      readonly order?: Order;
    }
  | { readonly kind: 'rejected'; readonly reason: string };

export interface Recorded {
  /** The position in the whole log, from 1. */
  readonly position: number;
  /** The number of events of its order, including this one. */
  readonly version: number;
  readonly event: OrderEvent;
}

/** The properties that the model checks, by their names in reports. */
export type Rule =
  | ListRule
  | 'every answer is that of the table'
  | 'every change is recorded once, and nothing else is'
  | 'positions are dense and versions count'
  | 'the log has the events in the order of their commands'
  | 'what was acknowledged outlives a restart'
  | 'a repeated command changes nothing, and gets the first answer'
  | 'one order is shown as the list shows it'
  | 'a new order has an id that no other has'
  | (typeof FORM_RULES)[keyof typeof FORM_RULES]
  | 'nothing fails';

export { Violation };

/** Returns all orders as listed; `undefined` if the target has no list. Throws if it is no array. */
export async function listOf(session: Session): Promise<readonly Order[] | undefined> {
  if (session.list === undefined) return undefined;
  const list = await session.list();
  requireArray('the list', list);
  for (const order of list) requireObject('an order of the list', order, 'an order');
  return list;
}

/** Returns all recorded events; `undefined` if the target has none. Throws if they are no array. */
export async function eventsOf(session: Session): Promise<readonly Recorded[] | undefined> {
  if (session.events === undefined) return undefined;
  const events = await session.events();
  requireArray('the events', events);
  for (const each of events) {
    requireObject('one of the events', each, '{ position, version, event }');
    requireObject('a recorded event', each.event, '{ type, orderId, … }');
  }
  return events;
}

/** Throws a {@link Violation} unless a value is an object. */
export function requireObject(what: string, value: unknown, due: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw violation(FORM_RULES.form, `${what}: ${asText(value)}, and should be ${due}`);
}

export function violation(rule: Rule, detail: string): Violation {
  return new Violation(rule, detail);
}
