/**
 * The shape of an event-sourced aggregate, independent of any one aggregate.
 * (Jérémie Chassaing, "Functional Event Sourcing Decider", 2021.)
 */

/** An aggregate: three pure members, nothing else. */
export interface Decider<Command, Event, State, Reason> {
  /** The state of a stream that has no events. */
  readonly initial: State;
  /** Returns the events to append for a command in a state, or the reason for its refusal. */
  decide(command: Command, state: State): Decision<Event, Reason>;
  /** Returns the state after one more event. Total: it judges nothing and never throws. */
  evolve(state: State, event: Event): State;
}

/**
 * The result of a command. "Nothing to do" is `accepted` without events: the state is already the
 * requested one. "Refused" is `rejected`, always with a reason. The two never blur.
 */
export type Decision<Event, Reason> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'rejected'; readonly reason: Reason };

/** Returns the decision to append events; with none, the decision that there is nothing to do. */
export function accepted<Event>(...events: readonly Event[]): Decision<Event, never> {
  return { kind: 'accepted', events };
}

/** Returns the decision to refuse a command for a reason. */
export function rejected<Reason>(reason: Reason): Decision<never, Reason> {
  return { kind: 'rejected', reason };
}

/** Returns the state that a stream's events lead to, oldest first. No state arises otherwise. */
export function rebuild<Event, State>(
  decider: Pick<Decider<never, Event, State, unknown>, 'initial' | 'evolve'>,
  events: Iterable<Event>,
): State {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}
