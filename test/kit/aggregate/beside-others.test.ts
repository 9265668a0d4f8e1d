import { describe, expect, test } from 'vitest';
import { evaluated } from '../../support/evaluated.ts';
import { type Command, type Event, Library, MemoryEvents } from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import type { ConcurrentOptions } from './concurrent.ts';
import { kitFor } from './kit.ts';
import type { Session, Target } from './target.ts';

/** Concurrent clients of targets that throw, hang or restart: lost answers are told from mistakes. */

const loans = kitFor(LOANS);
type Members = Partial<Session<Command, Event>>;

function library(members: (app: Library, events: MemoryEvents) => Members): Target<Command, Event> {
  return {
    name: 'library',
    open() {
      const events = new MemoryEvents();
      const app = new Library(events);
      return {
        perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
        view: (id) => app.copy(id),
        events: (id) => app.events(id),
        ...members(app, events),
      };
    },
  };
}

/** Throws an error if a command overlaps another one, or the same one only. */
function overlapping(error: () => Error, isSame: boolean): Target<Command, Event> {
  return library((app) => {
    const busy = new Set<string>();
    return {
      isIdempotent: isSame,
      async perform({ id, command, commandId }) {
        const key = isSame ? commandId : '';
        if (busy.has(key)) throw error();
        busy.add(key);
        try {
          await new Promise((resolve) => setImmediate(resolve));
          return await app.perform(id, command, commandId);
        } finally {
          busy.delete(key);
        }
      },
    };
  });
}

describe('An error beside other clients', () => {
  test.each([TypeError, RangeError, ReferenceError])('is found if it is a %o', async (Mistake) => {
    const mistaken = overlapping(() => new Mistake('no version'), false);
    const { violation, cause, replay } = await loans.checkConcurrently(mistaken, { seed: 1 });
    expect(violation).toMatch(/^a command throws: no version\n {2}\[\d+, /);
    expect(violation).toContain('let isLost of the session return true for this error.');
    expect(cause).toStrictEqual(new Mistake('no version'));
    const options = evaluated(replay ?? '') as ConcurrentOptions<Command>;
    expect(options.programs).toHaveLength(2);
    const again = loans.assertLinearizable(mistaken, options);
    await expect(again).rejects.toMatchObject({ cause: new Mistake('no version') });
  });

  test('is found if it is of a look, or an assertion of the target', async () => {
    let looks = 0;
    const look = library((app) => ({
      view(id) {
        looks += 1;
        if (looks % 3 === 0) throw new TypeError('no version');
        return app.copy(id);
      },
    }));
    const run = loans.assertLinearizable(look, { seed: 1 });
    await expect(run).rejects.toThrow(/^a look throws: no version\n/);
    const unexpected = Object.assign(new Error('500 is not 201'), { name: 'AssertionError' });
    const asserting = overlapping(() => unexpected, false);
    await expect(loans.assertLinearizable(asserting)).rejects.toThrow('throws: 500 is not 201');
  });

  test('is counted if its answer may be lost', async () => {
    const cut = overlapping(() => new Error('cut'), false);
    const { unanswered } = await loans.assertLinearizable(cut);
    expect(unanswered).toEqual({ cut: expect.any(Number) });
    const right = await loans.assertLinearizable(library(() => ({})));
    expect('unanswered' in right).toBe(false);
    const fetched = overlapping(() => new TypeError('fetch failed', { cause: 'cut' }), false);
    await loans.assertLinearizable(fetched);
  });

  test('is found if it is thrown by one of two equal commands at once', async () => {
    const twice = overlapping(() => new Error('duplicate key'), true);
    const run = loans.assertLinearizable(twice);
    await expect(run).rejects.toThrow(
      /, sent twice at once: .*, and the other one threw: duplicate key\n/,
    );
    await expect(run).rejects.toMatchObject({ cause: new Error('duplicate key') });
  });

  test.each([
    Object.assign(new Error('cut'), { code: 'ECONNRESET' }),
    new TypeError('fetch failed', {
      cause: Object.assign(new Error(), { code: 'UND_ERR_SOCKET' }),
    }),
    new DOMException('late', 'TimeoutError'),
  ])('of the network is no mistake of an idempotent target: %o', async (error) => {
    await loans.assertLinearizable(overlapping(() => error, true));
  });

  test('is what the target says that it is', async () => {
    const declared = (target: Target<Command, Event>, isLost: boolean) => ({
      name: target.name,
      open: async () => ({ ...(await target.open()), isLost: () => isLost }),
    });
    await loans.assertLinearizable(
      declared(
        overlapping(() => new Error('cut'), true),
        true,
      ),
    );
    await loans.assertLinearizable(
      declared(
        overlapping(() => new TypeError(), false),
        true,
      ),
    );
    const known = declared(
      overlapping(() => new Error('known'), false),
      false,
    );
    await expect(loans.assertLinearizable(known)).rejects.toThrow('a command throws: known');
  });

  test('by open or close is shown with the call', async () => {
    const fail = () => Promise.reject(new Error('away'));
    const closed = { name: 'closed', open: fail };
    await expect(loans.assertLinearizable(closed)).rejects.toThrow(/^away\nThrown by open\.\n/);
    const leaking = library(() => ({ close: fail }));
    const { violation, cause } = await loans.checkConcurrently(leaking);
    expect(violation).toMatch(/^away\n( {2}.*\n)+Thrown by close\.$/);
    expect(cause).toStrictEqual(new Error('away'));
  });
});

describe('A call that never ends beside others', () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = library((app) => ({
    perform: ({ id, command, commandId }) =>
      command.type === 'Return' ? never() : app.perform(id, command, commandId),
  }));

  test('is found after the time limit, with all calls', async () => {
    const { violation, replay } = await loans.checkConcurrently(hanging, {
      seed: 1,
      timeLimitMs: 500,
    });
    const [first, ...calls] = violation?.split('\n') ?? [];
    expect(first).toBe('a call has no answer 2000 ms after the time limit of 500 ms');
    expect(calls.at(-1)).toMatch(
      /^ {2}\[\d+, Infinity\] client \d, [AB]: return → no answer: none yet$/,
    );
    const { programs = [] } = evaluated(replay ?? '') as ConcurrentOptions<Command>;
    expect(programs).toHaveLength(3);
    const lasts = programs.map(({ steps }) => steps.at(-1));
    expect(lasts).toContainEqual(expect.objectContaining({ command: { type: 'Return' } }));
  });

  test('is found after the signal, and in open', async () => {
    const run = loans.assertLinearizable(hanging, { signal: AbortSignal.timeout(500) });
    await expect(run).rejects.toThrow('a call has no answer 2000 ms after the signal\n');
    const opening = loans.assertLinearizable(
      { name: 'hanging', open: never },
      { timeLimitMs: 500 },
    );
    await expect(opening).rejects.toThrow('after the time limit of 500 ms: open\n');
  });

  test('is not seen in a target that answers in time', async () => {
    const slow = library((app) => ({
      async perform({ id, command, commandId }) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return app.perform(id, command, commandId);
      },
    }));
    for (const limit of [{ timeLimitMs: 30 }, { signal: AbortSignal.timeout(30) }]) {
      const { rounds, violation } = await loans.checkConcurrently(slow, limit);
      expect([rounds < 100, violation]).toEqual([true, undefined]);
    }
  });
});

describe('A restart after concurrent clients', () => {
  const does = ['command', 'look', 'restart'] as const;

  /** @param keep Returns the events that are there after a restart. */
  function restarted(keep: (events: readonly Event[]) => readonly Event[]): Target<Command, Event> {
    return {
      name: 'restarted',
      open() {
        const logs = new Map<string, readonly Event[]>();
        let events = new MemoryEvents();
        let app = new Library(events);
        return {
          async perform({ id, command, commandId }) {
            const told = await app.perform(id, command, commandId);
            logs.set(id, await app.events(id));
            return told;
          },
          view: (id) => app.copy(id),
          events: (id) => app.events(id),
          async restart() {
            events = new MemoryEvents();
            for (const [id, log] of logs) await events.append(id, 0, keep(log), id);
            app = new Library(events);
          },
        };
      },
    };
  }

  test('is done if programs have one, and finds what it loses', async () => {
    await loans.assertLinearizable(
      restarted((events) => events),
      { does },
    );
    const forgetful = restarted((events) => events.slice(0, -1));
    const { violation, replay } = await loans.checkConcurrently(forgetful, { does, seed: 1 });
    expect(violation).toMatch(/\n {2}\[\d+\] restart\n/);
    const options = evaluated(replay ?? '') as ConcurrentOptions<Command>;
    await expect(loans.assertLinearizable(forgetful, options)).rejects.toThrow('restart\n');
    await loans.assertLinearizable(forgetful);
  });

  test('may follow a command without an answer', async () => {
    const target = restarted((events) => events);
    let count = 0;
    const cut: typeof target = {
      name: 'cut',
      async open() {
        const session = await target.open();
        return {
          ...session,
          async perform(request) {
            const told = await session.perform(request);
            count += 1;
            if (count % 3 === 0) throw new Error('cut');
            return told;
          },
        };
      },
    };
    await loans.assertLinearizable(cut, { does });
  });
});
