/** The ways to reach a database, and the clients that take them. */

import { Socket } from 'node:net';
import { userInfo } from 'node:os';
import pg from 'pg';
import { type Address, hostText, isSocket, parseAddress } from '../../settings/postgres-address.ts';
import { type Encryption, encryptionsOf } from './tls.ts';

/** One way to reach a database: a server, and how the connection to it is encrypted. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly ssl: Encryption;
  /** The host and its port, for messages. */
  readonly name: string;
}

/** Thrown for a server that is a standby. It may be promoted later. */
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
  /** The limit of one attempt to connect, in milliseconds. */
  readonly connectMs: number;
  readonly #failures = new Map<Place, Error>();
  /** The number of failures so far. */
  #noted = 0;
  #at = 0;

  /**
   * @param connectMs The limit of one attempt in milliseconds, unless the address sets one. Throws
   *   {@link UserError} if a file named by the address cannot be read.
   */
  constructor(url: string, connectMs: number) {
    const address = parseAddress(url);
    this.#places = placesOf(address);
    this.connectMs = address.connectTimeoutMs ?? connectMs;
    this.#settings = {
      user: address.user ?? process.env.PGUSER ?? userInfo().username,
      // A function, because for an empty text the driver looks for a password elsewhere.
      password: () => address.password ?? process.env.PGPASSWORD ?? '',
      database: address.database,
      ...(address.options !== undefined && { options: address.options }),
      connectionTimeoutMillis: this.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    };
  }

  /**
   * Returns a class of clients, each of which takes the way that is next when it is constructed.
   * @param open Receives the clients that are open.
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

  /**
   * Connects to the primary, which may be any of the hosts. Throws an AggregateError if several ways have failed.
   * @param open Receives the clients that are open, or are being opened.
   * @param made Called with each client before it is connected.
   */
  async open(
    settings: pg.ClientConfig,
    open?: Set<RoutedClient>,
    made: (client: RoutedClient) => void = () => {},
  ): Promise<RoutedClient> {
    const Client = this.clientsWith(settings, open);
    return this.first(async () => {
      const client = new Client();
      client.on('error', () => {});
      made(client);
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

  /**
   * Calls `attempt` until it succeeds, at most once for each way. A client of this route notes each
   * failure, which moves on to the next way.
   */
  async first<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const tried = new Set<number>();
    for (let tries = 1; ; tries++) {
      const noted = this.#noted;
      tried.add(this.#at);
      try {
        const result = await attempt();
        // Not before: another attempt may be made at the same time, and name what both have met.
        this.#failures.clear();
        return result;
      } catch (error) {
        // Not a failure of this way: for example, no connection was free.
        if (this.#noted === noted) throw error;
        // A concurrent failure may have moved on to a way that was tried. That a server has no TLS is
        // not the reason why the ways without it fail.
        const isBarred = (error as Error).message === NO_TLS && tries < 2 * this.#places.length;
        if (tried.has(this.#at) && !isBarred) throw this.#whole(error as Error);
      }
    }
  }

  #failed(place: Place, error: Error): void {
    this.#failures.set(place, error);
    this.#noted += 1;
    const at = this.#places.indexOf(place);
    // A concurrent failure may have moved on already.
    if (at !== this.#at) return;
    const isNext = ({ host, port }: Place) => host !== place.host || port !== place.port;
    // If the server does not answer, another encryption does not help.
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
    return new AggregateError(
      failures.map(([, failure]) => failure),
      [...new Set(messages)].join('; '),
    );
  }
}

/** A client that takes the way that a route has chosen. */
export class RoutedClient extends pg.Client {
  readonly #socket: Socket;
  /** Notes that this way has led to no usable session. */
  readonly failed: (error: Error) => void;

  constructor(settings: pg.ClientConfig, failed: (error: Error) => void) {
    const socket = new Socket();
    super({ ...settings, stream: () => socket });
    this.#socket = socket;
    this.failed = failed;
  }

  /**
   * Closes the connection in order. If the server does not answer, cuts it after {@link LEAVE_MS}.
   */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    setTimeout(() => this.cut(), LEAVE_MS).unref();
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Closes the socket at once. Everything in flight fails. */
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

/** The limit of an orderly close, in milliseconds. */
const LEAVE_MS = 1_000;

/** The driver's message when the server requires a password and none is set. */
const NO_PASSWORD = /client password must be a/;

class PasswordMissing extends Error {
  constructor() {
    super('the server asks for a password, and neither the address nor PGPASSWORD has one');
  }
}

/** The driver's message for a server without TLS. */
const NO_TLS = 'The server does not support SSL connections';

/** Returns true if an attempt failed because no server answered. */
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
    // As in libpq, a Unix socket is never encrypted.
    const ways = isSocket(host.name) ? [false as const] : encryptions;
    return ways.map(
      (ssl): Place => ({ host: host.name, port: host.port, ssl, name: hostText(host) }),
    );
  });
}
