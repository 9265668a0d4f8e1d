import type { Decider as AnyDecider } from '../aggregate/domain.ts';
import { deciderTarget as targetOf } from '../aggregate/target.ts';
import type { Target } from '../target.ts';
import type { Command, OrderEvent, Rejection } from '../vocabulary.ts';

/** A pure state machine of one order: the events of a command in a state, and the state after an event. */
export interface Decider<State> extends AnyDecider<State, Command, OrderEvent> {
  decide(
    command: Command,
    state: State,
  ):
    | { readonly kind: 'accepted'; readonly events: readonly OrderEvent[] }
    | { readonly kind: 'rejected'; readonly reason: Rejection };
}

/** Returns a decider as a target: one state for each order, without storage. */
export function deciderTarget<State>(name: string, decider: Decider<State>): Target {
  const target = targetOf(name, decider);
  return {
    name,
    async open() {
      const session = await target.open();
      let commands = 0;
      return {
        perform(command, client) {
          commands += 1;
          const commandId = `command-${commands}`;
          return session.perform({ id: `${command.orderId}`, command, commandId, client });
        },
      };
    },
  };
}
