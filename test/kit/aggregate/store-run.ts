import { type Appended, type EventStore, STORE_RULES, type Stored } from './event-store.ts';
import { Given, requireAppended, requireArray } from './form.ts';
import type { Progress } from './progress.ts';
import { readWhile } from './read-while.ts';
import { nameOf, nextStream, STREAMS, type StoreOperation } from './store-operations.ts';
import { asText, isSame } from './text.ts';
import { Violation } from './violation.ts';

type Request<Event> = Parameters<EventStore<Event>['append']>;

/** An append that was recorded. */
interface Sent<Event> {
  readonly request: Request<Event>;
  /** The answer as it was then. */
  readonly answer: Appended;
}

/** The results of reads while appends were under way. */
interface Seen<Event> {
  readonly streams: (readonly Event[])[];
  readonly logs: (readonly Stored<Event>[])[];
}

/** A store beside its model, which is a Map of streams. */
export class StoreRun<Event> {
  #store: EventStore<Event>;
  readonly #streams = new Map<string, readonly Event[]>();
  readonly #sent: Sent<Event>[] = [];
  readonly #given: Given[] = [];
  /** The events of the whole log in words, as far as it was read. */
  #log: readonly string[] = [];
  readonly #progress: Progress;
  #commands = 0;

  constructor(store: EventStore<Event>, progress: Progress) {
    this.#store = store;
    this.#progress = progress;
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
    const [before, nextBefore] = [this.#eventsOf(stream), this.#eventsOf(next)];
    const requests = several.map((events) => this.#request(stream, before.length, events));
    const aside = beside && this.#request(next, nextBefore.length, beside);
    const appends = requests.map((request) => this.#send(request));
    const [appendAside, appendAgain] = [
      aside && this.#send(aside),
      this.#store.isIdempotent && this.#again(requests[0] as Request<Event>),
    ];
    const seen = await this.#readWhile([...appends, appendAside, appendAgain], stream);
    this.#progress.calls('append', stream);
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
    for (const read of seen.streams) this.#requireWhole(stream, read, before);
    for (const log of seen.logs) {
      this.#checkPositions(log);
      this.#requireWhole(stream, eventsIn(log, stream), before);
      this.#requireWhole(next, eventsIn(log, next), nextBefore);
    }
    await this.#checkAll(STORE_RULES.one);
    return 1;
  }

  async #readWhile(appends: readonly unknown[], stream: string): Promise<Seen<Event>> {
    const seen: Seen<Event> = { streams: [], logs: [] };
    await readWhile(appends, async () => {
      // Copies, as the store may return arrays that it changes.
      seen.streams.push([...(await this.#read(stream))]);
      if (this.#store.readAll !== undefined) seen.logs.push([...(await this.#readAll())]);
      this.#progress.calls('append', stream);
    });
    return seen;
  }

  /** Throws unless a stream is read as it is now, or as it was before the appends that were under way. */
  #requireWhole(stream: string, read: readonly Event[], before: readonly Event[]): void {
    const after = this.#eventsOf(stream);
    if (isSame(read, before) || isSame(read, after)) return;
    const due = [...new Set([before, after].map(asText))].join(' or ');
    const detail = `${stream} is read with ${read.length} events while others are appended`;
    throw new Violation(STORE_RULES.whole, `${detail}: ${asText(read)}, and should be ${due}`);
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
    this.#progress.calls('reopen');
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
    this.#progress.calls('append', stream);
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
    const all = await this.#readAll();
    this.#checkPositions(all);
    for (const [stream, events] of this.#streams) {
      differ(STORE_RULES.positions, `${stream} in the whole log`, eventsIn(all, stream), events);
    }
    const total = [...this.#streams.values()].reduce((sum, { length }) => sum + length, 0);
    differ(STORE_RULES.positions, 'the number of events', all.length, total);
  }

  /** Throws if the log has a gap, or an event that was read before has another position now. */
  #checkPositions(all: readonly Stored<Event>[]): void {
    for (const [index, { position }] of all.entries()) {
      if (position === index + 1) continue;
      const detail = `event ${index + 1} of the log has the position ${position}`;
      throw new Violation(STORE_RULES.positions, detail);
    }
    const texts = all.map(({ stream, event }) => `${asText(event)} of ${stream}`);
    for (const [index, before] of this.#log.entries()) {
      const now = texts[index];
      // Events that were read before their append was answered may be missing from the next read.
      if (now === undefined || now === before) continue;
      const detail = `position ${index + 1} has ${now}, and had ${before} when it was read before`;
      throw new Violation(STORE_RULES.positions, detail);
    }
    if (texts.length > this.#log.length) this.#log = texts;
  }

  async #readAll(): Promise<readonly Stored<Event>[]> {
    this.#progress.calls('readAll');
    const all = await this.#store.readAll?.();
    requireArray('the whole log', all);
    return all ?? [];
  }

  async #read(stream: string): Promise<readonly Event[]> {
    this.#progress.calls('read', stream);
    const events = await this.#store.read(stream);
    requireArray(stream, events);
    return events;
  }

  #eventsOf(stream: string): readonly Event[] {
    return this.#streams.get(stream) ?? [];
  }
}

/** Returns the events of one stream in the whole log. */
function eventsIn<Event>(all: readonly Stored<Event>[], stream: string): readonly Event[] {
  return all.filter((each) => each.stream === stream).map(({ event }) => event);
}

function differ(rule: string, what: string, actual: unknown, expected: unknown): void {
  if (isSame(actual, expected)) return;
  throw new Violation(rule, `${what}: ${asText(actual)}, and should be ${asText(expected)}`);
}
