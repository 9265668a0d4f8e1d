import { type Appended, type EventStore, STORE_RULES, type Stored } from './event-store.ts';
import { Given, requireAppended, requireArray, requireMethods, requireStored } from './form.ts';
import type { Progress } from './progress.ts';
import { readWhile } from './read-while.ts';
import {
  expectedBy,
  nameOf,
  nextStream,
  PLAIN_STREAMS,
  STREAM_NAMES,
  type StoreOperation,
} from './store-operations.ts';
import { asText, notDue } from './text.ts';
import { readable, Violation } from './violation.ts';

/** Events as texts, each as it was when it was given to the store, or read from it. */
type Texts = readonly string[];

/** An append that is sent. */
interface Append<Event> {
  readonly request: Parameters<EventStore<Event>['append']>;
  /** Its events as they were before. */
  readonly texts: Texts;
  readonly given: Given;
}

/** An append that was recorded. */
interface Sent<Event> {
  readonly append: Append<Event>;
  /** The answer as it was then. */
  readonly answer: Appended;
}

/** The results of reads while appends were under way. */
interface Seen<Event> {
  readonly streams: (readonly Event[])[];
  readonly logs: (readonly Stored<Event>[])[];
}

const PLAIN_NAMES = STREAM_NAMES.slice(0, PLAIN_STREAMS);

/** A store beside its model, which is a Map of streams. */
export class StoreRun<Event> {
  #store: EventStore<Event>;
  readonly #streams = new Map<string, Texts>();
  readonly #sent: Sent<Event>[] = [];
  /** All appends, with the conflicts. */
  readonly #appends: Append<Event>[] = [];
  /** The names of the streams that are read after each operation. */
  #names: readonly string[] = PLAIN_NAMES;
  /** The events of the whole log, as far as it was read. */
  #log: Texts = [];
  readonly #progress: Progress;

  constructor(store: EventStore<Event>, progress: Progress) {
    requireStore('what open has returned', store);
    this.#store = store;
    this.#progress = progress;
  }

  /** Runs operations, and repeats all appends in the end. Calls `did` with 0 for one that is not possible, and with 1 otherwise. */
  async program(ops: readonly StoreOperation<Event>[], did: (count: 0 | 1) => void) {
    try {
      for (const op of ops) {
        this.#progress.steps += 1;
        did(await this.#do(op));
      }
      await this.#repeatAll();
    } catch (error) {
      // That is why, if a store has changed events in place.
      if (readable(error) instanceof Violation) this.#requireUnchanged();
      throw error;
    }
    this.#requireUnchanged();
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  async #do(op: StoreOperation<Event>): Promise<0 | 1> {
    switch (op.do) {
      case 'append':
        return this.#append(nameOf(op.stream), op.off, op.events);
      case 'race':
        return this.#race(op);
      case 'repeat':
        return this.#repeat(op.which);
      case 'retry':
        return this.#retry(op.which, op.events);
      case 'reopen':
        return this.#reopen();
    }
  }

  async #append(stream: string, off: number, events: readonly Event[]): Promise<0 | 1> {
    const before = this.#eventsOf(stream);
    const expected = expectedBy(off, before.length);
    if (off !== 0 && expected === before.length) return 0;
    const append = this.#prepare(stream, expected, events);
    const answer = await this.#send(append);
    const rule = off === 0 ? STORE_RULES.append : STORE_RULES.conflict;
    const due = off === 0 ? this.#accept(append) : CONFLICT;
    differ(rule, `an append to ${stream} at version ${expected}`, answer, due);
    await this.#checkAll(rule);
    return 1;
  }

  async #race(op: Extract<StoreOperation<Event>, { do: 'race' }>): Promise<1> {
    const { several, beside } = op;
    const [stream, next] = [nameOf(op.stream), nameOf(nextStream(op.stream))];
    const [before, nextBefore] = [this.#eventsOf(stream), this.#eventsOf(next)];
    const appends = several.map((events) => this.#prepare(stream, before.length, events));
    const aside = beside && this.#prepare(next, nextBefore.length, beside);
    const sent = appends.map((append) => this.#send(append));
    const [sentAside, sentAgain] = [
      aside && this.#send(aside),
      this.#store.isIdempotent && this.#again(appends[0] as Append<Event>),
    ];
    const seen = await this.#readWhile([...sent, sentAside, sentAgain], stream);
    this.#progress.calls('append', stream);
    const answers = await Promise.all(sent);
    const winners = appends.filter((_, index) => answers[index]?.kind === 'appended');
    const [winner] = winners;
    if (winner === undefined || winners.length > 1) {
      throw new Violation(STORE_RULES.one, `${winners.length} of ${several.length} are recorded`);
    }
    const due = this.#accept(winner);
    for (const [index, answer] of answers.entries()) {
      const what = `append ${index + 1} of ${several.length} to ${stream} at once`;
      differ(STORE_RULES.one, what, answer, appends[index] === winner ? due : CONFLICT);
    }
    if (sentAgain) {
      const what = `append 1 of ${several.length} to ${stream}, repeated at once`;
      differ(STORE_RULES.repeat, what, await sentAgain, answers[0]);
    }
    if (aside) {
      const what = `an append to ${next} beside those to ${stream}`;
      differ(STORE_RULES.append, what, await sentAside, this.#accept(aside));
    }
    this.#progress.calls('read', stream);
    for (const read of seen.streams) this.#requireWhole(stream, textsOf(read), before);
    this.#progress.calls('readAll');
    for (const log of seen.logs) {
      const texts = this.#checkPositions(log);
      this.#requireWhole(stream, textsIn(log, texts, stream), before);
      this.#requireWhole(next, textsIn(log, texts, next), nextBefore);
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
  #requireWhole(stream: string, read: Texts, before: Texts): void {
    const dues = [...new Set([before, this.#eventsOf(stream)].map(inText))];
    if (dues.includes(inText(read))) return;
    const detail = `${stream} is read with ${read.length} events while others are appended`;
    const due = `and should be ${dues.join(' or ')}`;
    throw new Violation(STORE_RULES.whole, `${detail}: ${inText(read)}, ${due}`);
  }

  async #repeat(which: number): Promise<0 | 1> {
    const sent = this.#sent[which % Math.max(1, this.#sent.length)];
    if (!this.#store.isIdempotent || sent === undefined) return 0;
    await this.#sendAgain(sent);
    await this.#checkAll(STORE_RULES.repeat);
    return 1;
  }

  /** Repeats every append that was recorded: a store may remember the ids of the newest ones only. */
  async #repeatAll(): Promise<void> {
    if (!this.#store.isIdempotent || this.#sent.length === 0) return;
    for (const sent of this.#sent) await this.#sendAgain(sent);
    await this.#checkAll(STORE_RULES.repeat);
  }

  async #sendAgain({ append, answer }: Sent<Event>): Promise<void> {
    const what = `a repeated append to ${append.request[0]}`;
    differ(STORE_RULES.repeat, what, await this.#again(append), answer);
  }

  /** Sends an id again with other events. After a conflict, these are recorded, or a conflict again. */
  async #retry(which: number, events: readonly Event[]): Promise<0 | 1> {
    const earlier = this.#appends[which % Math.max(1, this.#appends.length)];
    if (!this.#store.isIdempotent || earlier === undefined) return 0;
    const [stream, , , id] = earlier.request;
    const first = this.#sent.find(({ append }) => append.request[3] === id);
    const append = this.#prepare(stream, this.#eventsOf(stream).length, events, id);
    const answer = await this.#send(append, first === undefined);
    const what = `an append to ${stream} under the id of an earlier one`;
    if (first !== undefined) differ(STORE_RULES.repeat, what, answer, first.answer);
    else if (answer.kind === 'appended') {
      differ(STORE_RULES.append, what, answer, this.#accept(append));
    }
    await this.#checkAll(first === undefined ? STORE_RULES.append : STORE_RULES.repeat);
    return 1;
  }

  async #reopen(): Promise<0 | 1> {
    if (this.#store.reopen === undefined) return 0;
    this.#progress.calls('reopen');
    const store = await this.#store.reopen();
    requireStore('what reopen has returned', store);
    this.#store = store;
    await this.#checkAll(STORE_RULES.restart);
    return this.#sent.length === 0 ? 0 : 1;
  }

  #prepare(
    stream: string,
    expected: number,
    events: readonly Event[],
    id = `append-${this.#appends.length + 1}`,
  ): Append<Event> {
    if (!this.#names.includes(stream)) this.#names = STREAM_NAMES;
    const given = new Given('the store', { [`the events of an append to ${stream}`]: events });
    const append: Append<Event> = {
      request: [stream, expected, events, id],
      texts: textsOf(events),
      given,
    };
    this.#appends.push(append);
    return append;
  }

  async #send(append: Append<Event>, isNew = true): Promise<Appended> {
    const answer = await this.#again(append);
    if (isNew && answer.kind === 'appended') this.#sent.push({ append, answer: { ...answer } });
    return answer;
  }

  /** Sends an append, perhaps once more. */
  async #again({ request, given }: Append<Event>): Promise<Appended> {
    const [stream, expected] = request;
    this.#progress.calls('append', stream);
    const answer = await this.#store.append(...request);
    requireAppended(`an append to ${stream} at version ${expected}`, answer);
    given.requireUnchanged();
    return answer;
  }

  /** Records events in the model, and returns the answer that is due. */
  #accept({ request: [stream], texts }: Append<Event>): Appended {
    const after = [...this.#eventsOf(stream), ...texts];
    this.#streams.set(stream, after);
    return { kind: 'appended', version: after.length };
  }

  #requireUnchanged(): void {
    for (const { given } of this.#appends) given.requireUnchanged();
  }

  async #checkAll(rule: string): Promise<void> {
    for (const stream of this.#names) {
      requireTexts(rule, stream, textsOf(await this.#read(stream)), this.#eventsOf(stream));
    }
    if (this.#store.readAll === undefined) return;
    const all = await this.#readAll();
    const texts = this.#checkPositions(all);
    for (const [stream, events] of this.#streams) {
      const what = `${stream} in the whole log`;
      requireTexts(STORE_RULES.positions, what, textsIn(all, texts, stream), events);
    }
    const total = [...this.#streams.values()].reduce((sum, { length }) => sum + length, 0);
    differ(STORE_RULES.positions, 'the number of events', all.length, total);
  }

  /** Throws if the log has a gap, or an event that was read before has another position now. Returns its events. */
  #checkPositions(all: readonly Stored<Event>[]): Texts {
    for (const [index, { position }] of all.entries()) {
      if (position === index + 1) continue;
      const detail = `event ${index + 1} of the log has the position ${position}`;
      throw new Violation(STORE_RULES.positions, detail);
    }
    const events = textsOf(all.map(({ event }) => event));
    const texts = all.map(({ stream }, index) => `${events[index]} of ${stream}`);
    for (const [index, before] of this.#log.entries()) {
      const now = texts[index];
      // Events that were read before their append was answered may be missing from the next read.
      if (now === undefined || now === before) continue;
      const detail = `position ${index + 1} has ${now}, and had ${before} when it was read before`;
      throw new Violation(STORE_RULES.positions, detail);
    }
    if (texts.length > this.#log.length) this.#log = texts;
    return events;
  }

  async #readAll(): Promise<readonly Stored<Event>[]> {
    this.#progress.calls('readAll');
    const all = await this.#store.readAll?.();
    requireArray('the whole log', all);
    for (const [index, stored] of (all ?? []).entries()) {
      requireStored(`item ${index + 1} of the whole log`, stored);
    }
    return all ?? [];
  }

  async #read(stream: string): Promise<readonly Event[]> {
    this.#progress.calls('read', stream);
    const events = await this.#store.read(stream);
    requireArray(stream, events);
    return events;
  }

  #eventsOf(stream: string): Texts {
    return this.#streams.get(stream) ?? [];
  }
}

const CONFLICT: Appended = { kind: 'conflict' };

function requireStore(what: string, store: unknown): void {
  requireMethods(what, store, ['append', 'read']);
}

function textsOf(events: readonly unknown[]): Texts {
  return Array.from(events, asText);
}

function inText(texts: Texts): string {
  return `[${texts.join(', ')}]`;
}

/** Returns the events of one stream in the whole log, from those of all streams. */
function textsIn(all: readonly Stored<unknown>[], texts: Texts, stream: string): Texts {
  return texts.filter((_, index) => all[index]?.stream === stream);
}

function requireTexts(rule: string, what: string, actual: Texts, expected: Texts): void {
  const [now, due] = [inText(actual), inText(expected)];
  if (now !== due) throw new Violation(rule, `${what}: ${notDue(now, due)}`);
}

function differ(rule: string, what: string, actual: unknown, expected: unknown): void {
  const [now, due] = [asText(actual), asText(expected)];
  if (now !== due) throw new Violation(rule, `${what}: ${notDue(now, due)}`);
}
