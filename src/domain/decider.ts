/**
 * The shape of an event-sourced aggregate: three pure members, nothing else.
 * (Jérémie Chassaing, "Functional Event Sourcing Decider", 2021.)
 */
export interface Decider<Command, Event, State, Reason> {
  /** The state of a stream that has no events. */
  readonly initial: State;
  /** What a command does to a state: the events to append, or the reason why it is refused. */
  decide(command: Command, state: State): Decision<Event, Reason>;
  /** The state after one more fact. Total: it judges nothing and never throws. */
  evolve(state: State, event: Event): State;
}

/**
 * The answer to a command. "Nothing to do" is `accepted` without events: what was asked for is
 * already so. "Refused" is `rejected`, always with a reason. The two never blur.
 */
export type Decision<Event, Reason> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'rejected'; readonly reason: Reason };

export function accepted<Event>(...events: readonly Event[]): Decision<Event, never> {
  return { kind: 'accepted', events };
}

export function rejected<Reason>(reason: Reason): Decision<never, Reason> {
  return { kind: 'rejected', reason };
}

/** The state that a stream's events lead to, oldest first: the only way a state comes about. */
export function rebuild<Event, State>(
  decider: Pick<Decider<never, Event, State, unknown>, 'initial' | 'evolve'>,
  events: Iterable<Event>,
): State {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}
