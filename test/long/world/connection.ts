import { type NewEvent, recordedBehind } from '../../../src/app/log/recorded-event.ts';
import type {
  AppendResult,
  Decide,
  EventLog,
  OutcomeName,
} from '../../../src/app/ports/event-log.ts';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { KeptInBatch } from '../../../src/infra/events/kept-in-batch.ts';
import { NOTHING_KEPT } from '../../kit-mutants/faults.ts';
import { DATABASE_ENDED, type Database } from './database.ts';
import type { World } from './world.ts';

/**
 * The log as an instance sees it: a database behind a network. It has the three ways of the real engines:
 * a decision in the lock, a decision before the lock that may be overtaken, and a second append behind the
 * first.
 */

/** The time after which a missing reply is given up. */
const REPLY_TIMEOUT_MS = 300;
const MAX_HEAD_LAG_EVENTS = 5;

interface Sent {
  readonly end: number;
  readonly result: Promise<AppendResult>;
}

export class Connection implements EventLog {
  readonly #world: World;
  readonly #database: Database;
  readonly #isFar: boolean;
  #sent: Sent | undefined;
  #isClosed = false;

  /** @param isFar True if the database is behind a network, and appends may be pipelined. */
  constructor(world: World, database: Database, isFar: boolean) {
    this.#world = world;
    this.#database = database;
    this.#isFar = isFar;
  }

  get takesMore(): boolean {
    return this.#sent !== undefined;
  }

  async append(
    seen: number,
    decide: Decide,
    names: readonly OutcomeName[] = [],
  ): Promise<AppendResult> {
    const before = this.#sent;
    this.#checkProtocol(seen, names);
    if (before?.end === seen && names.length === 0) {
      this.#world.happened('a second batch was sent behind the first');
      return this.#track(seen, decide([], NOTHING_KEPT), before.result);
    }
    const isAlone = this.#isFar && names.length === 0 && this.#world.random.percent(80);
    if (!isAlone) return this.#inLock(seen, decide, names);
    const result = await this.#track(seen, decide([], NOTHING_KEPT));
    if (result.kind !== 'overtaken') return result;
    this.#world.happened('an append was tried again by the engine');
    return this.#inLock(seen, decide, names);
  }

  /** Notes what a writer must not do by the port's contract, and an engine need not notice. */
  #checkProtocol(seen: number, names: readonly OutcomeName[]): void {
    const isSecond = this.#sent?.end === seen;
    if (this.#sent !== undefined && names.length > 0) {
      this.#world.fail('a second append, behind one in flight, has names');
    }
    if (!isSecond && seen > this.#database.events.length) {
      this.#world.fail(`an append has seen position ${seen}, which was never recorded`);
    }
  }

  async *read(after: number) {
    await this.#trip();
    this.#requireUp();
    const events = this.#database.events.slice(after);
    while (events.length > 0) {
      yield events.splice(0, 1 + this.#world.random.below(8));
      await this.#trip();
      this.#requireUp();
    }
  }

  async head(): Promise<number> {
    await this.#trip();
    this.#requireUp();
    const { events, known } = this.#database;
    const oldest = Math.max(known, events.length - MAX_HEAD_LAG_EVENTS);
    const head = oldest + this.#world.random.below(events.length - oldest + 1);
    if (head < events.length) this.#world.happened('a head lagged');
    this.#database.known = head;
    await this.#trip();
    return head;
  }

  watch(grown: () => void): () => void {
    return this.#database.watch(() => {
      if (!this.#isClosed) grown();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Notes an append in flight, behind which a second may follow. */
  async #track(
    seen: number,
    events: readonly NewEvent[],
    before?: Promise<AppendResult>,
  ): Promise<AppendResult> {
    const result = this.#optimistic(seen, events, before);
    const sent = { end: seen + events.length, result };
    if (this.#isFar) this.#sent = sent;
    const settled = await result;
    if (this.#sent === sent) this.#sent = undefined;
    return settled;
  }

  /** Appends what was decided already, unless others have appended since. */
  async #optimistic(
    seen: number,
    events: readonly NewEvent[],
    before: Promise<AppendResult> | undefined,
  ): Promise<AppendResult> {
    const lost = await this.#request();
    const first = await before;
    if (first !== undefined && first.kind !== 'appended') {
      this.#world.happened('a second batch fell with the first');
      return { kind: 'overtaken' };
    }
    if (lost !== undefined) return lost;
    return this.#transaction(async (life) => {
      if (this.#database.events.length !== seen) {
        this.#world.happened('an append was overtaken');
        return { kind: 'overtaken' };
      }
      return this.#commit(events, new KeptInBatch([], () => undefined), life);
    });
  }

  async #inLock(
    seen: number,
    decide: Decide,
    names: readonly OutcomeName[],
  ): Promise<AppendResult> {
    const lost = await this.#request();
    if (lost !== undefined) return lost;
    return this.#transaction(async (life) => {
      const decideNow = () => {
        const kept = new KeptInBatch(names, (name) => this.#database.kept(name));
        const newer = this.#database.events.slice(seen, this.#database.tellHead());
        return { events: decide(newer, kept), kept };
      };
      let { events, kept } = decideNow();
      if (this.#world.random.percent(10)) {
        this.#world.happened('a transaction was decided twice');
        ({ events, kept } = decideNow());
      }
      return this.#commit(events, kept, life);
    });
  }

  async #transaction(run: (life: number) => Promise<AppendResult>): Promise<AppendResult> {
    const release = await this.#database.locked();
    // The session has ended, and its transaction with it.
    if (this.#isClosed) {
      release();
      return forever();
    }
    const { isUp, life } = this.#database;
    const result = isUp ? await run(life) : unavailable('the database is down');
    release();
    return this.#reply(result);
  }

  async #commit(
    events: readonly NewEvent[],
    kept: KeptInBatch,
    life: number,
  ): Promise<AppendResult> {
    if (events.length === 0 && kept.added.length === 0) return { kind: 'appended', events: [] };
    const recorded = recordedBehind(this.#database.events.length, events);
    const committed = await this.#database.commit(recorded, kept.added, life);
    this.#world.note(`${recorded.length} events behind ${recorded[0]?.position}: ${committed}`);
    switch (committed) {
      case 'recorded':
        return { kind: 'appended', events: recorded };
      case 'not recorded':
        return unavailable('the database does not write');
      case 'unknown':
        return { kind: 'unknown', cause: new Error(DATABASE_ENDED) };
    }
  }

  /** Sends a request. Returns a result if the network has lost it. */
  async #request(): Promise<AppendResult | undefined> {
    await this.#trip();
    if (!this.#isFar || !this.#world.random.percent(this.#world.cutPercent)) return undefined;
    this.#world.happened('a request to the database was lost');
    return unavailable('the connection was cut before the request');
  }

  /** Delivers a result, unless the network loses it. A process that has ended gets none. */
  async #reply(result: AppendResult): Promise<AppendResult> {
    const isLost = this.#isFar && this.#world.random.percent(this.#world.cutPercent);
    if (isLost) {
      this.#world.happened('a reply of the database was lost');
      await this.#world.time.wait(REPLY_TIMEOUT_MS);
    } else {
      await this.#trip();
    }
    if (this.#isClosed) return forever();
    if (isLost && result.kind === 'appended') {
      return { kind: 'unknown', cause: new Error('the reply was lost') };
    }
    const last = result.kind === 'appended' ? result.events.at(-1) : undefined;
    if (last !== undefined) this.#database.known = Math.max(this.#database.known, last.position);
    return result;
  }

  async #trip(): Promise<void> {
    if (this.#isFar) await this.#world.time.wait(this.#world.random.below(30) / 10);
  }

  #requireUp(): void {
    if (!this.#database.isUp) throw new StoreUnavailable(new Error('the database is down'));
  }
}

function unavailable(cause: string): AppendResult {
  return { kind: 'unavailable', cause: new Error(cause) };
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
