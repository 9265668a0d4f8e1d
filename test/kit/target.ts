import type { ListRule } from './oracle/list-rules.ts';
import type { Command, Order, OrderEvent } from './vocabulary.ts';

/**
 * What the model can be run against: a decider, a store, a server. A target answers commands; all
 * else that it can do is checked where it can do it.
 */
export interface Target {
  readonly name: string;
  /** Begins anew, with no order that the model has placed. */
  open(): Session | Promise<Session>;
}

export interface Session {
  /** @param client Which of several clients asks, from 0, where it makes a difference. */
  perform(command: Command, client: number): Told | Promise<Told>;
  /** All orders, as the target lists them. */
  list?(): Promise<readonly Order[]>;
  get?(id: bigint): Promise<Order | undefined>;
  /** All that was recorded, oldest first. */
  events?(): Promise<readonly Recorded[]>;
  /** Ends as a process does that is killed, and goes on with what was stored. */
  restart?(): Promise<void>;
  close?(): Promise<void>;
  /** It gives ids to the orders itself; a command's own id is ignored when it places one. */
  readonly choosesIds?: boolean;
  /** It can be told that a pending order has shipped, and nothing else. */
  readonly shipsPendingOnly?: boolean;
  /** Others work on the same store: orders that the model has not placed are none of its business. */
  readonly isShared?: boolean;
}

/** What a target says to a command. What it leaves out is not checked. */
export type Told =
  | {
      readonly kind: 'accepted';
      /** The id of the order, where the target has chosen it. */
      readonly orderId?: bigint;
      /** How many events the order has by now. */
      readonly version?: number;
      /** What was recorded. */
      readonly events?: readonly OrderEvent[];
      /** The order as it is by now. */
      readonly order?: Order;
    }
  | { readonly kind: 'rejected'; readonly reason: string };

export interface Recorded {
  /** Its place in the whole log, from 1. */
  readonly position: number;
  /** How many events its order has with this one. */
  readonly version: number;
  readonly event: OrderEvent;
}

/** The properties that the model holds a target to, by the names that its reports give them. */
export type Rule =
  | ListRule
  | 'every answer is that of the table'
  | 'every change is recorded once, and nothing else is'
  | 'positions are dense and versions count'
  | 'what was acknowledged outlives a restart'
  | 'one order is shown as the list shows it'
  | 'a new order has an id that no other has'
  | 'nothing fails';

/** A target broke a rule. */
export class Violation extends Error {
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(detail);
    this.name = 'Violation';
    this.rule = rule;
  }
}

export function violation(rule: Rule, detail: string): Violation {
  return new Violation(rule, detail);
}
