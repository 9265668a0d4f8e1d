import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { evaluated } from '../../support/evaluated.ts';
import { temporaryFile } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { memoryOrders, sqliteOrders } from '../../support/targets.ts';
import { assertHolds, check } from '../check.ts';
import { type Expected, OracleStore } from '../oracle/store.ts';
import { ORDERS, ORDERS_WITH_REASONS, orderTarget } from '../orders.ts';
import { type Command, copy, type Event, Library, MemoryEvents } from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import { type StoreUnderTest, storeTarget } from '../targets/store.ts';
import type { ConcurrentOptions } from './concurrent.ts';
import { type Appended, type EventStore, STORE_RULES } from './event-store.ts';
import { kitFor } from './kit.ts';
import { RULES } from './run.ts';
import type { StoreOptions } from './store-check.ts';
import type { Target } from './target.ts';

/** The kit for any aggregate, on event stores and on applications with concurrent clients. */

const loans = kitFor(LOANS);
const orders = kitFor(ORDERS_WITH_REASONS);

/** An event store in a file of SQLite, in one table. */
class SqliteEvents implements EventStore<Event> {
  readonly isIdempotent = true;
  readonly #file: string;
  readonly #db: Database.Database;

  constructor(file: string) {
    this.#file = file;
    this.#db = new Database(file);
    this.#db.exec(`
      CREATE TABLE IF NOT EXISTS events (
        position INTEGER PRIMARY KEY, stream TEXT, version INTEGER, event TEXT, command_id TEXT,
        UNIQUE (stream, version)
      )`);
  }

  async append(
    stream: string,
    expected: number,
    events: readonly Event[],
    commandId: string,
  ): Promise<Appended> {
    const run = this.#db.transaction((): Appended => {
      const known = this.#db
        .prepare('SELECT max(version) AS version FROM events WHERE command_id = ?')
        .get(commandId) as { version: number | null };
      if (known.version !== null) return { kind: 'appended', version: known.version };
      const { length } = this.#rows(stream);
      if (length !== expected) return { kind: 'conflict' };
      const insert = this.#db.prepare(
        'INSERT INTO events (stream, version, event, command_id) VALUES (?, ?, ?, ?)',
      );
      for (const [index, event] of events.entries()) {
        insert.run(stream, expected + index + 1, JSON.stringify(event), commandId);
      }
      return { kind: 'appended', version: expected + events.length };
    });
    return run.immediate();
  }

  async read(stream: string): Promise<readonly Event[]> {
    return this.#rows(stream).map(({ event }) => JSON.parse(event));
  }

  async readAll() {
    const rows = this.#db.prepare('SELECT * FROM events ORDER BY position').all() as Row[];
    return rows.map(({ position, stream, event }) => ({
      position,
      stream,
      event: JSON.parse(event),
    }));
  }

  async reopen(): Promise<EventStore<Event>> {
    this.#db.close();
    return new SqliteEvents(this.#file);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #rows(stream: string): Row[] {
    return this.#db
      .prepare('SELECT * FROM events WHERE stream = ? ORDER BY version')
      .all(stream) as Row[];
  }
}

interface Row {
  readonly position: number;
  readonly stream: string;
  readonly event: string;
}

/** A correct store in memory, of which some members are replaced. */
function faulty(fault: (store: MemoryEvents) => Partial<EventStore<Event>>) {
  return async (): Promise<EventStore<Event>> => {
    const store = new MemoryEvents();
    const right: EventStore<Event> = {
      isIdempotent: true,
      append: (...given) => store.append(...given),
      read: (stream) => store.read(stream),
      readAll: () => store.readAll(),
    };
    return { ...right, ...fault(store) };
  };
}

describe('A check of an event store', () => {
  test('finds nothing in correct ones', async () => {
    expect((await loans.assertEventStore(async () => new MemoryEvents())).runs).toBe(100);
    await loans.assertEventStore(async () => new SqliteEvents(temporaryFile()), { runs: 20 });
  });

  test.each<[string, string, (store: MemoryEvents) => Partial<EventStore<Event>>]>([
    [
      STORE_RULES.append,
      'it loses the last event of an append',
      (store) => ({
        append: async (stream, expected, events, id) => {
          const version = expected + events.length;
          const answer = await store.append(stream, expected, events.slice(0, -1), id);
          return answer.kind === 'appended' ? { kind: 'appended', version } : answer;
        },
      }),
    ],
    [
      STORE_RULES.conflict,
      'it ignores the expected version',
      (store) => ({
        append: async (stream, _, events, id) =>
          store.append(stream, (await store.read(stream)).length, events, id),
      }),
    ],
    [
      STORE_RULES.one,
      'it checks the version before it waits',
      (store) => ({
        append: async (stream, expected, events, id) => {
          if ((await store.read(stream)).length !== expected) return { kind: 'conflict' };
          for (;;) {
            const { length } = await store.read(stream);
            const answer = await store.append(stream, length, events, id);
            if (answer.kind === 'appended') return answer;
          }
        },
        isIdempotent: false,
      }),
    ],
    [
      STORE_RULES.whole,
      'its readers see a part of an append',
      (store) => ({
        append: async (stream, expected, events, id) => {
          const first = await store.append(stream, expected, events.slice(0, 1), `${id}-1`);
          if (first.kind === 'conflict') return first;
          for (let turn = 0; turn < 20; turn += 1) await undefined;
          if (events.length === 1) return first;
          return store.append(stream, expected + 1, events.slice(1), `${id}-2`);
        },
        read: async (stream) => {
          for (let turn = 0; turn < 10; turn += 1) await undefined;
          return store.read(stream);
        },
        isIdempotent: false,
      }),
    ],
    [
      STORE_RULES.repeat,
      'it calls a repeated append a conflict',
      (store) => {
        let count = 0;
        return {
          append: (stream, expected, events) =>
            store.append(stream, expected, events, `${++count}`),
        };
      },
    ],
    [
      STORE_RULES.repeat,
      'it records an append twice that is repeated before its answer',
      (store) => {
        const answers = new Map<string, Appended>();
        return {
          async append(stream, expected, events, id) {
            const known = answers.get(id);
            if (known !== undefined) return known;
            const answer = await store.append(stream, expected, events, `${id}-${answers.size}`);
            const isOvertaken = answers.has(id);
            answers.set(id, answer);
            return isOvertaken ? { kind: 'appended', version: expected } : answer;
          },
        };
      },
    ],
    [
      STORE_RULES.one,
      'it loses an append while another stream is appended',
      (store) => {
        let busy: string | undefined;
        return {
          async append(stream, expected, events, id) {
            if (busy !== undefined && busy !== stream) {
              return { kind: 'appended', version: expected + events.length };
            }
            busy = stream;
            const answer = await store.append(stream, expected, events, id);
            busy = undefined;
            return answer;
          },
          isIdempotent: false,
        };
      },
    ],
    [STORE_RULES.restart, 'it forgets', () => ({ reopen: async () => new MemoryEvents() })],
    [
      STORE_RULES.positions,
      'its positions begin at 0',
      (store) => ({
        readAll: async () =>
          (await store.readAll()).map((each) => ({ ...each, position: each.position - 1 })),
      }),
    ],
    [
      STORE_RULES.positions,
      'its log has another order',
      (store) => ({
        readAll: async () =>
          (await store.readAll())
            .toReversed()
            .map((each, index) => ({ ...each, position: index + 1 })),
      }),
    ],
    [
      STORE_RULES.positions,
      'its log is in the order of the streams, so that positions change',
      (store) => ({
        readAll: async () => {
          const log = (await store.readAll()).toSorted((one, other) =>
            one.stream.localeCompare(other.stream),
          );
          return log.map((each, index) => ({ ...each, position: index + 1 }));
        },
      }),
    ],
    [
      STORE_RULES.positions,
      'its log is in the order of the streams once it is opened again',
      (store) => {
        const byStream = async () => {
          const log = (await store.readAll()).toSorted((one, other) =>
            one.stream.localeCompare(other.stream),
          );
          return log.map((each, index) => ({ ...each, position: index + 1 }));
        };
        const members = {
          isIdempotent: true,
          append: store.append.bind(store),
          read: store.read.bind(store),
        };
        return { reopen: async () => ({ ...members, readAll: byStream }) };
      },
    ],
    [
      STORE_RULES.whole,
      'its log shows a part of an append',
      (store) => {
        let hidden = 0;
        return {
          async append(stream, expected, events, id) {
            hidden += events.length - 1;
            const answer = await store.append(stream, expected, events, id);
            if (events.length > 1) await new Promise((resolve) => setImmediate(resolve));
            hidden -= events.length - 1;
            return answer;
          },
          readAll: async () => {
            const log = await store.readAll();
            return log.slice(0, Math.max(0, log.length - hidden));
          },
        };
      },
    ],
    [
      STORE_RULES.positions,
      'its log has a gap while appends are under way',
      (store) => {
        let busy = 0;
        return {
          async append(stream, expected, events, id) {
            busy += 1;
            const answer = await store.append(stream, expected, events, id);
            await new Promise((resolve) => setImmediate(resolve));
            busy -= 1;
            return answer;
          },
          readAll: async () => {
            const log = await store.readAll();
            return busy > 0 && log.length > 1 ? log.slice(1) : log;
          },
        };
      },
    ],
  ])('finds a break of "%s": %s', async (rule, _, fault) => {
    for (const seed of [1, 2, 3]) {
      const { counterexample } = await loans.checkEventStore(faulty(fault), { seed, runs: 300 });
      expect(counterexample?.rule).toBe(rule);
      expect(counterexample?.script.split('\n').length).toBeLessThanOrEqual(3);
      const options = evaluated(counterexample?.replay ?? '') as StoreOptions<Event>;
      const again = await loans.checkEventStore(faulty(fault), options);
      expect(again.counterexample?.operations).toEqual(counterexample?.operations);
      expect((await loans.checkEventStore(async () => new MemoryEvents(), options)).runs).toBe(1);
    }
    await expect(loans.assertEventStore(faulty(fault), { seed: 1, runs: 300 })).rejects.toThrow(
      rule,
    );
  });
});

/** The library, with a fault of its application. */
function library(perform?: (events: MemoryEvents) => Library['perform']): Target<Command, Event> {
  return {
    name: 'library',
    open() {
      const events = new MemoryEvents();
      const app = new Library(events);
      const run = perform?.(events) ?? app.perform.bind(app);
      return {
        perform: ({ id, command, commandId }) => run(id, command, commandId),
        view: (id) => app.copy(id),
        events: (id) => app.events(id),
      };
    },
  };
}

/** Decides on what it has read before, and appends whatever has happened since. */
const lostUpdates = library((events) => async (id, command, commandId) => {
  const before = await events.read(id);
  const decision = copy.decide(command, before.reduce(copy.evolve, copy.initial));
  if (decision.kind === 'rejected' || decision.events.length === 0) return decision;
  const { length } = await events.read(id);
  const appended = await events.append(id, length, decision.events, commandId);
  return appended.kind === 'appended' ? decision : { kind: 'rejected', reason: 'conflict' };
});

describe('A check with concurrent clients', () => {
  test('finds nothing in correct applications, of loans and of orders', async () => {
    const { rounds, undecided } = await loans.assertLinearizable(library(), { rounds: 200 });
    expect([rounds, undecided]).toEqual([200, 0]);
    await orders.assertLinearizable(memoryOrders, { rounds: isNightly ? 50 : 15 });
    await orders.assertLinearizable(
      sqliteOrders(() => temporaryFile()),
      { rounds: isNightly ? 5 : 2 },
    );
  });

  test('finds a decision on an old state, and shows the calls', async () => {
    const { violation, seed } = await loans.checkConcurrently(lostUpdates, { seed: 1 });
    expect(violation).toMatch(/^the calls of [AB] are not linearizable:\n {2}\[\d+, \d+\] client/);
    expect(violation).toContain('what is left fits nowhere:');
    expect(await loans.checkConcurrently(lostUpdates, { seed })).toMatchObject({ violation });
    const run = () => loans.assertLinearizable(lostUpdates, { seed });
    await expect(run()).rejects.toThrow('Seed 1.');
  });

  test('shows a few calls, and the options that run them again', async () => {
    for (const seed of [1, 2, 3]) {
      const sizes = { clients: 10, maxSteps: 20 };
      const result = await loans.checkConcurrently(lostUpdates, { seed, ...sizes });
      expect(result.violation?.split('\n').length).toBeLessThan(20);
      const options = evaluated(result.replay ?? '') as ConcurrentOptions<Command>;
      expect(options.programs?.length).toBeLessThanOrEqual(3);
      const again = await loans.checkConcurrently(lostUpdates, options);
      expect(again.violation).toContain('not linearizable');
      const run = loans.assertLinearizable(lostUpdates, options);
      await expect(run).rejects.toThrow('To run it again, pass these options to the same call:\n');
      await expect(run).rejects.not.toThrow('Seed');
      expect((await loans.assertLinearizable(library(), options)).rounds).toBe(100);
    }
    await expect(loans.assertLinearizable(library(), { programs: [] })).rejects.toThrow(RangeError);
  });

  test('finds a command that is decided again if it is repeated before its answer', async () => {
    const twice = library((events) => {
      const told = new Map<string, ReturnType<typeof copy.decide>>();
      const app = new Library(events);
      let sent = 0;
      return async (id, command, commandId) => {
        const known = told.get(commandId);
        if (known !== undefined) return known;
        const decision = await app.perform(id, command, `${commandId}-${++sent}`);
        told.set(commandId, decision);
        return decision;
      };
    });
    const isIdempotent = true;
    const idempotent = (target: typeof twice): typeof twice => ({
      name: target.name,
      open: async () => ({ ...(await target.open()), isIdempotent }),
    });
    await loans.assertLinearizable(idempotent(library()));
    const { violation } = await loans.checkConcurrently(idempotent(twice), { seed: 1 });
    expect(violation).toMatch(/, repeated: .*, and was |not linearizable/);
  });

  test('shows what throws with the calls before', async () => {
    const lost = (): never => {
      throw new TypeError('no such table');
    };
    const unread: Target<Command, Event> = {
      name: 'unread',
      open: async () => ({ ...(await library().open()), events: lost }),
    };
    const run = loans.assertLinearizable(unread, { seed: 1 });
    await expect(run).rejects.toThrow(/^no such table\n {2}\[1, \d+\] client 1, A: /);
    await expect(run).rejects.toThrow('\nSeed 1.\n');
    const kit = kitFor({ ...LOANS, model: { ...LOANS.model, decide: lost } });
    await expect(kit.assertLinearizable(library(), { seed: 1 })).rejects.toThrow(/no such table\n/);
  });

  test('allows that a command without an answer was recorded or not', async () => {
    const cut = (isRecorded: boolean) =>
      library((events) => {
        const app = new Library(events);
        let count = 0;
        return async (id, command, commandId) => {
          count += 1;
          if (count % 3 !== 0) return app.perform(id, command, commandId);
          if (isRecorded) await app.perform(id, command, commandId);
          throw new Error('the connection is cut');
        };
      });
    await loans.assertLinearizable(cut(true));
    await loans.assertLinearizable(cut(false));
  });

  test('counts undecided histories at a limit, and ends at a signal', async () => {
    // Many commands without an answer, and a view that none of them explains.
    const hopeless: Target<Command, Event> = {
      name: 'hopeless',
      open: () => ({
        perform: () => Promise.reject(new Error('no answer')),
        view: () => ({ lentTo: 'zoe' }),
      }),
    };
    const does = ['command'] as const;
    const sizes = { clients: 10, maxSteps: 10, maxAggregates: 1, rounds: 3 };
    const limited = { ...sizes, does, maxCombinations: 50 };
    const { undecided, violation } = await loans.checkConcurrently(hopeless, {
      ...limited,
      seed: 1,
    });
    expect(violation).toBe(
      'no command was answered, which shows nothing; the last one failed: no answer',
    );
    expect(undecided).toBe(3);
    const signal = AbortSignal.abort();
    expect(await loans.checkConcurrently(library(), { signal, seed: 1 })).toEqual({
      ...{ seed: 1, rounds: 0, calls: 0, undecided: 0 },
    });
  });
});

describe('Any program of an order', () => {
  /** A store in memory by the contract, which has no reasons. */
  function openPlain(isForgetful = false): StoreUnderTest {
    const oracle = new OracleStore();
    const outcomes = new Map<string, Expected>();
    return {
      async submit({ command, commandId }) {
        const { reason: _, ...known } = { reason: '', ...command };
        const outcome =
          outcomes.get(commandId) ?? oracle.submit(known as Parameters<typeof oracle.submit>[0]);
        if (!isForgetful) outcomes.set(commandId, outcome);
        return outcome;
      },
      list: async () => oracle.list(),
      get: async (id) => oracle.get(id),
      events: async () => {
        const versions = new Map<bigint, number>();
        return oracle.events.map((event, index) => {
          const version = (versions.get(event.orderId) ?? 0) + 1;
          versions.set(event.orderId, version);
          return { position: index + 1, version, event };
        });
      },
      close: async () => undefined,
      isIdempotent: true,
    };
  }

  test('holds for a store by the contract, and finds one that forgets command ids', async () => {
    const kit = kitFor(ORDERS);
    await kit.assertHolds(orderTarget('plain', async () => openPlain()));
    await kit.assertLinearizable(orderTarget('plain', async () => openPlain()));
    await assertHolds(storeTarget('plain', async () => openPlain()));
    const forgetful = async () => openPlain(true);
    const generic = await kit.check(orderTarget('forgetful', forgetful), { seed: 1 });
    expect(generic.counterexample?.rule).toBe(RULES.repeat);
    const own = await check(storeTarget('forgetful', forgetful), { seed: 1 });
    expect(own.counterexample?.rule).toBe(RULES.repeat);
    const { violation } = await kit.checkConcurrently(orderTarget('forgetful', forgetful));
    expect(violation).toMatch(/, repeated: |not linearizable/);
  });

  test('gets the answers of the table from the application', async () => {
    await orders.assertHolds(memoryOrders, { runs: isNightly ? 200 : 50 });
    const does = ['command', 'look', 'restart'] as const;
    await orders.assertHolds(
      sqliteOrders(() => temporaryFile()),
      { runs: isNightly ? 10 : 3, does },
    );
  });
});
