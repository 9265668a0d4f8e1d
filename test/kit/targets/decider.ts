import type { Session, Target } from '../target.ts';
import type { Command, OrderEvent, Rejection } from '../vocabulary.ts';

/** A pure state machine: the events of a command in a state, and the state after an event. */
export interface Decider<State> {
  readonly initial: State;
  decide(
    command: Command,
    state: State,
  ):
    | { readonly kind: 'accepted'; readonly events: readonly OrderEvent[] }
    | { readonly kind: 'rejected'; readonly reason: Rejection };
  evolve(state: State, event: OrderEvent): State;
}

/** Returns a decider as a target: one state for each order, without storage. */
export function deciderTarget<State>(name: string, decider: Decider<State>): Target {
  return { name, open: () => new DeciderSession(decider) };
}

class DeciderSession<State> implements Session {
  readonly #decider: Decider<State>;
  readonly #states = new Map<bigint, State>();

  constructor(decider: Decider<State>) {
    this.#decider = decider;
  }

  perform(command: Command): ReturnType<Decider<State>['decide']> {
    const { initial, decide, evolve } = this.#decider;
    const state = this.#states.get(command.orderId) ?? initial;
    const decision = decide(command, state);
    if (decision.kind === 'rejected') return decision;
    if (decision.events.length > 0) {
      this.#states.set(command.orderId, decision.events.reduce(evolve, state));
    }
    return decision;
  }
}
