import { apart } from '../aggregate/text.ts';
import type { Recorded, Rule, Session, Target, Told } from '../target.ts';
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
  /** True if a repeated command id gets the first answer and changes nothing, after `reopen` as well. */
  readonly isIdempotent?: boolean;
}

/** Returns a store as a target: an engine with the application on it. */
export function storeTarget(name: string, open: () => Promise<StoreUnderTest>): Target {
  return { name, open: async () => sessionOn(await open()) };
}

const REPEATED: Rule = 'a repeated command changes nothing, and gets the first answer';

function sessionOn(opened: StoreUnderTest): Session {
  let store = opened;
  let commands = 0;
  const sent: (() => Promise<void>)[] = [];
  return {
    async perform(command, client): Promise<Told> {
      commands += 1;
      const [by, commandId] = [`client-${client}`, `kit-${commands}`];
      const submit = async () => {
        // A copy, as the store may change it in place.
        const outcome = await store.submit({ command: { ...command }, by, commandId }, client);
        if (outcome.kind === 'accepted' || outcome.kind === 'rejected') return outcome;
        throw violation('nothing fails', `${outcome.kind}: ${outcome.cause}`);
      };
      const told = await submit();
      if (!opened.isIdempotent) return told;
      const before = inWords(told);
      const repeat = async () => {
        const now = inWords(await submit());
        if (now === before) return;
        const what = `${command.type} of order ${command.orderId}`;
        const [one, other] = apart(now, before);
        throw violation(REPEATED, `${what}, repeated: ${one}, and was ${other}`);
      };
      await repeat();
      sent.push(repeat);
      return told;
    },
    list: () => store.list(),
    get: (id) => store.get(id),
    events: () => store.events(),
    ...(opened.reopen && {
      async restart() {
        store = (await store.reopen?.()) ?? store;
        for (const repeat of sent) await repeat();
      },
    }),
    close: () => store.close(),
  };
}

function inWords(told: Awaited<ReturnType<StoreUnderTest['submit']>>): string {
  if (told.kind === 'accepted') return `order ${told.orderId} in version ${told.version}`;
  return told.kind === 'rejected' ? `refused as ${told.reason}` : told.kind;
}
