import type { Decider } from './domain.ts';
import { WatchedDecider } from './form.ts';
import { asText, isSame } from './text.ts';
import { Violation } from './violation.ts';

/** Tests decisions: given the events of an aggregate, when a command is decided, then … */

/** Each of these throws a {@link Violation} if the decision is another one. */
export interface Then<Event> {
  thenRecorded(...events: readonly Event[]): void;
  /** The command is accepted, and nothing is recorded. */
  thenNothing(): void;
  thenRejected(reason: string): void;
}

export interface Given<Command, Event> {
  when(command: Command): Then<Event>;
}

export function given<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  history: readonly Event[],
): Given<Command, Event> {
  return {
    when(command) {
      const watched = new WatchedDecider('the decider', decider);
      const decision = watched.decide('the decision', command, history);
      const expect = (expected: typeof decision) => {
        if (isSame(decision, expected)) return;
        const lines = [
          `given ${asText(history)}`,
          `when ${asText(command)}`,
          `then ${asText(expected)}`,
          `but it is ${asText(decision)}`,
        ];
        throw new Violation('a decision is as described', lines.join('\n'));
      };
      return {
        thenRecorded: (...events) => expect({ kind: 'accepted', events }),
        thenNothing: () => expect({ kind: 'accepted', events: [] }),
        thenRejected: (reason) => expect({ kind: 'rejected', reason }),
      };
    },
  };
}
