/** The ways to reach a database, and the clients that take them. */

import { Socket } from 'node:net';
import { userInfo } from 'node:os';
import pg from 'pg';
import { type Address, hostText, isSocket, parseAddress } from '../../process/postgres-address.ts';
import { type Encryption, encryptionsOf } from './tls.ts';

/** One way to reach a database: a server, and how the connection to it is encrypted. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly ssl: Encryption;
  /** The host and its port in words. */
  readonly name: string;
}

/** The server was reached, and is not the one to use. It may become it. */
export class Standby extends Error {
  constructor() {
    super('the server is a standby');
  }
}

const IS_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

/**
 * The ways to reach a database, in the order of libpq: each host in turn, and for each the
 * encryptions that `sslmode` allows. A new connection begins with the way that led to the primary
 * last; a failure moves on to the next way.
 */
export class Route {
  readonly #places: readonly Place[];
  readonly #settings: pg.ClientConfig;
  /** The limit of one attempt, in milliseconds. */
  readonly connectMs: number;
  readonly #failures = new Map<Place, Error>();
  /** The number of failures so far. */
  #noted = 0;
  #at = 0;

  /**
   * @param connectMs How long one attempt may take, unless the address says.
   * Throws {@link CannotStart} where a file of the address cannot be read.
   */
  constructor(url: string, connectMs: number) {
    const address = parseAddress(url);
    this.#places = placesOf(address);
    this.connectMs = address.connectTimeoutMs ?? connectMs;
    this.#settings = {
      user: address.user ?? process.env.PGUSER ?? userInfo().username,
      // As a function: where a text is empty, the driver looks for a password elsewhere.
      password: () => address.password ?? process.env.PGPASSWORD ?? '',
      database: address.database,
      ...(address.options !== undefined && { options: address.options }),
      connectionTimeoutMillis: this.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    };
  }

  /**
   * Returns a class of clients, each of which takes the way that is the next one when it is made.
   * @param open Holds those of them that are not closed.
   */
  clientsWith(settings: pg.ClientConfig, open?: Set<RoutedClient>): new () => RoutedClient {
    const route = this;
    return class extends RoutedClient {
      constructor() {
        const place = route.#places[route.#at] as Place;
        const { host, port, ssl } = place;
        super({ ...route.#settings, ...settings, host, port, ssl }, (error) =>
          route.#failed(place, error),
        );
        open?.add(this);
        this.once('end', () => open?.delete(this));
      }
    };
  }

  /** Connects to the primary, whichever of the hosts that is. Throws {@link Unreachable}. */
  async open(settings: pg.ClientConfig): Promise<RoutedClient> {
    const Client = this.clientsWith(settings);
    return this.first(async () => {
      const client = new Client();
      client.on('error', () => {});
      try {
        await client.connect();
        const { rows } = await client.query<{ isStandby: boolean }>(IS_STANDBY);
        if (rows[0]?.isStandby === true) throw new Standby();
        return client;
      } catch (error) {
        client.failed(error as Error);
        await client.end().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Tries each way at most once. `attempt` has its failures noted by a client of this route. */
  async first<Result>(attempt: () => Promise<Result>): Promise<Result> {
    this.#failures.clear();
    const tried = new Set<number>();
    for (;;) {
      const noted = this.#noted;
      tried.add(this.#at);
      try {
        return await attempt();
      } catch (error) {
        // That none was free, for example, has nothing to do with the way.
        if (this.#noted === noted) throw error;
        if (tried.has(this.#at)) throw this.#whole(error as Error);
      }
    }
  }

  #failed(place: Place, error: Error): void {
    this.#failures.set(place, error);
    this.#noted += 1;
    const at = this.#places.indexOf(place);
    // Others may have failed there at the same time.
    if (at !== this.#at) return;
    const isNext = ({ host, port }: Place) => host !== place.host || port !== place.port;
    // No other encryption helps where nobody answers.
    const next = isSilence(error)
      ? this.#places.findIndex((each, n) => n > at && isNext(each))
      : at + 1;
    this.#at = next === -1 ? 0 : next % this.#places.length;
  }

  /** Returns the failures of all ways as one error. */
  #whole(error: Error): Error {
    const failures = [...this.#failures].filter(([, { message }]) => message !== NO_TLS);
    if (failures.length < 2) return failures[0]?.[1] ?? error;
    const hosts = new Set(this.#places.map(({ name }) => name));
    const messages = failures.map(([{ name }, { message }]) =>
      hosts.size > 1 ? `${name}: ${message}` : message,
    );
    return new Unreachable(
      failures.map(([, failure]) => failure),
      [...new Set(messages)].join('; '),
    );
  }
}

/** No way leads to the primary. */
class Unreachable extends AggregateError {}

/** A client of a way that a route has chosen. */
export class RoutedClient extends pg.Client {
  readonly #socket: Socket;
  /** Notes that this way has led to no session that can be used. */
  readonly failed: (error: Error) => void;

  constructor(settings: pg.ClientConfig, failed: (error: Error) => void) {
    const socket = new Socket();
    super({ ...settings, stream: () => socket });
    this.#socket = socket;
    this.failed = failed;
  }

  /** Takes leave of the server, and does not wait for long for one that says nothing. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    setTimeout(() => this.cut(), LEAVE_MS).unref();
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Ends the connection at once, without a word to the server. Whatever is under way fails. */
  cut(): void {
    this.#socket.destroy();
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error) => (error ? reject(error) : resolve(this)));
      });
    }
    super.connect((failure: Error | null) => {
      const error = NO_PASSWORD.test(failure?.message ?? '') ? new PasswordMissing() : failure;
      if (error) this.failed(error);
      callback(error);
    });
    return undefined;
  }
}

/** The limit of the wait for the end of a connection, in milliseconds. */
const LEAVE_MS = 1_000;

/** The driver's words for a server that asks for a password where there is none. */
const NO_PASSWORD = /client password must be a/;

class PasswordMissing extends Error {
  constructor() {
    super('the server asks for a password, and neither the address nor PGPASSWORD has one');
  }
}

/** The driver's words for a server that does not speak TLS. */
const NO_TLS = 'The server does not support SSL connections';

/** Returns true where an attempt failed because nobody answered. */
function isSilence(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return (
    /^(?:ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/.test(code) ||
    /timeout/.test(error.message)
  );
}

function placesOf(address: Address): readonly Place[] {
  const encryptions = encryptionsOf(address);
  return address.hosts.flatMap((host) => {
    // As in libpq, nothing is encrypted where no network is.
    const ways = isSocket(host.name) ? [false as const] : encryptions;
    return ways.map(
      (ssl): Place => ({ host: host.name, port: host.port, ssl, name: hostText(host) }),
    );
  });
}
