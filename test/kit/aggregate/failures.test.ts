import { describe, expect, test } from 'vitest';
import { evaluated } from '../../support/evaluated.ts';
import { type Command, copy, type Event, Library, MemoryEvents } from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import type { EventStore } from './event-store.ts';
import { kitFor } from './kit.ts';
import { RULES } from './run.ts';
import type { StoreOptions } from './store-check.ts';
import { deciderTarget, type Session, type Target } from './target.ts';
import type { Violation } from './violation.ts';

/** Failures as they are shown: with the call that threw, its error, and the steps that were run. */

const loans = kitFor(LOANS);

function target(
  members: (app: Library) => Partial<Session<Command, Event>>,
): Target<Command, Event> {
  return {
    name: 'failing',
    open() {
      const app = new Library(new MemoryEvents());
      return {
        perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
        view: (id) => app.copy(id),
        events: (id) => app.events(id),
        isIdempotent: true,
        ...members(app),
      };
    },
  };
}

function fail(message: string, options?: ErrorOptions) {
  return () => Promise.reject(new Error(message, options));
}

async function violationOf(run: Promise<unknown>): Promise<Violation> {
  return run.then(
    () => expect.unreachable(),
    (error: unknown) => error as Violation,
  );
}

describe('What is thrown', () => {
  test.each<[string, RegExp, Partial<Session<Command, Event>>]>([
    ['by a command', /\n# Thrown by perform \(A: .*\)\.\n/, { perform: fail('away') }],
    ['by a view', /\n# Thrown by view \(A\)\.\n/, { view: fail('away') }],
    ['by events', /\n# Thrown by events \(A\)\.\n/, { events: fail('away') }],
    ['by a close', /\n# Thrown by close\.\n/, { close: fail('away') }],
    ['by a restart', /\n# Thrown by restart\.\n/, { restart: fail('away') }],
  ])('%s is shown with the call, and is the cause', async (_, line, members) => {
    const does = ['command', 'look', 'restart'] as const;
    const violation = await violationOf(
      loans.assertHolds(
        target(() => members),
        { does, seed: 1 },
      ),
    );
    expect(violation.message).toMatch(line);
    expect(violation.cause).toStrictEqual(new Error('away'));
    const { counterexample } = await loans.check(
      target(() => members),
      { does, seed: 1 },
    );
    expect(counterexample?.cause).toStrictEqual(new Error('away'));
  });

  test('by a repeated command, or by a view after a restart, is shown so', async () => {
    const sent = new Set<string>();
    const repeats = target((app) => ({
      perform: ({ id, command, commandId }) => {
        if (sent.has(commandId)) throw new Error('duplicate key');
        sent.add(commandId);
        return app.perform(id, command, commandId);
      },
      restart: async () => sent.clear(),
    }));
    const open = () => {
      sent.clear();
      return repeats.open();
    };
    const again = await violationOf(loans.assertHolds({ name: 'repeats', open }));
    expect(again.message).toMatch(/\n# duplicate key\n# Thrown by perform \(A: .*, repeated\)\.\n/);
    expect(again.rule).toBe(RULES.repeat);
    expect(again.cause).toStrictEqual(new Error('duplicate key'));
  });

  test('by open is shown without a command, and so is what a store throws', async () => {
    const closed: Target<Command, Event> = { name: 'closed', open: fail('no such host') };
    const { message } = await violationOf(loans.assertHolds(closed));
    expect(message).toMatch(/\n# no such host\n# Thrown by open\.\n# Seed .*\.\n\nTo run it again/);
    const { counterexample } = await loans.check(closed);
    expect(counterexample?.program.steps).toEqual([]);
    const store = await loans.checkEventStore(fail('no such host'));
    expect(store.counterexample).toMatchObject({ call: 'open', operations: [], script: '' });
    const unread = async (): Promise<EventStore<Event>> => {
      const events = new MemoryEvents();
      return { append: events.append.bind(events), read: fail('no such table') };
    };
    const violation = await violationOf(loans.assertEventStore(unread));
    expect(violation.message).toMatch(/\nno such table\nThrown by read \(stream-\d\)\.\n/);
    expect(violation.cause).toStrictEqual(new Error('no such table'));
  });

  test.each<[string, unknown]>([
    ['fetch failed (connect ECONNREFUSED)', failedFetch()],
    ['AggregateError (no ::1; no 127.0.0.1)', new AggregateError(['no ::1', 'no 127.0.0.1'])],
    ['down', new Error('down', { cause: 'down' })],
    ['TypeError', new TypeError()],
    ['boom', 'boom'],
    ['{"code": 5}', { code: 5 }],
    ['undefined', undefined],
  ])('has the message %j with its causes', async (detail, error) => {
    const { counterexample } = await loans.check(
      target(() => ({ perform: () => Promise.reject(error) })),
    );
    expect(counterexample).toMatchObject({ detail, cause: error });
  });

  function failedFetch(): Error {
    return new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  }

  test('is no cause of a violation that the kit sees itself', async () => {
    const violation = await violationOf(loans.assertHolds(target(() => ({ events: () => [] }))));
    expect('cause' in violation).toBe(false);
    expect(violation.message).not.toContain('Thrown');
  });
});

describe('A call that never ends', () => {
  const never = () => new Promise<never>(() => undefined);

  test.each<[string, RegExp, Partial<Session<Command, Event>>]>([
    ['perform', /: perform \([A-C]: return\)\n/, { perform: hangingReturn() }],
    ['view', /: view \([A-C]\)\n/, { view: never }],
    ['close', /: close\n/, { close: never }],
  ])('is named: %s', async (_, line, members) => {
    const options = {
      timeLimitMs: 300,
      programs: [{ steps: [...lend(0), ...back(0), ...lend(1)] }],
    };
    const { message } = await violationOf(
      loans.assertHolds(
        target(() => members),
        options,
      ),
    );
    expect(message).toMatch(line);
    expect(message).not.toContain('Thrown');
  });

  test('is the last step that is shown', async () => {
    const hanging = target(() => ({ perform: hangingReturn() }));
    const steps = [...lend(0), ...back(0), ...lend(1)];
    const options = { timeLimitMs: 300, programs: [{ steps }] };
    const { counterexample } = await loans.check(hanging, options);
    expect(counterexample?.program.steps).toEqual(steps.slice(0, 2));
  });

  function hangingReturn(): Session<Command, Event>['perform'] {
    return async ({ command }) => {
      if (command.type === 'Return') await never();
      return LOANS.model.decide(command, {});
    };
  }
});

function lend(on: number) {
  return [{ do: 'command', on, command: { type: 'Lend', to: 'ann' } }] as const;
}
function back(on: number) {
  return [{ do: 'command', on, command: { type: 'Return' } }] as const;
}

describe('A counterexample', () => {
  test('ends with the step that fails, though it is not shrunk', async () => {
    const wrong = deciderTarget('wrong', {
      ...copy,
      decide: () => copy.decide({ type: 'Return' }, {}),
    });
    const steps = [...back(0), ...lend(0), ...back(0), ...back(1)];
    const { counterexample } = await loans.check(wrong, { programs: [{ steps }], shrinkMs: 0 });
    expect(counterexample?.program.steps).toEqual(steps.slice(0, 2));
    expect(counterexample?.script.split('\n').slice(3)).toHaveLength(3);
  });

  test('of a store ends with the operation that fails', async () => {
    const short = async (): Promise<EventStore<Event>> => {
      const store = new MemoryEvents();
      const read = async (stream: string) => (await store.read(stream)).slice(0, 2);
      return { append: store.append.bind(store), read };
    };
    for (let seed = 1; seed <= 20; seed += 1) {
      const { counterexample } = await loans.checkEventStore(short, { seed, shrinkMs: 20 });
      const options = evaluated(counterexample?.replay ?? '') as StoreOptions<Event>;
      const [operations = []] = options.programs ?? [];
      const fewer = { programs: [operations.slice(0, -1)] };
      expect(operations).toEqual(counterexample?.operations);
      expect((await loans.checkEventStore(short, fewer)).counterexample).toBeUndefined();
    }
  });

  test('of clients at once shows all of the answers that are judged', async () => {
    const ahead = target((app) => ({
      async perform({ id, command, commandId }) {
        const told = await app.perform(id, command, commandId);
        return told.kind === 'accepted' ? { ...told, version: 77 } : told;
      },
    }));
    const { violation } = await loans.checkConcurrently(ahead, { seed: 1 });
    expect(violation).toMatch(/ → accepted, events \[.*\], version 77$/m);
    expect(violation).toMatch(/^after \d+ of them the state is .*, in version 0; what is left/m);
  });

  test('of clients at once says if shrinking was cut off', async () => {
    const busy = target(() => ({ perform: () => ({ kind: 'rejected', reason: 'busy' }) }));
    const { violation } = await loans.checkConcurrently(busy, { seed: 1, shrinkMs: 0 });
    expect(violation?.split('\n').at(-1)).toBe(
      '(shrinking ended after 0 s, so a plainer one may fail, too)',
    );
    const whole = await loans.checkConcurrently(busy, { seed: 1, shrinkMs: Infinity });
    expect(whole.violation).toContain('not linearizable');
    expect(whole.violation).not.toContain('shrinking');
  });

  test('that holds when it is run again is shown as such', async () => {
    let isDue = true;
    const once = target((app) => ({
      async perform({ id, command, commandId }) {
        const told = await app.perform(id, command, commandId);
        if (command.type !== 'Return' || !isDue) return told;
        isDue = false;
        return { kind: 'rejected', reason: 'busy' };
      },
    }));
    const { message } = await violationOf(loans.assertHolds(once, { shrinkMs: 0 }));
    expect(message).toMatch(
      /# Seed .*\. Run again, it holds: it depends on earlier runs or on chance\.\n/,
    );
    const always = target(() => ({ perform: () => ({ kind: 'rejected', reason: 'busy' }) }));
    const { counterexample } = await loans.check(always);
    expect(counterexample?.origin).not.toContain('again');
  });
});
