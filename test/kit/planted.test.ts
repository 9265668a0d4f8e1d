import { expect, test } from 'vitest';
import { openMemoryStore } from '../../src/infra/memory/store.ts';
import { appOn } from '../support/targets.ts';
import { check } from './check.ts';
import { type StoreUnderTest, storeTarget } from './targets/store.ts';
import type { Command } from './vocabulary.ts';

/** Faults that a check with its defaults has to find out in a store, with any seed. */

type Fault = (store: StoreUnderTest) => Partial<StoreUnderTest>;

/** A store that hears other commands than were given. */
function hearing(change: (command: Command) => Command): Fault {
  return (store) => ({
    submit: (given, client) => store.submit({ ...given, command: change(given.command) }, client),
  });
}

function dated(change: (date: string) => string): Fault {
  return hearing((command) => {
    const date = 'shipDate' in command ? command.shipDate : undefined;
    return date === undefined ? command : ({ ...command, shipDate: change(date) } as Command);
  });
}

function counted(change: (quantity: number) => number): Fault {
  return hearing((command) => {
    if (command.type !== 'PlaceOrder') return command;
    return { ...command, quantity: change(command.quantity) };
  });
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'milliseconds are lost': dated((date) => date.replace(/\.\d+Z$/, '.000Z')),
  'dates before 1970 are 1970': dated((date) =>
    date < '1970' ? '1970-01-01T00:00:00.000Z' : date,
  ),
  'dates after 2038 are 2038': dated((date) => (date > '2039' ? '2038-01-01T00:00:00.000Z' : date)),
  'a 29th of February is a 1st of March': dated((date) => date.replace('-02-29T', '-03-01T')),
  'the highest quantity but one is the highest': counted((it) => it + Number(it === 2 ** 31 - 2)),
  'a quantity has 16 bits': counted((it) => it % 65_536 || 1),
  'a multiple of 1,000 is 1': counted((it) => (it % 1_000 === 0 ? 1 : it)),
  'a quantity is rounded': counted(Math.fround),
  'the id in an answer is rounded': (store) => ({
    async submit(given, client) {
      const told = await store.submit(given, client);
      if (told.kind !== 'accepted') return told;
      return { ...told, orderId: BigInt.asIntN(64, BigInt(Number(told.orderId))) };
    },
  }),
  'the id in an answer is always 42': (store) => ({
    async submit(given, client) {
      const told = await store.submit(given, client);
      return told.kind === 'accepted' ? { ...told, orderId: 42n } : told;
    },
  }),
  'two events of two orders are in each other’s place': (store) => ({
    async events() {
      const [first, second, ...others] = await store.events();
      if (first === undefined || second === undefined) return first ? [first] : [];
      if (first.event.orderId === second.event.orderId) return [first, second, ...others];
      return [{ ...second, position: 1 }, { ...first, position: 2 }, ...others];
    },
  }),
  'the list lacks the fourth order': (store) => ({
    list: async () => (await store.list()).filter((_, index) => index !== 3),
  }),
  'a position is omitted after the fifth': (store) => ({
    events: async () => {
      const events = await store.events();
      return events.map((each, index) => ({ ...each, position: index + 1 + Number(index > 4) }));
    },
  }),
};

test.each(Object.entries(FAULTS))('%s', async (name, fault) => {
  const target = storeTarget(name, async () => {
    const store = await appOn(await openMemoryStore());
    return { ...store, ...fault(store) };
  });
  for (const seed of [1, 2, 3]) {
    const { counterexample } = await check(target, { seed });
    expect(counterexample, `seed ${seed}`).toBeDefined();
  }
});
