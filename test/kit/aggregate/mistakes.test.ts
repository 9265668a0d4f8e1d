import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertHolds } from '../check.ts';
import { linearize, linearizeInTurns } from '../linearizability/wing-gong.ts';
import { ORDERS } from '../orders.ts';
import { bundles } from '../programs.ts';
import { type Command, copy, type Event, Library, MemoryEvents } from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import { deciderTarget as orderDecider } from '../targets/decider.ts';
import type { Decider, Domain } from './domain.ts';
import { type Appended, type EventStore, STORE_RULES } from './event-store.ts';
import { type CheckOptions, kitFor } from './kit.ts';
import { RULES } from './run.ts';
import type { StoreOptions } from './store-check.ts';
import { deciderTarget, type Session, type Target } from './target.ts';

/** Mistakes of those who use the kit: each is named, and none lets an assertion pass that checks nothing. */

const loans = kitFor(LOANS);

function target(members: Partial<Session<Command, Event>> = {}): Target<Command, Event> {
  return {
    name: 'mistaken',
    open() {
      const app = new Library(new MemoryEvents());
      return {
        perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
        ...members,
      };
    },
  };
}

describe('An answer of another form', () => {
  const forms: [string, unknown][] = [
    ['nothing', undefined],
    ['a text', 'accepted'],
    ['another kind', { kind: 'ok' }],
    ['no reason', { kind: 'rejected' }],
    ['events that are no array', { kind: 'accepted', events: new Set() }],
    ['a version that is a text', { kind: 'accepted', version: '1' }],
  ];

  test.each(forms)('is named in a program, and beside others: %s', async (_, told) => {
    const mistaken = target({ perform: () => told as never });
    const { counterexample } = await loans.check(mistaken, { seed: 1 });
    expect(counterexample?.rule).toBe(RULES.form);
    expect(counterexample?.program.steps).toHaveLength(1);
    expect(counterexample?.detail).toContain(', and should be { kind: ');
    await expect(loans.assertLinearizable(mistaken)).rejects.toThrow(
      ", and should be { kind: 'accepted' }, or { kind: 'rejected', reason }",
    );
  });

  test('is named with its wrong member', async () => {
    const due = "{ kind: 'accepted' }, or { kind: 'rejected', reason }";
    for (const [told, member] of [
      [{ kind: 'accepted', events: 'x' }, 'its events should be an array'],
      [{ kind: 'accepted', version: '1' }, 'its version should be a number'],
      [{ kind: 'rejected' }, 'its reason should be a text'],
    ] as const) {
      const mistaken = target({ perform: () => told as never });
      await expect(loans.assertHolds(mistaken)).rejects.toThrow(`${due}: ${member}`);
    }
  });

  test('is named if open or reopen returns nothing, or the log has other items', async () => {
    const empty = { name: 'empty', open: () => undefined as never };
    const due = 'what open has returned: undefined, and should be an object with ';
    await expect(loans.assertHolds(empty)).rejects.toThrow(`${due}perform`);
    await expect(loans.assertLinearizable(empty)).rejects.toThrow(`${due}perform`);
    await expect(assertHolds(empty)).rejects.toThrow(`${due}perform`);
    const nothing = async () => undefined as never;
    await expect(loans.assertEventStore(nothing)).rejects.toThrow(`${due}append and read`);
    const storeWith = (members: Partial<EventStore<Event>>) => async () => {
      const store = new MemoryEvents();
      const append: EventStore<Event>['append'] = (...given) => store.append(...given);
      const read: EventStore<Event>['read'] = (stream) => store.read(stream);
      return { append, read, ...members };
    };
    await expect(loans.assertEventStore(storeWith({ reopen: nothing }))).rejects.toThrow(
      'what reopen has returned: undefined, and should be an object with append and read',
    );
    const readAll = async () => [null] as never;
    await expect(loans.assertEventStore(storeWith({ readAll }))).rejects.toThrow(
      'item 1 of the whole log: null, and should be { position, stream, event }',
    );
  });

  test('is named if a decider or the model waits', async () => {
    const waiting = { ...copy, decide: async () => ({ kind: 'accepted', events: [] }) };
    await expect(loans.assertDecides(waiting as never)).rejects.toThrow(
      'the decision: [object Promise], and should be',
    );
    const given = () => loans.given(waiting as never).when({ type: 'Return' });
    expect(given).toThrow('the decision: [object Promise], and should be');
    const model = kitFor({ ...LOANS, model: { ...LOANS.model, decide: waiting.decide as never } });
    await expect(model.assertDecides(copy)).rejects.toThrow("the model's decision on A: ");
  });

  const waitingDeciders: [string, object, string][] = [
    ['evolve', { evolve: async () => copy.initial }, 'what evolve of the … returns is a promise'],
    ['initial', { initial: Promise.resolve() }, 'the initial state of the … is a promise'],
    [
      'evolve, within',
      { evolve: () => ({ lent: [{ to: Promise.resolve() }] }) },
      'the …: a state has a promise in it',
    ],
    [
      'decide, within',
      { decide: () => ({ kind: 'accepted', events: [Promise.resolve()] }) },
      'the …: an event has a promise in it',
    ],
  ];

  test.each(waitingDeciders)('is named if it is a promise: %s', async (_, members, named) => {
    const messageFor = (whose: string) => named.replace('…', whose);
    const decider = { ...copy, ...members } as never;
    const { view: __, ...domain } = LOANS;
    const kit = kitFor({ ...domain, model: { ...LOANS.model, ...members } as never });
    // A model that is copied has the same mistake: both wait, and nothing is ever refused.
    await expect(loans.assertDecides(decider)).rejects.toThrow(messageFor('decider'));
    await expect(kit.assertDecides(decider)).rejects.toThrow(messageFor('model'));
    await expect(kit.assertLinearizable(target())).rejects.toThrow(/promise/i);
    expect(() => fc.sample(kit.legalHistories(), 20)).toThrow(messageFor('model'));
    const event: Event = { type: 'Lent', to: 'ann' };
    const given = () => loans.given(decider, event).when({ type: 'Return' }).thenNothing();
    expect(given).toThrow(messageFor('decider'));
  });

  test('is named if view or causeOf is asynchronous', async () => {
    const kit = kitFor({
      ...LOANS,
      view: async () => undefined,
      causeOf: (async () => ({ type: 'Return' })) as never,
    });
    const seen = target({ view: () => undefined });
    const view = "what the domain's view returns is a promise";
    await expect(kit.assertHolds(seen)).rejects.toThrow(view);
    await expect(kit.assertLinearizable(seen)).rejects.toThrow(view);
    const cause = 'what causeOf returns is a promise';
    expect(() => kit.brokenRule([{ type: 'Returned' }])).toThrow(cause);
    expect(() => fc.sample(kit.illegalHistories(), 1)).toThrow(cause);
  });

  test('is named if events are no array', async () => {
    const events = (() => Promise.resolve(new Map())) as never;
    await expect(loans.assertHolds(target({ events }))).rejects.toThrow(
      'the events of A: new Map([]), and should be an array',
    );
    await expect(loans.assertLinearizable(target({ events }))).rejects.toThrow('an array');
  });

  test.each<[string, Partial<EventStore<Event>>]>([
    ['an append', { append: async () => ({ kind: 'appended' }) as Appended }],
    ['an append that failed', { append: async () => 'conflict' as never }],
    ['a stream', { read: async () => undefined as never }],
    ['the whole log', { readAll: async () => new Map() as never }],
  ])('is named if a store returns it: %s', async (_, members) => {
    const open = async (): Promise<EventStore<Event>> => {
      const store = new MemoryEvents();
      return {
        append: (...given) => store.append(...given),
        read: (name) => store.read(name),
        ...members,
      };
    };
    const { counterexample } = await loans.checkEventStore(open, { seed: 1 });
    expect(counterexample?.rule).toBe(STORE_RULES.form);
  });

  test('of appends at once is one of theirs', async () => {
    const open = async (): Promise<EventStore<Event>> => {
      const store = new MemoryEvents();
      let together = 0;
      return {
        async append(...given) {
          together += 1;
          await undefined;
          const isRace = together > 1;
          const answer = await store.append(...given);
          together -= 1;
          // The version is right for one append, and not for one of several.
          return isRace && answer.kind === 'appended' ? { ...answer, version: 99 } : answer;
        },
        read: (name) => store.read(name),
      };
    };
    const { counterexample } = await loans.checkEventStore(open, { seed: 1 });
    expect(counterexample?.rule).toBe(STORE_RULES.one);
    expect(counterexample?.detail).toContain('"version": 99');
  });
});

describe('A state that is changed in place', () => {
  interface Lendings {
    readonly to: string[];
  }
  const changing: Decider<Lendings, Command, Event> = {
    initial: { to: [] },
    decide: (command, { to }) =>
      command.type === 'Lend' && to.length === 0
        ? { kind: 'accepted', events: [{ type: 'Lent', to: command.to }] }
        : { kind: 'rejected', reason: 'lent_already' },
    evolve(state, event) {
      if (event.type === 'Lent') state.to.push(event.to);
      return state;
    },
  };

  test('is named, of the model and of a decider', async () => {
    const { commands, events, causeOf } = LOANS;
    const model = structuredCloneOf(changing);
    const kit = kitFor({ name: 'copy', model, commands, events, causeOf });
    await expect(kit.assertDecides(changing)).rejects.toThrow(
      'has changed its initial state from {"to": []} to {"to": ["',
    );
    const { counterexample } = await kit.check(target(), { seed: 1 });
    expect([RULES.pure, RULES.answer]).toContain(counterexample?.rule);
  });

  test('is shown by the shortest program that changes it', async () => {
    const { commands, events, causeOf } = LOANS;
    const kit = kitFor({ name: 'copy', model: unchanging(), commands, events, causeOf });
    for (let seed = 1; seed <= 20; seed += 1) {
      const mine = deciderTarget('changing', structuredCloneOf(changing));
      const { counterexample } = await kit.check(mine, { seed });
      expect(counterexample?.detail).toContain('the decider has changed its initial state');
      expect(counterexample?.program.steps).toMatchObject([{ command: { type: 'Lend' } }]);
      expect(counterexample?.origin).not.toContain('Run again');
      // In a new process, too.
      const programs = [counterexample?.program ?? { steps: [] }];
      const anew = deciderTarget('changing', structuredCloneOf(changing));
      const again = await kit.check(anew, { programs });
      expect(again.counterexample?.detail).toBe(counterexample?.detail);
    }
  });

  test('leaves the model as it was, if the decider has the same initial state', async () => {
    const { commands, events, causeOf } = LOANS;
    const model = unchanging();
    const kit = kitFor({ name: 'copy', model, commands, events, causeOf });
    const decider = { ...model, evolve: changing.evolve };
    const { counterexample } = await kit.check(deciderTarget('changing', decider), { seed: 1 });
    expect(counterexample?.detail).toContain('the decider has changed its initial state');
    expect(counterexample?.program.steps).toMatchObject([{ command: { type: 'Lend' } }]);
    expect(counterexample?.script).toContain('# accepted');
  });

  function unchanging(): typeof changing {
    const evolve = ({ to }: Lendings, event: Event) => changing.evolve({ to: [...to] }, event);
    return { ...structuredCloneOf(changing), evolve };
  }

  function structuredCloneOf(decider: typeof changing): typeof changing {
    return { ...decider, initial: structuredClone(decider.initial) };
  }
});

describe('An assertion that would check nothing', () => {
  test.each([
    { runs: 0 },
    { runs: -1 },
    { runs: 1.5 },
    { runs: Number.NaN },
    { maxSteps: 0 },
    { maxAggregates: 0 },
    { does: [] },
    { programs: [] },
  ])('is refused for its options: %j', async (options) => {
    await expect(loans.assertDecides(copy, options)).rejects.toThrow(RangeError);
  });

  test.each<readonly [string, unknown, string]>([
    ['seed', 1.5, 'a whole number, and is 1.5'],
    ['seed', '7', 'a whole number, and is "7"'],
    ['path', '', 'that of a counterexample, such as "3:0:1", and is ""'],
    ['path', 'abc', 'that of a counterexample, such as "3:0:1", and is "abc"'],
    ['timeLimitMs', Number.NaN, 'a number from 0, or Infinity for no limit, and is NaN'],
    ['timeLimitMs', -1, 'a number from 0, or Infinity for no limit, and is -1'],
    ['timeLimitMs', '100', 'a number from 0, or Infinity for no limit, and is "100"'],
    ['shrinkMs', Number.NaN, 'a number from 0, or Infinity for no limit, and is NaN'],
    ['maxCombinations', 0, 'a whole number from 1, or Infinity for no limit, and is 0'],
    ['maxCombinations', Number.NaN, 'a whole number from 1, or Infinity for no limit, and is NaN'],
    ['programs', { steps: [] }, 'an array, and is [object Object]'],
    ['signal', {}, 'an AbortSignal, and is [object Object]'],
    ['does', 'look', 'an array, and is "look"'],
  ])('is refused for its %s of %s', async (name, value, due) => {
    const options = { seed: 1, [name]: value };
    const refused = `${name} must be ${due}`;
    const open = async () => new MemoryEvents();
    await expect(loans.assertHolds(target(), options)).rejects.toThrow(new RangeError(refused));
    await expect(loans.assertLinearizable(target(), options)).rejects.toThrow(refused);
    await expect(loans.assertEventStore(open, options)).rejects.toThrow(refused);
    if (name === 'maxCombinations') {
      const object = loans.specification;
      expect(() => linearize(object, [], { [name]: value as number })).toThrow(refused);
      await expect(linearizeInTurns(object, [], { [name]: value as number })).rejects.toThrow(
        refused,
      );
    }
  });

  test('is refused for options of orders, and for a number of commands', async () => {
    const orders = orderDecider('orders', ORDERS.model);
    for (const options of [
      { together: 0 },
      { runs: Number.NaN },
      { timeLimitMs: -1 },
      { path: '' },
    ]) {
      await expect(assertHolds(orders, { seed: 1, ...options })).rejects.toThrow(RangeError);
    }
    const unknown: object = { rounds: 5 };
    await expect(assertHolds(orders, unknown)).rejects.toThrow('there is no option rounds: ');
    expect(() => loans.legalHistories(Number.NaN)).toThrow('maxCommands must be a whole number');
    expect(() => bundles(Number.NaN)).toThrow('together must be a whole number');
  });

  test.each([{ rounds: 0 }, { clients: 0 }, { rounds: Number.NaN }, { maxSteps: 0 }])(
    'is refused for its options beside others: %j',
    async (options) => {
      await expect(loans.assertLinearizable(target(), options)).rejects.toThrow(RangeError);
    },
  );

  test('is refused for an option that no call has, or a path without its seed', async () => {
    const options: object = { run: 5 };
    const open = async () => new MemoryEvents();
    const due = 'there is no option run: it is one of programs, ';
    await expect(loans.assertDecides(copy, options)).rejects.toThrow(due);
    await expect(loans.assertLinearizable(target(), options)).rejects.toThrow(due);
    await expect(loans.assertEventStore(open, options)).rejects.toThrow(due);
    const path = 'path needs the seed that it was found with';
    await expect(loans.assertDecides(copy, { path: '3:1' })).rejects.toThrow(path);
    const shared = { runs: 5, clients: 2, rounds: 5, maxCombinations: 1_000 };
    await loans.assertHolds(target(), shared);
    await loans.assertLinearizable(target(), shared);
  });

  test('fails for a view that the domain has no view to compare with', async () => {
    const { view: _, ...blind } = LOANS;
    const kit = kitFor(blind);
    const seen = target({ view: () => 'anything' });
    const due = 'view: the session has one, and the domain none to compare it with';
    await expect(kit.assertHolds(seen)).rejects.toThrow(due);
    await expect(kit.assertLinearizable(seen)).rejects.toThrow(due);
    await kit.assertHolds(target());
  });

  test('is refused for a store', async () => {
    const open = async () => new MemoryEvents();
    await expect(loans.assertEventStore(open, { runs: 0 })).rejects.toThrow(RangeError);
    await expect(loans.assertEventStore(open, { programs: [] })).rejects.toThrow(RangeError);
  });

  test('fails if the target does none of the steps', async () => {
    const does = ['restart'] as const;
    await expect(loans.assertHolds(target(), { does })).rejects.toThrow('no step was run');
  });

  test('fails if no command is answered, or every history is undecided', async () => {
    const away = target({ perform: () => Promise.reject('ECONNREFUSED') });
    await expect(loans.assertLinearizable(away)).rejects.toThrow(
      'no command was answered, which shows nothing; the last one failed: ECONNREFUSED',
    );
    const signal = AbortSignal.abort();
    await expect(loans.assertLinearizable(target(), { signal })).rejects.toThrow(
      'no round was begun before the signal, or the end of the time: an assertion checks something',
    );
  });

  const command = { type: 'Return' } as const;

  test.each<[string, CheckOptions<Command>]>([
    ['another kind of step', { does: ['comand' as 'command'] }],
    ['a program with another kind', { programs: [{ steps: [{ do: 'comand' } as never] }] }],
    ['a step on no aggregate', { programs: [{ steps: [{ do: 'command', command } as never] }] }],
    ['a step on -1', { programs: [{ steps: [{ do: 'look', on: -1 }] }] }],
    ['no command', { programs: [{ steps: [{ do: 'command', on: 0 } as never] }] }],
  ])('is refused for %s', async (_, options) => {
    await expect(loans.assertHolds(target(), options)).rejects.toThrow(RangeError);
  });

  test.each<[string, StoreOptions<Event>]>([
    ['a kind of operation', { programs: [[{ do: 'read' } as never]] }],
    ['a stream', { programs: [[{ do: 'append', stream: 8, off: 0, events: [] }]] }],
    ['an append', { programs: [[{ do: 'repeat', which: Number.NaN }]] }],
    ['a version', { programs: [[{ do: 'append', stream: 0, off: Number.NaN, events: [] }]] }],
    ['a program', { programs: [{ do: 'reopen' } as never] }],
  ])('is refused for a store with an unknown index: %s', async (_, options) => {
    const open = async () => new MemoryEvents();
    await expect(loans.assertEventStore(open, options)).rejects.toThrow(RangeError);
  });

  test('fails if nothing is appended to a store', async () => {
    const open = async () => new MemoryEvents();
    const reopened = async (): Promise<EventStore<Event>> => {
      const store = new MemoryEvents();
      return {
        append: (...given) => store.append(...given),
        read: (stream) => store.read(stream),
        reopen: reopened,
      };
    };
    const nothing = 'the event store: nothing was appended: an assertion checks something';
    await expect(loans.assertEventStore(open, { timeLimitMs: 0 })).rejects.toThrow(nothing);
    await expect(loans.assertEventStore(open, { programs: [[]] })).rejects.toThrow(nothing);
    const programs = [[{ do: 'reopen' }, { do: 'repeat', which: 0 }]] as const;
    await expect(loans.assertEventStore(reopened, { programs })).rejects.toThrow(nothing);
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      throw new Error('the store is away');
    };
    await expect(loans.assertEventStore(slow, { timeLimitMs: 500 })).rejects.toThrow('is away');
  });

  test('fails if no call is made beside others, or no look is answered', async () => {
    for (const does of [['look'], ['restart']] as const) {
      await expect(loans.assertLinearizable(target(), { does })).rejects.toThrow(
        'no call was made: an assertion checks something',
      );
    }
    const view = () => {
      throw new TypeError('no such column');
    };
    await expect(loans.assertLinearizable(target({ view }))).rejects.toThrow(
      'no look was answered, which shows nothing; the last one failed: no such column',
    );
  });

  test('fails if a call is never answered, although the time is over', async () => {
    let sessions = 0;
    const hanging: Target<Command, Event> = {
      name: 'hanging',
      open() {
        sessions += 1;
        const app = new Library(new MemoryEvents());
        return {
          perform: ({ id, command, commandId }) =>
            sessions < 3 ? app.perform(id, command, commandId) : new Promise(() => undefined),
        };
      },
    };
    await expect(loans.assertHolds(hanging, { timeLimitMs: 500 })).rejects.toThrow(
      'a call has no answer 2000 ms after the time limit of 500 ms',
    );
  });

  test.each([2 ** 31, Number.MAX_SAFE_INTEGER, Infinity])(
    'has no time limit of %d ms that a timer cannot wait for',
    async (limitMs) => {
      const slow = target({
        async perform() {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { kind: 'rejected', reason: 'not_lent' };
        },
      });
      const steps = [{ do: 'command', on: 0, command: { type: 'Return' } }] as const;
      const options = { programs: [{ steps }], timeLimitMs: limitMs, shrinkMs: limitMs };
      const { runs, isInterrupted } = await loans.assertHolds(slow, options);
      expect([runs, isInterrupted]).toEqual([1, false]);
      const { rounds } = await loans.assertLinearizable(slow, { ...options, rounds: 1 });
      expect(rounds).toBe(1);
    },
  );

  test('does not end at the time limit inside a step that takes its time', async () => {
    let isEnded = false;
    const slow = target({
      async perform() {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isEnded = true;
        return { kind: 'rejected', reason: 'never' };
      },
    });
    const { counterexample, isInterrupted } = await loans.check(slow, { timeLimitMs: 50 });
    expect([counterexample?.rule, isInterrupted, isEnded]).toEqual([RULES.answer, true, true]);
  });

  test('is not made by what is set for all properties of fast-check', async () => {
    const before = fc.readConfigureGlobal();
    const wrong = { ...copy, decide: () => ({ kind: 'rejected', reason: 'never' }) as const };
    const shrunk = async () =>
      (await loans.check(deciderTarget('wrong', wrong), { seed: 1 })) ?? {};
    const due = await shrunk();
    const appended = async () => {
      const { steps } = await loans.assertEventStore(async () => new MemoryEvents(), { seed: 1 });
      return steps;
    };
    const dueSteps = await appended();
    try {
      fc.configureGlobal({
        ...{ interruptAfterTimeLimit: 0, skipAllAfterTimeLimit: 0, endOnFailure: true },
        ...{ path: '5', examples: [[{ steps: [] }]], randomType: 'mersenne', baseSize: 'xsmall' },
      });
      expect((await loans.assertDecides(copy)).runs).toBe(100);
      expect((await loans.assertLinearizable(target(), { rounds: 5 })).rounds).toBe(5);
      expect(await shrunk()).toEqual(due);
      expect(await appended()).toEqual(dueSteps);
    } finally {
      fc.configureGlobal(before ?? {});
    }
  });

  test('fails if no event is impossible, instead of drawing for ever', () => {
    const anything = kitFor<number, 'add', 'added'>({
      name: 'counter',
      model: {
        initial: 0,
        decide: () => ({ kind: 'accepted', events: ['added'] }),
        evolve: (count) => count + 1,
      },
      commands: fc.constant('add'),
      events: fc.constant('added'),
      causeOf: () => 'add',
    });
    expect(() => fc.sample(anything.illegalHistories(), 1)).toThrow('is every event possible?');
  });
});

describe('A program of a user', () => {
  const wrong = { ...copy, decide: () => ({ kind: 'rejected', reason: 'never' }) as const };
  const lend = { do: 'command', on: 0, command: { type: 'Lend', to: 'ann' } } as const;
  const back = { do: 'command', on: 0, command: { type: 'Return' } } as const;

  test('runs once, whatever the number of runs', async () => {
    const programs = [{ steps: [back] }, { steps: [back, lend] }, { steps: [lend] }];
    for (const runs of [1, 50]) {
      const result = await loans.assertDecides(copy, { programs, runs });
      expect([result.runs, result.steps]).toEqual([3, 4]);
    }
  });

  test('is named in a failure, instead of a seed that would not draw it', async () => {
    const programs = [{ steps: [back] }, { steps: [lend] }];
    const right = deciderTarget('mistaken', { ...copy, decide: LOANS.model.decide });
    await loans.assertHolds(right, { programs });
    const run = loans.assertDecides({ ...copy, decide: wrongLending }, { programs });
    await expect(run).rejects.toThrow('# Program 2 of the 2 given.\n');
    await expect(run).rejects.not.toThrow('Seed');
    const operations = [{ do: 'append', stream: 0, off: 0, events: [] }] as const;
    const lost = async () => ({
      append: async () => ({ kind: 'conflict' as const }),
      read: async () => [],
    });
    await expect(loans.assertEventStore(lost, { programs: [operations] })).rejects.toThrow(
      '\nProgram 1 of the 1 given.\n',
    );
  });

  function wrongLending(command: Command): ReturnType<typeof copy.decide> {
    if (command.type === 'Lend') return wrong.decide();
    return { kind: 'rejected', reason: 'not_lent' };
  }

  test('that was drawn runs alone with its seed and its path', async () => {
    const target = deciderTarget('wrong', wrong);
    const { counterexample, seed } = await loans.check(target, { seed: 1 });
    const path = counterexample?.path.split(':')[0] ?? '';
    expect((await loans.check(deciderTarget('right', copy), { seed, path })).runs).toBe(1);
  });

  test('is shown although its words cannot be made', async () => {
    const print = () => {
      throw new Error('no words');
    };
    const run = kitFor({ ...LOANS, print }).assertDecides(wrong);
    await expect(run).rejects.toThrow(/\nA: \{.*\} {2}# [^\n]+\n/);
  });
});

describe('A failure', () => {
  test('of the model is shown with the program', async () => {
    const decide = (): never => {
      throw new Error('no such rule');
    };
    const kit = kitFor({ ...LOANS, model: { ...LOANS.model, decide } });
    await expect(kit.assertDecides(copy)).rejects.toThrow('# the model fails: no such rule');
  });

  test('of a close does not hide the violation before', async () => {
    const close = () => Promise.reject(new Error('closed twice'));
    const wrong: Target<Command, Event> = {
      name: 'wrong',
      open() {
        let isAsked = false;
        return {
          perform() {
            isAsked = true;
            return { kind: 'rejected', reason: 'never' };
          },
          // A program that asks nothing has no violation before.
          close: () => (isAsked ? close() : undefined),
        };
      },
    };
    expect((await loans.check(wrong)).counterexample?.rule).toBe(RULES.answer);
    expect((await loans.check(target({ close }))).counterexample?.detail).toBe('closed twice');
  });
});

test('Concurrent clients find an event that is recorded twice, and a version that is wrong', async () => {
  const events = new Map<string, Event[]>();
  const twice: Target<Command, Event> = {
    name: 'twice',
    open() {
      events.clear();
      return {
        async perform({ id, command }) {
          const before = events.get(id) ?? [];
          await undefined;
          const decision = copy.decide(command, before.reduce(copy.evolve, copy.initial));
          // A second reservation by the same reader leads to the same state.
          if (decision.kind === 'accepted') {
            events.set(id, [...(events.get(id) ?? []), ...decision.events]);
          }
          return decision.kind === 'accepted' ? { kind: 'accepted' } : decision;
        },
        events: (id) => events.get(id) ?? [],
      };
    },
  };
  const reservations: Domain<Parameters<typeof copy.evolve>[0], Command, Event> = {
    ...LOANS,
    commands: fc.constant({ type: 'Reserve', by: 'ann' }),
  };
  const kit = kitFor(reservations);
  expect((await kit.checkConcurrently(twice)).violation).toContain('not linearizable');
  let version = 0;
  const counting = target({
    perform: () => {
      version += 2;
      return { kind: 'accepted', version };
    },
  });
  expect((await kit.checkConcurrently(counting)).violation).toContain('not linearizable');
});

const throwing = () => {
  throw new Error('trap');
};

test.each<[string, unknown]>([
  [
    'whose message throws',
    {
      get message() {
        return throwing();
      },
    },
  ],
  [
    'whose cause throws',
    {
      message: 'outer',
      get cause() {
        return throwing();
      },
    },
  ],
  ['that is a proxy', new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing })],
])('An error %s is a counterexample like others', async (_, error) => {
  const fails = () => Promise.reject(error);
  const failing = target({ perform: fails });
  const { counterexample } = await loans.check(failing, { seed: 1 });
  const unreadable = 'what was thrown cannot be read: its members throw';
  expect(counterexample).toMatchObject({ rule: 'nothing fails', detail: unreadable });
  expect(counterexample?.call).toMatch(/^perform/);
  await expect(loans.assertHolds(failing)).rejects.toThrow(unreadable);
  const open = async () => ({ append: fails, read: fails });
  await expect(loans.assertEventStore(open)).rejects.toThrow(unreadable);
});

test('An event that several commands record is named, where it would be taken for a violation', () => {
  const kit = kitFor<number, 'withdraw' | 'transfer', 'Withdrawn' | 'FeeTaken'>({
    name: 'account',
    model: {
      initial: 0,
      decide(command, state) {
        if (state === 3) return { kind: 'rejected', reason: 'too_little' };
        const events = command === 'withdraw' ? [] : (['FeeTaken'] as const);
        return { kind: 'accepted', events: ['Withdrawn', ...events] };
      },
      evolve: (state, event) => (event === 'Withdrawn' ? state + 1 : state),
    },
    commands: fc.constantFrom('withdraw', 'transfer'),
    events: fc.constantFrom('Withdrawn', 'FeeTaken'),
    causeOf: (event) => (event === 'Withdrawn' ? 'withdraw' : 'transfer'),
  });
  expect(() => fc.sample(kit.illegalHistories(), 100)).toThrow(
    'the model has recorded "FeeTaken", and does not for the command that causeOf returns',
  );
});

test('A state may be undefined', async () => {
  const kit = kitFor<'open' | undefined, 'open' | 'close', 'opened' | 'closed'>({
    name: 'door',
    model: {
      initial: undefined,
      decide(command, state) {
        if ((command === 'open') === (state === 'open')) return { kind: 'rejected', reason: 'no' };
        return { kind: 'accepted', events: [command === 'open' ? 'opened' : 'closed'] };
      },
      evolve: (_, event) => (event === 'opened' ? 'open' : undefined),
    },
    commands: fc.constantFrom('open', 'close'),
    events: fc.constantFrom('opened', 'closed'),
    causeOf: (event) => (event === 'opened' ? 'open' : 'close'),
    view: (state) => state,
  });
  const { model } = kit.domain;
  const door: Target<'open' | 'close', 'opened' | 'closed'> = {
    name: 'door',
    open() {
      const streams = new Map<string, ('opened' | 'closed')[]>();
      const stateOf = (id: string) => (streams.get(id) ?? []).reduce(model.evolve, model.initial);
      return {
        perform({ id, command }) {
          const decision = model.decide(command, stateOf(id));
          if (decision.kind === 'accepted') {
            streams.set(id, [...(streams.get(id) ?? []), ...decision.events]);
          }
          return decision;
        },
        view: stateOf,
        events: (id) => streams.get(id) ?? [],
      };
    },
  };
  await kit.assertHolds(door);
  await kit.assertLinearizable(door);
});
