import pg from 'pg';
import type { Route, RoutedClient } from './route.ts';

/** The interval of the checks, in milliseconds. */
const TICK_MS = 25;
/** The silence after which a database that was sent something counts as away, in milliseconds. */
const SILENCE_MS = 650;
/** The same at most, where its answers to pings take long. */
const MAX_SILENCE_MS = 5_000;
/** The weight of the last ping in the usual time of pings. */
const SHARE_OF_LAST = 0.1;
/**
 * The time that a tick counts at most, in milliseconds: where it comes later, this process hung.
 */
const MAX_TICK_MS = 100;
/** The pause before a connection for pings is opened again, in milliseconds. */
const REOPEN_MS = 100;

/**
 * Sessions of this user whose commits have waited for a synchronous standby for long. That they are
 * asked for in each ping makes one statement of two.
 */
const PING = `
  SELECT count(*)::integer AS waiting FROM pg_stat_activity
   WHERE wait_event = 'SyncRep' AND datname = current_database()
     AND state_change < clock_timestamp() - interval '2 seconds'`;

/** Receives each change of the pulse. */
interface PulseWatcher {
  /** The database has not answered for too long. */
  silent(cause: Error): void;
  /** Commits wait for a synchronous standby; or do so no longer. */
  standby(isSilent: boolean): void;
}

/**
 * Tells a database that is away from one that is slow. A commit may take long while everything is
 * well, and a connection whose other end has vanished looks just the same. So while something is
 * under way and nothing is answered, a connection of its own asks for next to nothing: as long as
 * that is answered, the database is there, however slow its disk is. If nothing at all is heard for
 * a while, it is away.
 */
export class Pulse {
  readonly #route: Route;
  readonly #watcher: PulseWatcher;
  #underWay = 0;
  /** Grows with each answer of the database. */
  #heard = 0;
  #heardAtTick = 0;
  #quietMs = 0;
  #tickedAt = 0;
  #client: RoutedClient | undefined;
  #isPinging = false;
  /** The usual time of a ping. */
  #usualMs = 0;
  #limitMs = SILENCE_MS;
  #silence: Error | undefined;
  #isStandbySilent = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(route: Route, watcher: PulseWatcher) {
    this.#route = route;
    this.#watcher = watcher;
  }

  /** The error to fail with while the database does not answer. */
  get silence(): Error | undefined {
    return this.#silence;
  }

  /** Begins to check. */
  begin(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    void this.#ping();
  }

  /** Waits for an answer of the database. A refusal is a sign of life, too. */
  async during<Answer>(asked: Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    try {
      const answer = await asked;
      this.#heard += 1;
      return answer;
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#heard += 1;
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#client?.cut();
  }

  #tick(): void {
    const now = performance.now();
    const tookMs = Math.min(now - this.#tickedAt, MAX_TICK_MS);
    this.#tickedAt = now;
    const isQuiet = this.#underWay > 0 && this.#heard === this.#heardAtTick;
    this.#heardAtTick = this.#heard;
    if (isQuiet || this.#silence !== undefined || this.#isStandbySilent) void this.#ping();
    this.#quietMs = isQuiet ? this.#quietMs + tookMs : 0;
    if (this.#silence !== undefined || this.#quietMs < this.#limitMs) return;
    this.#silence = new Error(`the database has not answered for ${Math.round(this.#quietMs)} ms`);
    // It may never be answered any more.
    this.#client?.cut();
    this.#watcher.silent(this.#silence);
  }

  /** Sends a ping, unless one is under way. */
  async #ping(): Promise<void> {
    if (this.#isPinging) return;
    this.#isPinging = true;
    try {
      this.#client ??= await this.#route.open({ application_name: 'store-orders pulse' });
      if (this.#isClosed) this.#client.cut();
      const before = performance.now();
      const { rows } = await this.#client.query<{ waiting: number }>(PING);
      this.#adapt(performance.now() - before);
      this.#heard += 1;
      this.#silence = undefined;
      this.#note((rows[0]?.waiting ?? 0) > 0);
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#heard += 1;
      this.#client?.cut();
      this.#client = undefined;
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS).unref());
    }
    this.#isPinging = false;
  }

  /** A network that is slow is no outage; a single answer that is late says nothing of it. */
  #adapt(tookMs: number): void {
    this.#usualMs += (tookMs - this.#usualMs) * (this.#usualMs === 0 ? 1 : SHARE_OF_LAST);
    this.#limitMs = Math.min(Math.max(SILENCE_MS, 3 * this.#usualMs), MAX_SILENCE_MS);
  }

  #note(isStandbySilent: boolean): void {
    if (this.#isStandbySilent === isStandbySilent) return;
    this.#isStandbySilent = isStandbySilent;
    this.#watcher.standby(isStandbySilent);
  }
}
