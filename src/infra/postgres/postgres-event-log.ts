import {
  type AppendResult,
  type Decide,
  type EventLog,
  type OutcomeName,
  UnreadableEvent,
} from '../../app/ports/event-log.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { RecordedEvent } from '../../app/recorded-event.ts';
import { highestOf } from '../../app/witness.ts';
import { decode, type StoredEvent } from '../event-codec.ts';
import { KeptInBatch } from '../kept-in-batch.ts';
import { BEGIN, type Begun, type Change, changeBy, isWritten } from './batch.ts';
import { type Connection, type Database, isRefusal } from './database.ts';
import { HeadWatch } from './head-watch.ts';
import { readKept } from './kept-outcomes-table.ts';
import { KnownHead, OtherLog } from './known-head.ts';
import type { EdgeWitness } from './local-witness.ts';
import { settle } from './lost-commit.ts';
import { MerkleTables, sizeOf } from './merkle-tables.ts';
import { Notifier } from './notifier.ts';
import { readStored } from './stored-events.ts';

/** Rows a chunk: enough to make a row cheap, too few to hold up the event loop. */
const CHUNK = 1_000;

/** For how long an outcome in doubt is looked for, in milliseconds, before it is called unknown. */
const SETTLE_WITHIN = 500;

/** For how long a connection is kept ready for the next batch, in milliseconds. */
const READY_FOR = 1_000;

/** A batch that was sent as a statement by itself. Another may follow on the same connection. */
interface Sent {
  readonly connection: Connection;
  readonly change: Change;
  /** See {@link PostgresEventLog.append}; undefined where nothing was recorded, nor decided. */
  readonly result: Promise<AppendResult | undefined>;
}

/** How often it is looked whether the right log is back, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** What a log has on this machine. */
interface Local {
  readonly witness?: EdgeWitness | undefined;
  readonly beginAppending?: () => Promise<unknown>;
  /** The number of the epoch that the log was in when it was opened. */
  readonly epoch?: number;
  /** Called when the log is the right one again, after it was replaced. */
  readonly restored?: () => void;
}

/** The log in PostgreSQL, over a database that its caller has opened, and that closes with it. */
export class PostgresEventLog implements EventLog {
  readonly #db: Database;
  readonly #tree: MerkleTables;
  readonly #known: KnownHead;
  readonly #witness: EdgeWitness | undefined;
  readonly #restored: () => void;
  #looking: NodeJS.Timeout | undefined;
  /** What is to be done before the first append, where anything is. */
  #beginAppending: (() => Promise<unknown>) | undefined;
  readonly #watch: HeadWatch;
  readonly #notifier: Notifier;
  readonly #replaced: (cause: Error) => void;
  readonly #damaged: (cause: Error) => void;
  readonly #settleWithin: number;
  readonly #underWay = new Set<Promise<unknown>>();
  /** The connection of the last batch, ready for the next one. */
  #ready: Connection | undefined;
  #unused: NodeJS.Timeout | undefined;
  /** The connections of all appends under way, once for each. */
  readonly #inUse: Connection[] = [];
  /** The last statement by itself that is under way. */
  #sent: Sent | undefined;
  /** Whether somebody else had appended something before the last batch. */
  #isShared = false;
  #isClosed = false;

  /**
   * @param replaced Called once if the log is not the one any more that it was.
   * @param damaged Called where an append finds that the log is not what was recorded.
   * @param settleWithin See {@link SETTLE_WITHIN}.
   * @param local The witness on this machine, and what is to be done before anything is appended.
   */
  constructor(
    db: Database,
    replaced: (cause: Error) => void = () => {},
    damaged: (cause: Error) => void = () => {},
    settleWithin = SETTLE_WITHIN,
    local: Local = {},
  ) {
    this.#witness = local.witness;
    this.#beginAppending = local.beginAppending;
    this.#restored = local.restored ?? (() => {});
    this.#known = new KnownHead(local.witness, local.epoch);
    this.#settleWithin = settleWithin;
    this.#db = db;
    this.#tree = new MerkleTables(db);
    this.#damaged = damaged;
    this.#watch = new HeadWatch(db, () => this.#lookAround());
    this.#notifier = new Notifier(db);
    this.#replaced = replaced;
    db.admit = (connection) =>
      this.#orTell(() => this.#orRefuse(() => this.#known.compare(connection)));
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    let events = await readStored(this.#db, after, CHUNK);
    while (events.length > 0) {
      const last = (events.at(-1) as StoredEvent).position;
      // While one chunk is worked on, the next is on its way. The last is asked for when all others
      // are done with, so that it has whatever was appended meanwhile.
      const isFull = events.length === CHUNK;
      const next = isFull ? readStored(this.#db, last, CHUNK) : undefined;
      next?.catch(() => {});
      yield events.map(decode);
      if (next === undefined) return;
      events = await next;
      if (events.length < CHUNK) events = await readStored(this.#db, last, CHUNK);
    }
  }

  get takesMore(): boolean {
    return this.#sent?.connection.isOpen === true && !this.#db.isRefused;
  }

  append(seen: number, decide: Decide, asked: readonly OutcomeName[] = []): Promise<AppendResult> {
    const append = this.#append(seen, decide, asked);
    const settled = append.catch(() => undefined).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return append;
  }

  async head(): Promise<number> {
    return sizeOf(await this.edge());
  }

  /** The right edge of the log's tree as it is now, once this instance has taken note of it. */
  async edge(): Promise<Buffer> {
    const before = this.#known.edge;
    const edge = await this.#tree.edge();
    await this.#orRefuse(async () => this.#known.note(edge, before));
    return edge;
  }

  /** The head, for those who look now and then: they see to it that the log is whole as well. */
  async #lookAround(): Promise<number> {
    await this.#orTell(() => this.#tree.requireWhole());
    return this.head();
  }

  watch(grown: () => void): () => void {
    return this.#watch.watch(grown);
  }

  /** Follows the log from now on, whether or not anybody watches. */
  follow(): void {
    this.#db.followPulse();
    this.#watch.begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#looking);
    await Promise.all(this.#underWay);
    await this.#watch.close();
    await this.#notifier.close();
    clearTimeout(this.#unused);
    this.#takeReady()?.release();
    await this.#db.close();
    this.#witness?.close();
  }

  async #append(
    seen: number,
    decide: Decide,
    asked: readonly OutcomeName[],
  ): Promise<AppendResult> {
    const before = this.#followed(seen, asked);
    let connection: Connection;
    try {
      if (this.#beginAppending !== undefined) await this.prepare();
      // Without a wait, so that a batch leaves before those of the last one are answered.
      connection = before?.connection ?? this.#takeReady() ?? (await this.#db.connect());
    } catch (error) {
      return { kind: 'unavailable', cause: error as Error };
    }
    this.#inUse.push(connection);
    try {
      if (before !== undefined) {
        return (await this.#appendAtOnce(connection, decide, before)) ?? { kind: 'overtaken' };
      }
      if (asked.length === 0 && !this.#isShared && sizeOf(this.#known.edge) === seen) {
        const result = await this.#appendAtOnce(connection, decide);
        if (result !== undefined) return result;
      }
      return await this.#appendLocked(connection, seen, decide, asked);
    } finally {
      this.#inUse.splice(this.#inUse.indexOf(connection), 1);
      if (connection.isOpen && !this.#inUse.includes(connection)) this.#keepReady(connection);
    }
  }

  /** What is under way, where an append that has seen so much of the log may follow it. */
  #followed(seen: number, asked: readonly OutcomeName[]): Sent | undefined {
    const sent = this.takesMore && asked.length === 0 ? this.#sent : undefined;
    return sent !== undefined && sizeOf(sent.change.edge) === seen ? sent : undefined;
  }

  /**
   * Appends to the log as this instance knows it: one statement, one round trip. Undefined where
   * somebody else has appended something since: then nothing was recorded, and nothing was decided.
   * @param before What is under way on the same connection. Then it is appended to the log as that will
   * leave it, and nothing is recorded unless that was.
   */
  #appendAtOnce(
    connection: Connection,
    decide: Decide,
    before?: Sent,
  ): Promise<AppendResult | undefined> {
    const kept = new KeptInBatch([], () => undefined);
    const edge = before?.change.edge ?? this.#known.edge;
    const change = changeBy({ edge, newer: [], kept }, decide, this.#isDue);
    // What is refused must be so in the log as it is now, whoever has appended to it.
    const reply = change.isNothing
      ? isHead(connection, change.edge)
      : isWritten(connection, change);
    const result = this.#resultOf(connection, change, reply, before);
    this.#sent = { connection, change, result };
    return result;
  }

  async #resultOf(
    connection: Connection,
    change: Change,
    reply: Promise<boolean>,
    before: Sent | undefined,
  ): Promise<AppendResult | undefined> {
    const [answer] = await Promise.allSettled([reply]);
    if (this.#sent?.change === change) this.#sent = undefined;
    if (valueIn(answer) === false) return undefined;
    const error = failureIn(answer);
    if (error !== undefined && before !== undefined) {
      // Where nobody can tell what became of the one before, nobody can of this one.
      const first = await before.result;
      if (first?.kind !== 'appended') return first;
    }
    return this.#finish(connection, change, false, error);
  }

  /** Appends to the log as it is, with whatever others have appended, while they have to wait. */
  async #appendLocked(
    connection: Connection,
    seen: number,
    decide: Decide,
    asked: readonly OutcomeName[],
  ): Promise<AppendResult> {
    let begun: Begun;
    try {
      begun = await this.#begin(connection, seen, asked);
    } catch (error) {
      connection.release(error as Error);
      if (error instanceof DamagedStore) this.#damaged(error);
      // No trouble that will pass.
      if (error instanceof UnreadableEvent) throw error;
      return { kind: 'unavailable', cause: error as Error };
    }
    this.#isShared = begun.newer.length > 0;
    let change: Change;
    try {
      change = changeBy(begun, decide, this.#isDue);
    } catch (error) {
      await connection.rollBack();
      throw error;
    }
    const [written, committed] = await Promise.allSettled([
      change.isNothing || isWritten(connection, change),
      connection.run('COMMIT'),
    ]);
    const error =
      failureIn(written) ??
      failureIn(committed) ??
      // Never so far: whoever holds the lock is alone.
      (valueIn(written) ? undefined : new Error('the log has grown under its lock'));
    return this.#finish(connection, change, true, error);
  }

  // One round trip: the statements are on their way before the first is answered. Each sees what
  // was committed when it began, so what is read behind the lock is the newest there is.
  async #begin(
    connection: Connection,
    seen: number,
    asked: readonly OutcomeName[],
  ): Promise<Begun> {
    const before = this.#known.edge;
    const [, edge, first, kept] = await Promise.all([
      connection.run(BEGIN),
      new MerkleTables(connection).lockedEdge(),
      readStored(connection, seen, CHUNK),
      readKept(connection, asked),
    ]);
    await this.#orRefuse(async () => this.#known.note(edge, before));
    const stored = [...first];
    while (seen + stored.length < sizeOf(edge)) {
      const next = await readStored(connection, seen + stored.length, CHUNK);
      if (next.length === 0) await new MerkleTables(connection).requireWhole();
      stored.push(...next);
    }
    return { edge, newer: stored.map(decode), kept };
  }

  /** Tells what became of a change that was sent. After any trouble, its connection is closed. */
  async #finish(
    connection: Connection,
    change: Change,
    wasLocked: boolean,
    error: Error | undefined,
  ): Promise<AppendResult> {
    const [warning] = connection.warnings;
    const trouble = error ?? warning;
    if (trouble !== undefined) connection.release(trouble);
    if (error === undefined) {
      // The server has given up waiting for a standby: what it says is done may not outlive it.
      if (warning !== undefined) return { kind: 'unknown', cause: warning };
      return this.#appended(change);
    }
    if (change.isNothing || isRefusal(error)) {
      // Where there is no room at the end of the log, something stands there that is not of the log.
      void this.#orTell(() => this.#tree.requireWhole()).catch(() => undefined);
      return { kind: 'unavailable', cause: error };
    }
    switch (await settle(this.#db, change, wasLocked, this.#settleWithin)) {
      case 'recorded':
        return this.#appended(change);
      case 'not recorded':
        return { kind: 'unavailable', cause: error };
      case 'unknown':
        return { kind: 'unknown', cause: error };
    }
  }

  readonly #isDue = () => this.#notifier.isDue();

  #appended({ edge, events, notifies, isNothing }: Change): AppendResult {
    if (!isNothing) this.#notifier.written(notifies);
    this.#known.note(edge, edge, highestOf(events.map(({ event }) => event.orderId)));
    return { kind: 'appended', events };
  }

  /** Does what is to be done before anything is appended, once. */
  async prepare(): Promise<void> {
    await this.#beginAppending?.();
    this.#beginAppending = undefined;
  }

  #takeReady(): Connection | undefined {
    const connection = this.#ready;
    this.#ready = undefined;
    if (connection === undefined || (connection.isOpen && !this.#db.isRefused)) return connection;
    connection.release(new Error('it is not to be used any more'));
    return undefined;
  }

  #keepReady(connection: Connection): void {
    // There is one already where two batches were under way at once.
    if (this.#ready !== undefined || this.#isClosed) {
      connection.release();
      return;
    }
    this.#ready = connection;
    // One that nobody needs is the pool's to look after.
    this.#unused ??= setTimeout(() => this.#takeReady()?.release(), READY_FOR).unref();
    this.#unused.refresh();
  }

  async #orTell(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (error instanceof DamagedStore) this.#damaged(error);
      throw error;
    }
  }

  /** Looks at the log, and if it is another one, refuses to touch it until the right one is back. */
  async #orRefuse(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (error instanceof OtherLog && this.#db.refuse(error)) {
        this.#replaced(error);
        this.#lookAgain();
      }
      throw error;
    }
  }

  /** Looks now and then whether the right log is back, and goes on when it is. */
  #lookAgain(): void {
    this.#looking = setTimeout(async () => {
      try {
        await this.#db.reconsider();
        this.#restored();
      } catch {
        if (!this.#isClosed) this.#lookAgain();
      }
    }, LOOK_AGAIN_MS).unref();
  }
}

async function isHead(connection: Connection, edge: Buffer): Promise<boolean> {
  return (await new MerkleTables(connection).edge()).equals(edge);
}

function valueIn<Value>(result: PromiseSettledResult<Value>): Value | undefined {
  return result.status === 'fulfilled' ? result.value : undefined;
}

function failureIn(result: PromiseSettledResult<unknown>): Error | undefined {
  return result.status === 'rejected' ? (result.reason as Error) : undefined;
}
