import fc, { type Arbitrary } from 'fast-check';
import { closing } from './closing.ts';
import { type FindOptions, find } from './find.ts';
import { FORM_RULES, Given, requireAppended, requireArray } from './form.ts';
import { onLines, replayOf } from './script.ts';
import { asText, isSame } from './text.ts';
import { Violation } from './violation.ts';

/** Properties of event stores: streams of events with optimistic concurrency. */

/** An event store under test. Its optional members are checked if present. */
export interface EventStore<Event> {
  /**
   * Appends events to a stream if it has `expected` events now: all of them or none. Resolves when
   * they are durable.
   * @param commandId Unique for each append; the same again if an append is repeated.
   */
  append(
    stream: string,
    expected: number,
    events: readonly Event[],
    commandId: string,
  ): Promise<Appended>;
  /** Returns the events of a stream, the oldest first. */
  read(stream: string): Promise<readonly Event[]>;
  /** Returns the events of all streams in the order of their positions. */
  readAll?(): Promise<readonly Stored<Event>[]>;
  /** Ends like a killed process, and opens the stored data again. */
  reopen?(): Promise<EventStore<Event>>;
  close?(): Promise<void>;
  /** True if an append with a command id that was sent before records nothing, and gets the first answer. */
  readonly isIdempotent?: boolean;
}

export type Appended =
  /** `version` is the number of events of the stream, including these. */
  { readonly kind: 'appended'; readonly version: number } | { readonly kind: 'conflict' };

export interface Stored<Event> {
  /** From 1, without gaps. */
  readonly position: number;
  readonly stream: string;
  readonly event: Event;
}

/** The rules that are checked, by their names in reports. */
export const STORE_RULES = {
  append: 'an append to the expected version is recorded, in order',
  conflict: 'an append to another version is a conflict, and records nothing',
  one: 'of concurrent appends to one version, one is recorded',
  whole: 'a reader sees all events of an append or none',
  repeat: 'a repeated append records nothing, and gets the first answer',
  restart: 'what was appended outlives a restart',
  positions: 'positions are dense, and each stream is in its order',
  pure: FORM_RULES.pure,
  form: FORM_RULES.form,
} as const;

/** An operation on a store. Streams have indexes from 0 to 2. */
export type StoreOperation<Event> =
  /** `off` is added to the version of the stream: 0 expects the right one. */
  | { do: 'append'; stream: number; off: number; events: readonly Event[] }
  /**
   * Appends several at once, which all expect the version of the stream, and `beside` to the next stream.
   * An idempotent store gets the first one twice.
   */
  | {
      do: 'race';
      stream: number;
      several: readonly (readonly Event[])[];
      beside?: readonly Event[] | undefined;
    }
  /** Repeats an append, by the index of those that were recorded, modulo their number. */
  | { do: 'repeat'; which: number }
  | { do: 'reopen' };

export interface StoreOptions<Event> extends FindOptions {
  /** Operations to run once each instead of drawn ones, on a new store each. */
  readonly programs?: readonly (readonly StoreOperation<Event>[])[];
}

export interface StoreResult<Event = unknown> {
  readonly seed: number;
  readonly runs: number;
  /**
   * The number of operations run, without those that the store does not support, and those before anything
   * was appended that repeat or reopen.
   */
  readonly steps: number;
  readonly isInterrupted: boolean;
  readonly counterexample?: {
    readonly rule: string;
    readonly detail: string;
    readonly operations: readonly StoreOperation<Event>[];
    /** The operations in words, one a line. */
    readonly script: string;
    /** The options that run them again, as a JavaScript expression. */
    readonly replay: string;
    readonly path: string;
    /** The seed and the path, or the number of the given program, in words. */
    readonly origin: string;
  };
}

/** Runs random operations on a store and a Map of streams, until the two differ; shrinks those. */
export async function checkEventStore<Event>(
  open: () => Promise<EventStore<Event>>,
  events: Arbitrary<Event>,
  { programs, ...options }: StoreOptions<Event> = {},
): Promise<StoreResult<Event>> {
  programs?.forEach(requireOperations);
  let [runs, steps] = [0, 0];
  const attempt = async (ops: readonly StoreOperation<Event>[]) => {
    runs += 1;
    const session = new StoreSession(await open());
    await closing(session, async () => {
      for (const op of ops) steps += await session.do(op);
    });
  };
  const { seed, isInterrupted, counterexample } = await find(opsOf(events), attempt, {
    ...options,
    ...(programs && { given: programs }),
  });
  const done = { seed, runs, steps, isInterrupted };
  if (counterexample === undefined) return done;
  const { value: operations, ...found } = counterexample;
  const script = operations.map(inWords).join('\n');
  const replay = replayOf(onLines(operations));
  return { ...done, counterexample: { ...found, operations, script, replay } };
}

const MAX_OPS = 20;
const STREAMS = 3;
const KINDS = ['append', 'race', 'repeat', 'reopen'];

/** Throws a RangeError unless operations that a user has written can run. */
function requireOperations(ops: readonly StoreOperation<unknown>[]): void {
  for (const op of ops) {
    if (!KINDS.includes(op.do)) {
      throw new RangeError(`an operation does one of ${KINDS.join(', ')}, and not ${op.do}`);
    }
    if (op.do === 'repeat' || op.do === 'reopen') continue;
    if (Number.isSafeInteger(op.stream) && op.stream >= 0 && op.stream < STREAMS) continue;
    throw new RangeError(`a stream has an index from 0 to ${STREAMS - 1}, and not ${op.stream}`);
  }
}

function opsOf<Event>(event: Arbitrary<Event>): Arbitrary<readonly StoreOperation<Event>[]> {
  const events = fc.array(event, { minLength: 1, maxLength: 3 });
  const stream = fc.nat({ max: STREAMS - 1 });
  // Mostly the right version: one too low was overtaken, and one too high is a mistake.
  const off = fc.constantFrom(0, 0, 0, -1, 1);
  const several = fc.array(events, { minLength: 2, maxLength: 4 });
  const op = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('append' as const), stream, off, events }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{ do: fc.constant('race' as const), stream, several },
        beside: fc.option(events, { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  );
  return fc.array(op, { minLength: 1, maxLength: MAX_OPS });
}

function inWords(op: StoreOperation<unknown>): string {
  switch (op.do) {
    case 'append': {
      const version = ['one less than the version', 'the version', 'one more than the version'][
        op.off + 1
      ];
      return `append ${asText(op.events)} to stream ${op.stream + 1}, expecting ${version}`;
    }
    case 'race': {
      const beside =
        op.beside && `, and ${asText(op.beside)} to stream ${nextStream(op.stream) + 1}`;
      const several = op.several.map(asText).join(' and ');
      return `append ${several} to stream ${op.stream + 1}${beside ?? ''}, at once`;
    }
    case 'repeat':
      return 'repeat an earlier append';
    case 'reopen':
      return 'kill, and reopen';
  }
}

type Request<Event> = Parameters<EventStore<Event>['append']>;

/** An append that was recorded. */
interface Sent<Event> {
  readonly request: Request<Event>;
  /** The answer as it was then. */
  readonly answer: Appended;
}

/** A store beside its model, which is a Map of streams. */
class StoreSession<Event> {
  #store: EventStore<Event>;
  readonly #streams = new Map<string, readonly Event[]>();
  readonly #sent: Sent<Event>[] = [];
  readonly #given: Given[] = [];
  #commands = 0;

  constructor(store: EventStore<Event>) {
    this.#store = store;
  }

  /** Returns 0 if the operation is not possible, and 1 otherwise. */
  async do(op: StoreOperation<Event>): Promise<0 | 1> {
    switch (op.do) {
      case 'append':
        return this.#append(nameOf(op.stream), op.off, op.events);
      case 'race':
        return this.#race(op);
      case 'repeat':
        return this.#repeat(op.which);
      case 'reopen':
        return this.#reopen();
    }
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  async #append(stream: string, off: number, events: readonly Event[]): Promise<0 | 1> {
    const before = this.#eventsOf(stream);
    const expected = before.length + off;
    if (expected < 0) return 0;
    const answer = await this.#send(this.#request(stream, expected, events));
    const rule = off === 0 ? STORE_RULES.append : STORE_RULES.conflict;
    const due = off === 0 ? this.#accept(stream, events) : { kind: 'conflict' };
    differ(rule, `an append to ${stream} at version ${expected}`, answer, due);
    await this.#checkAll(rule);
    return 1;
  }

  async #race(op: Extract<StoreOperation<Event>, { do: 'race' }>): Promise<1> {
    const { several, beside } = op;
    const [stream, next] = [nameOf(op.stream), nameOf(nextStream(op.stream))];
    const before = this.#eventsOf(stream).length;
    const lengths = new Set([before, ...several.map(({ length }) => before + length)]);
    const requests = several.map((events) => this.#request(stream, before, events));
    const aside = beside && this.#request(next, this.#eventsOf(next).length, beside);
    const appends = requests.map((request) => this.#send(request));
    const [appendAside, appendAgain] = [
      aside && this.#send(aside),
      this.#store.isIdempotent && this.#again(requests[0] as Request<Event>),
    ];
    // One that fails while the stream is read is awaited below.
    for (const append of [...appends, appendAside, appendAgain]) {
      if (append) append.catch(() => undefined);
    }
    const seen = await this.#read(stream);
    if (!lengths.has(seen.length)) {
      throw new Violation(STORE_RULES.whole, `${stream} is read with ${seen.length} events`);
    }
    const answers = await Promise.all(appends);
    const winners = several.filter((_, index) => answers[index]?.kind === 'appended');
    const [winner] = winners;
    if (winner === undefined || winners.length > 1) {
      throw new Violation(STORE_RULES.one, `${winners.length} of ${several.length} are recorded`);
    }
    const due = this.#accept(stream, winner);
    for (const [index, answer] of answers.entries()) {
      const what = `append ${index + 1} of ${several.length} to ${stream} at once`;
      differ(STORE_RULES.one, what, answer, several[index] === winner ? due : { kind: 'conflict' });
    }
    if (appendAgain) {
      const what = `append 1 of ${several.length} to ${stream}, repeated at once`;
      differ(STORE_RULES.repeat, what, await appendAgain, answers[0]);
    }
    if (beside) {
      const what = `an append to ${next} beside those to ${stream}`;
      differ(STORE_RULES.append, what, await appendAside, this.#accept(next, beside));
    }
    await this.#checkAll(STORE_RULES.one);
    return 1;
  }

  async #repeat(which: number): Promise<0 | 1> {
    const sent = this.#sent[which % Math.max(1, this.#sent.length)];
    if (!this.#store.isIdempotent || sent === undefined) return 0;
    const what = `a repeated append to ${sent.request[0]}`;
    differ(STORE_RULES.repeat, what, await this.#again(sent.request), sent.answer);
    await this.#checkAll(STORE_RULES.repeat);
    return 1;
  }

  async #reopen(): Promise<0 | 1> {
    if (this.#store.reopen === undefined) return 0;
    this.#store = await this.#store.reopen();
    await this.#checkAll(STORE_RULES.restart);
    return this.#sent.length === 0 ? 0 : 1;
  }

  #request(stream: string, expected: number, events: readonly Event[]): Request<Event> {
    this.#commands += 1;
    this.#given.push(new Given('the store', { [`the events of an append to ${stream}`]: events }));
    return [stream, expected, events, `append-${this.#commands}`];
  }

  async #send(request: Request<Event>): Promise<Appended> {
    const answer = await this.#again(request);
    if (answer.kind === 'appended') this.#sent.push({ request, answer: { ...answer } });
    return answer;
  }

  /** Sends an append, perhaps once more. */
  async #again(request: Request<Event>): Promise<Appended> {
    const [stream, expected] = request;
    const answer = await this.#store.append(...request);
    requireAppended(`an append to ${stream} at version ${expected}`, answer);
    for (const given of this.#given) given.requireUnchanged();
    return answer;
  }

  /** Records events in the model, and returns the answer that is due. */
  #accept(stream: string, events: readonly Event[]): Appended {
    const after = [...this.#eventsOf(stream), ...events];
    this.#streams.set(stream, after);
    return { kind: 'appended', version: after.length };
  }

  async #checkAll(rule: string): Promise<void> {
    for (const given of this.#given) given.requireUnchanged();
    for (let index = 0; index < STREAMS; index += 1) {
      const stream = nameOf(index);
      differ(rule, stream, await this.#read(stream), this.#eventsOf(stream));
    }
    if (this.#store.readAll === undefined) return;
    const all = await this.#store.readAll();
    requireArray('the whole log', all);
    for (const [index, { position }] of all.entries()) {
      if (position !== index + 1) {
        const detail = `event ${index + 1} of the log has the position ${position}`;
        throw new Violation(STORE_RULES.positions, detail);
      }
    }
    for (const [stream, events] of this.#streams) {
      const own = all.filter((each) => each.stream === stream).map(({ event }) => event);
      differ(STORE_RULES.positions, `${stream} in the whole log`, own, events);
    }
    const total = [...this.#streams.values()].reduce((sum, { length }) => sum + length, 0);
    differ(STORE_RULES.positions, 'the number of events', all.length, total);
  }

  async #read(stream: string): Promise<readonly Event[]> {
    const events = await this.#store.read(stream);
    requireArray(stream, events);
    return events;
  }

  #eventsOf(stream: string): readonly Event[] {
    return this.#streams.get(stream) ?? [];
  }
}

function nextStream(stream: number): number {
  return (stream + 1) % STREAMS;
}

function nameOf(stream: number): string {
  return `stream-${stream + 1}`;
}

function differ(rule: string, what: string, actual: unknown, expected: unknown): void {
  if (isSame(actual, expected)) return;
  throw new Violation(rule, `${what}: ${asText(actual)}, and should be ${asText(expected)}`);
}
