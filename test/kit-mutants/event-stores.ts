import type { Appended, EventStore, Stored } from '../kit/aggregate/event-store.ts';
import { copy, type Event } from '../kit/starter/library.ts';

/** Event stores and an application that are broken on purpose, for the kit for any aggregate. */

/** The parts of a store in memory: each fault replaces some of them. */
interface Parts {
  /** Returns true if a stream has the events that were recorded under another name. */
  isOf(recorded: string, stream: string): boolean;
  /** Returns true if an append to a stream of so many events may expect a version. */
  accepts(expected: number, length: number): boolean;
  /** Returns the text under which the answer to an append is kept. */
  keyOf(commandId: string, events: readonly Event[]): string;
  /** Returns the answer that is kept for an append; undefined for none. */
  kept(answer: Appended, expected: number): Appended | undefined;
  /** The number of newest answers that are kept. */
  readonly maxKept: number;
  /** The most events that are read of a stream, and of the whole log. */
  readonly maxRead: number;
  readonly maxLog: number;
}

const RIGHT: Parts = {
  isOf: (recorded, stream) => recorded === stream,
  accepts: (expected, length) => expected === length,
  keyOf: (commandId) => commandId,
  kept: (answer) => (answer.kind === 'appended' ? answer : undefined),
  ...{ maxKept: Infinity, maxRead: Infinity, maxLog: Infinity },
};

/** Returns a store in memory with the parts of a fault. */
export function storeWith(fault: Partial<Parts>): EventStore<Event> {
  const { isOf, accepts, keyOf, kept, maxKept, maxRead, maxLog } = { ...RIGHT, ...fault };
  const log: Stored<Event>[] = [];
  const answers = new Map<string, Appended>();
  const eventsOf = (stream: string) => log.filter((each) => isOf(each.stream, stream));
  return {
    isIdempotent: true,
    async append(stream, expected, events, commandId) {
      await undefined;
      const key = keyOf(commandId, events);
      const known = answers.get(key);
      if (known !== undefined) return known;
      const version = expected + events.length;
      const { length } = eventsOf(stream);
      const isAccepted = accepts(expected, length);
      const answer: Appended = isAccepted ? { kind: 'appended', version } : { kind: 'conflict' };
      const later = kept(answer, expected);
      if (later !== undefined) answers.set(key, later);
      if (answers.size > maxKept) answers.delete(answers.keys().next().value ?? '');
      if (!isAccepted) return answer;
      for (const event of events) log.push({ position: log.length + 1, stream, event });
      return answer;
    },
    read: async (stream) => {
      return eventsOf(stream)
        .slice(0, maxRead)
        .map(({ event }) => event);
    },
    readAll: async () => log.slice(0, maxLog),
  };
}

export const STORE_FAULTS: Readonly<Record<string, Partial<Parts>>> = {
  'a read ends after 50 events': { maxRead: 50 },
  'the whole log ends after 64 events': { maxLog: 64 },
  'the id of a conflict is that of a recorded append': {
    kept: (answer, expected) =>
      answer.kind === 'appended' ? answer : { kind: 'appended', version: expected + 1 },
  },
  'an id with other events is recorded again': {
    keyOf: (commandId, events) => JSON.stringify([commandId, events]),
  },
  'the ids of the last 15 appends are kept': { maxKept: 15 },
  'an append may be two versions ahead': {
    accepts: (expected, length) => expected === length || expected === length + 2,
  },
  'any version far ahead is the right one': {
    accepts: (expected, length) => expected === length || expected > 1_000,
  },
  'the largest version is the right one': {
    accepts: (expected, length) => expected === length || expected === Number.MAX_SAFE_INTEGER,
  },
  'version 0 is the right one for a long stream': {
    accepts: (expected, length) => expected === length || (expected === 0 && length > 10),
  },
  'streams are read by the beginnings of their names': {
    isOf: (recorded, stream) => recorded.startsWith(stream),
  },
  'the case of a name does not matter': {
    isOf: (recorded, stream) => recorded.toLowerCase() === stream.toLowerCase(),
  },
  'an underscore in a name is any character': {
    isOf: (recorded, stream) => new RegExp(`^${stream.replaceAll('_', '.')}$`).test(recorded),
  },
  'composed and decomposed letters are the same': {
    isOf: (recorded, stream) => recorded.normalize() === stream.normalize(),
  },
};

/** An application that reads its aggregates by the beginnings of their ids. */
export const PREFIX_READER = {
  name: 'aggregates are read by the beginnings of their ids',
  open() {
    const log: { readonly id: string; readonly event: Event }[] = [];
    return {
      perform({
        id,
        command,
      }: {
        readonly id: string;
        readonly command: Parameters<typeof copy.decide>[0];
      }) {
        const before = log.filter((each) => each.id.startsWith(id)).map(({ event }) => event);
        const decision = copy.decide(command, before.reduce(copy.evolve, copy.initial));
        if (decision.kind === 'accepted') {
          for (const event of decision.events) log.push({ id, event });
        }
        return decision;
      },
    };
  },
};
