import type { Recorded, Session, Target, Told } from '../target.ts';
import { violation } from '../target.ts';
import type { Command, Order } from '../vocabulary.ts';

/** An event-sourced store, as its application speaks to it. */
export interface StoreUnderTest {
  /** @param client Which of several clients asks, from 0, where it makes a difference. */
  submit(
    submission: { readonly command: Command; readonly by: string; readonly commandId: string },
    client: number,
  ): Promise<
    | { readonly kind: 'accepted'; readonly orderId: bigint; readonly version: number }
    | { readonly kind: 'rejected'; readonly reason: string }
    | { readonly kind: 'unavailable' | 'unknown'; readonly cause: string }
  >;
  /** Every order, as version 1 shows it, with everybody's acknowledged commands. */
  list(): Promise<readonly Order[]>;
  get(id: bigint): Promise<Order | undefined>;
  /** The events of the log, from the first to the last. */
  events(): Promise<readonly Recorded[]>;
  /** Ends without a word and opens what was stored. */
  reopen?(): Promise<StoreUnderTest>;
  close(): Promise<void>;
}

/** A store as a target: an engine with the application on it. */
export function storeTarget(name: string, open: () => Promise<StoreUnderTest>): Target {
  return { name, open: async () => sessionOn(await open()) };
}

function sessionOn(opened: StoreUnderTest): Session {
  let store = opened;
  let commands = 0;
  return {
    async perform(command, client): Promise<Told> {
      commands += 1;
      const submission = { command, by: `client-${client}`, commandId: `kit-${commands}` };
      const outcome = await store.submit(submission, client);
      if (outcome.kind === 'accepted' || outcome.kind === 'rejected') return outcome;
      throw violation('nothing fails', `${outcome.kind}: ${outcome.cause}`);
    },
    list: () => store.list(),
    get: (id) => store.get(id),
    events: () => store.events(),
    ...(opened.reopen && {
      async restart() {
        store = (await store.reopen?.()) ?? store;
      },
    }),
    close: () => store.close(),
  };
}
