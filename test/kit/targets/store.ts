import type { Recorded, Session, Target, Told } from '../target.ts';
import { violation } from '../target.ts';
import type { Command, Order } from '../vocabulary.ts';

/** The interface of an event-sourced store. */
export interface StoreUnderTest {
  /** @param client The index of the client, from 0, for stores that distinguish clients. */
  submit(
    submission: { readonly command: Command; readonly by: string; readonly commandId: string },
    client: number,
  ): Promise<
    | { readonly kind: 'accepted'; readonly orderId: bigint; readonly version: number }
    | { readonly kind: 'rejected'; readonly reason: string }
    | { readonly kind: 'unavailable' | 'unknown'; readonly cause: string }
  >;
  /** Returns every order as version 1 shows it, including all acknowledged commands. */
  list(): Promise<readonly Order[]>;
  get(id: bigint): Promise<Order | undefined>;
  /** Returns the events of the log, from the first to the last. */
  events(): Promise<readonly Recorded[]>;
  /** Ends without a clean stop, and reopens the stored data. */
  reopen?(): Promise<StoreUnderTest>;
  close(): Promise<void>;
}

/** Returns a store as a target: an engine with the application on it. */
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
