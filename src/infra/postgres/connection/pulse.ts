import pg from 'pg';
import type { Route, RoutedClient } from './route.ts';

/** The interval of the checks, in milliseconds. */
const TICK_MS = 25;
/** The longest time between two pings: only they find commits of other instances that wait. */
const PING_INTERVAL_MS = 1_000;
/** The time without an answer after which the database counts as unreachable, in milliseconds. */
const SILENCE_MS = 650;
/** The upper limit of that time on a network with long round trips, in milliseconds. */
const MAX_SILENCE_MS = 5_000;
/** The weight of the newest ping in the moving average of round trips. */
const SHARE_OF_LAST = 0.1;
/**
 * The longest time that one tick may count, in milliseconds: a later tick shows that this process
 * was suspended or busy.
 */
const MAX_TICK_MS = 100;
/** The pause before a connection for pings is opened again, in milliseconds. */
const REOPEN_MS = 100;

/**
 * Counts the sessions of this program whose commits have waited for a synchronous standby for over two
 * seconds. One statement serves as the ping and as that check.
 */
const PING = `
  SELECT count(*)::integer AS waiting FROM pg_stat_activity
   WHERE wait_event = 'SyncRep' AND datname = current_database()
     AND application_name LIKE 'store-orders%'
     AND state_change < clock_timestamp() - interval '2 seconds'`;

/** A ping that is lost must not be waited for: the database may answer the next one. */
const SETTINGS = { application_name: 'store-orders pulse', query_timeout: MAX_SILENCE_MS };

/** Receives each change of the pulse. */
interface PulseWatcher {
  /** Called when the database has not answered for too long. */
  silent(cause: Error): void;
  /** Called after each ping that finds commits waiting for a synchronous standby. */
  standbySilent(): void;
  /** Applies the settings of a session to the connection for pings. */
  opened(client: RoutedClient): Promise<void>;
}

/**
 * Tells an unreachable database from a slow one. A healthy commit may take long, and a connection
 * whose other end has vanished looks the same. So while requests are in flight and no answer
 * arrives, a separate connection sends pings; otherwise few. As long as they are answered, the database is
 * reachable, however slow its disk is. If nothing at all is received for a while, it is not.
 */
export class Pulse {
  readonly #route: Route;
  readonly #watcher: PulseWatcher;
  #underWay = 0;
  /** The number of answers received from the database. */
  #heard = 0;
  #heardAtTick = 0;
  #quietMs = 0;
  #tickedAt = 0;
  #unpingedMs = 0;
  #client: RoutedClient | undefined;
  /** The client, and those that are being opened. */
  readonly #clients = new Set<RoutedClient>();
  #isPinging = false;
  /** The moving average of a ping's round trip. */
  #usualMs = 0;
  #limitMs = SILENCE_MS;
  #silence: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(route: Route, watcher: PulseWatcher) {
    this.#route = route;
    this.#watcher = watcher;
  }

  /**
   * The error with which calls fail while the database is unreachable; undefined while it answers.
   */
  get silence(): Error | undefined {
    return this.#silence;
  }

  /** Starts the checks. */
  begin(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    void this.#ping();
  }

  /** Awaits an answer, and counts it as a sign of life, even if it is an error of the server. */
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

  /** Ends a silence: the database has answered on a new connection. The next ping may come later. */
  answered(): void {
    this.#heard += 1;
    this.#silence = undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#cut();
  }

  #tick(): void {
    const now = performance.now();
    const tookMs = Math.min(now - this.#tickedAt, MAX_TICK_MS);
    this.#tickedAt = now;
    const isQuiet = this.#underWay > 0 && this.#heard === this.#heardAtTick;
    this.#heardAtTick = this.#heard;
    this.#unpingedMs += tookMs;
    const isDue = this.#unpingedMs >= PING_INTERVAL_MS;
    if (isQuiet || isDue || this.#silence !== undefined) void this.#ping();
    this.#quietMs = isQuiet ? this.#quietMs + tookMs : 0;
    if (this.#silence !== undefined || this.#quietMs < this.#limitMs) return;
    this.#silence = new Error(`the database has not answered for ${Math.round(this.#quietMs)} ms`);
    // The ping in flight may never be answered.
    this.#cut();
    this.#watcher.silent(this.#silence);
  }

  /** Sends a ping, unless one is under way. */
  async #ping(): Promise<void> {
    if (this.#isPinging) return;
    this.#isPinging = true;
    this.#unpingedMs = 0;
    try {
      this.#client ??= await this.#open();
      const before = performance.now();
      const { rows } = await this.#client.query<{ waiting: number }>(PING);
      this.#adapt(performance.now() - before);
      this.#heard += 1;
      this.#silence = undefined;
      if ((rows[0]?.waiting ?? 0) > 0) this.#watcher.standbySilent();
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#heard += 1;
      this.#client?.cut();
      this.#client = undefined;
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS).unref());
    }
    this.#isPinging = false;
  }

  async #open(): Promise<RoutedClient> {
    const client = await this.#route.open(SETTINGS, this.#clients);
    if (this.#isClosed) client.cut();
    try {
      await this.#watcher.opened(client);
    } catch (error) {
      client.cut();
      throw error;
    }
    return client;
  }

  #cut(): void {
    for (const client of this.#clients) client.cut();
  }

  /**
   * Adapts the limit to the network's round trips: a slow network is not an outage. One late answer
   * alone hardly changes the average.
   */
  #adapt(tookMs: number): void {
    this.#usualMs += (tookMs - this.#usualMs) * (this.#usualMs === 0 ? 1 : SHARE_OF_LAST);
    this.#limitMs = Math.min(Math.max(SILENCE_MS, 3 * this.#usualMs), MAX_SILENCE_MS);
  }
}
