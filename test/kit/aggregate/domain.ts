import type { Arbitrary } from 'fast-check';

/** The description of an event-sourced aggregate, from which everything else in this folder is made. */

/** The result of a command in a state: events, which may be none, or the reason to refuse it. */
export type Decision<Event, Reason extends string = string> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'rejected'; readonly reason: Reason };

/** A pure state machine: the result of a command in a state, and the state after an event. */
export interface Decider<State, Command, Event> {
  readonly initial: State;
  decide(command: Command, state: State): Decision<Event>;
  evolve(state: State, event: Event): State;
}

/**
 * An aggregate as the kit has to know it. States, commands and events are plain values: they are
 * compared by their content, and printed.
 */
export interface Domain<State, Command, Event> {
  /** The aggregate's name in messages, such as "loan". */
  readonly name: string;
  /**
   * The reference: the plainest correct state machine, such as a table. It should share no code with
   * what is tested, or both have the same faults.
   */
  readonly model: Decider<State, Command, Event>;
  /** Draws any command to one aggregate. Draw from few values, so that commands conflict. */
  readonly commands: Arbitrary<Command>;
  /** Draws any event of one aggregate, whether it is possible or not. */
  readonly events: Arbitrary<Event>;
  /**
   * Returns the command that records an event. An event is possible in a state exactly if the model
   * decides that command to that event; otherwise the model's reason names the broken rule. If several
   * commands record such events, the event must show by which one it was.
   */
  causeOf(event: Event): Command;
  /** Returns what a reader sees of an aggregate, for targets that can be read. */
  view?(state: State): unknown;
  /**
   * Yields commands that are plainer than this one, the plainest first. Absent: fast-check's own
   * candidates for a value of `commands`. No command may be plainer than itself, even by detours, or
   * shrinking does not end.
   */
  plainer?(command: Command): Iterable<Command>;
  /** Returns a command in words. Absent: as JSON. */
  print?(command: Command): string;
}

/** What programs and messages need of a domain. */
export type Commands<Command> = Pick<
  Domain<unknown, Command, unknown>,
  'commands' | 'plainer' | 'print'
>;
