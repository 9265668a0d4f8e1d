import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decider, Domain } from './domain.ts';
import { kitFor } from './kit.ts';
import { deciderTarget } from './target.ts';

/** Commands whose values depend on each other: what can be withdrawn is what was paid in. */

type Command =
  | { readonly type: 'Open' }
  | { readonly type: 'Deposit' | 'Withdraw'; readonly amount: bigint };
type Event = { readonly type: 'Opened' } | { readonly type: 'Changed'; readonly by: bigint };
interface Account {
  readonly isOpen: boolean;
  readonly balance: bigint;
}
type Accounts = Decider<Account, Command, Event>;

const accepted = (event: Event) => ({ kind: 'accepted', events: [event] }) as const;
const rejected = (reason: string) => ({ kind: 'rejected', reason }) as const;
const changed = (by: bigint) => accepted({ type: 'Changed', by });

const model: Accounts = {
  initial: { isOpen: false, balance: 0n },
  decide(command, { isOpen, balance }) {
    if (command.type === 'Open') return isOpen ? rejected('open') : accepted({ type: 'Opened' });
    if (!isOpen) return rejected('not_open');
    if (command.type === 'Deposit') return changed(command.amount);
    return balance < command.amount ? rejected('overdrawn') : changed(-command.amount);
  },
  evolve: (account, event) =>
    event.type === 'Opened'
      ? { ...account, isOpen: true }
      : { ...account, balance: account.balance + event.by },
};

/** Accounts with amounts up to a number. */
function accounts(largest: bigint): Domain<Account, Command, Event> {
  const amounts = fc.bigInt({ min: 1n, max: largest });
  return {
    name: 'account',
    model,
    commands: fc.oneof(
      fc.constant<Command>({ type: 'Open' }),
      amounts.map((amount): Command => ({ type: 'Deposit', amount })),
      amounts.map((amount): Command => ({ type: 'Withdraw', amount })),
    ),
    events: fc.oneof(
      fc.constant<Event>({ type: 'Opened' }),
      amounts.map((by): Event => ({ type: 'Changed', by })),
    ),
    causeOf: (event) =>
      event.type === 'Opened'
        ? { type: 'Open' }
        : event.by < 0n
          ? { type: 'Withdraw', amount: -event.by }
          : { type: 'Deposit', amount: event.by },
    print: (command) =>
      command.type === 'Open' ? 'open' : `${command.type.toLowerCase()} ${command.amount}`,
  };
}

/** Accounts that treat some withdrawals the other way round. */
function faulty(isFault: (amount: bigint, balance: bigint) => boolean): Accounts {
  return {
    ...model,
    decide(command, account) {
      const right = model.decide(command, account);
      if (command.type !== 'Withdraw' || !account.isOpen) return right;
      if (!isFault(command.amount, account.balance)) return right;
      return right.kind === 'accepted' ? rejected('overdrawn') : changed(-command.amount);
    },
  };
}

describe('Values of two steps that depend on each other shrink together if', () => {
  test.each([
    {
      fault: 'one more than the balance can be withdrawn',
      decider: faulty((amount, balance) => amount === balance + 1n),
      steps: ['open', 'withdraw 1'],
    },
    {
      fault: 'the whole balance cannot be withdrawn',
      decider: faulty((amount, balance) => amount === balance),
      steps: ['open', 'deposit 1', 'withdraw 1'],
    },
  ])('$fault', async ({ decider, steps }) => {
    for (const largest of [5n, 1_000n]) {
      const domain = accounts(largest);
      for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
        const options = { runs: 3_000, seed };
        const found = await kitFor(domain).check(deciderTarget('faulty', decider), options);
        const { counterexample } = found;
        expect(
          counterexample?.program.steps.map((each) =>
            each.do === 'command' ? domain.print?.(each.command) : each.do,
          ),
          `amounts up to ${largest}, seed ${seed}`,
        ).toEqual(steps);
      }
    }
  });
});
