/**
 * The open connections, and their end. One sweep a second checks all of them, so that no request
 * has a timer of its own.
 */
import { closeSync, openSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { Response } from 'express';
import { serveHalfClosed } from './half-closed.ts';
import { networkOf } from './network.ts';
import { cutOff } from './request-context.ts';
import type { Budget } from './requests/intake.ts';
import { type Output, Progress } from './slow-reader.ts';

/** The interval of the sweep, in milliseconds. Node checks the timeouts of requests as often. */
export const SWEEP_MS = 1_000;
/** The time that a client which is still sending has to read the last response, in milliseconds. */
const LINGER_MS = 2_000;
/** The most bytes that are read and discarded meanwhile. */
const LINGER_BYTES = 262_144;
/** The sweeps without a request after which a connection makes room for one that is refused. */
const IDLE_SWEEPS = 5;

/** A connection, with the last request that was read from it. */
export type Connection = Socket & {
  request?: IncomingMessage | undefined;
  /** The answer under way, until it is complete, and those that wait for its end. */
  answer?: ServerResponse | undefined;
  waiting?: ServerResponse[];
  /** The bodies of those that wait, and of the first if it has waited. */
  waitingBodies?: Budget;
  /** Node's own listeners to 'drain', which let an answer continue. */
  whenDrained?: readonly (() => void)[];
  /** True once its last response is determined: later requests are not carried out. */
  isClosing?: boolean;
};

/** The state of a connection between two sweeps. */
interface Watched {
  readonly progress: Progress;
  /** The time at which it is destroyed, by the elapsed time in milliseconds. */
  closesAt: number | undefined;
  /** The last request at the last sweep, and the sweeps since which nothing has followed it. */
  request: IncomingMessage | undefined;
  idleSweeps: number;
}

/** Receives the warnings of a sweep. */
type Warn = (about: object, message: string) => void;

/** The limits of the open connections. */
export interface ConnectionLimits {
  /** The time for which the system may accept nothing more of a response, in milliseconds. */
  readonly patienceMs: number;
  /** The most connections of one IPv4 address or IPv6 /64 network; 0: no limit. */
  readonly maxPerAddress: number;
}

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Connection, Watched>();
  readonly #warn: Warn;
  readonly #limits: ConnectionLimits;
  /** The open connections of each network; empty if they are not limited. */
  readonly #ofNetwork = new Map<string, number>();
  readonly #sweeping: NodeJS.Timeout;
  /** The connections refused since the last sweep. */
  #refused = { refused: 0, per_address: 0 };
  readonly #ended = { refused: 0, per_address: 0, slow: 0 };
  #isOutOfFiles = false;

  constructor(warn: Warn, limits: ConnectionLimits) {
    this.#warn = warn;
    this.#limits = limits;
    this.#sweeping = setInterval(() => this.#sweep(performance.now()), SWEEP_MS).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** The numbers of connections refused for either reason, and of those cut off as too slow. */
  get ended(): Readonly<Record<'refused' | 'per_address' | 'slow', number>> {
    return this.#ended;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.keys();
  }

  /** Adds a connection, or closes it if too many of its network are open. */
  add(connection: Connection): void {
    if (this.#limits.maxPerAddress > 0 && !this.#count(connection)) {
      this.refused('per_address');
      connection.destroy();
      return;
    }
    const progress = new Progress(this.#limits.patienceMs);
    const watched = { progress, closesAt: undefined, request: undefined, idleSweeps: 0 };
    this.#open.set(connection, watched);
    connection.once('close', () => this.#open.delete(connection));
    connection.once('end', () => serveHalfClosed(connection));
    // Node calls this after the last response on a connection.
    connection.destroySoon = () => this.#closeBehindAnswer(connection);
  }

  /** Counts a connection refused because too many are open, in total or of its network. */
  refused(reason: 'refused' | 'per_address' = 'refused'): void {
    this.#refused[reason] += 1;
    this.#ended[reason] += 1;
  }

  /**
   * Closes a connection whose client may still be sending. Closing it at once would reset it, and
   * the client could lose the response (RFC 9112, section 9.6). So only the sending half is closed,
   * and a limited number of bytes is read and discarded for a limited time.
   */
  linger(connection: Connection): void {
    const watched = this.#open.get(connection);
    if (watched === undefined || watched.closesAt !== undefined) return;
    watched.closesAt = performance.now() + LINGER_MS;
    connection.isClosing = true;
    connection.end();
    connection.removeAllListeners('data');
    let left = LINGER_BYTES;
    connection.on('data', ({ length }) => {
      left -= length;
      if (left <= 0) connection.pause();
    });
    connection.resume();
  }

  /** Ends the sweeps. */
  close(): void {
    clearInterval(this.#sweeping);
  }

  /** Counts a connection of its network. Returns false if it is one too many. */
  #count(connection: Connection): boolean {
    const network = networkOf(connection.remoteAddress, undefined);
    const count = this.#ofNetwork.get(network) ?? 0;
    if (count >= this.#limits.maxPerAddress) return false;
    this.#ofNetwork.set(network, count + 1);
    connection.once('close', () => {
      const left = (this.#ofNetwork.get(network) ?? 0) - 1;
      if (left > 0) this.#ofNetwork.set(network, left);
      else this.#ofNetwork.delete(network);
    });
    return true;
  }

  #closeBehindAnswer(connection: Connection): void {
    const isRead = connection.request?.complete !== false;
    if (isRead && connection.isClosing !== true) Socket.prototype.destroySoon.call(connection);
    else this.linger(connection);
  }

  #sweep(now: number): void {
    let wanted = this.#refused.refused;
    for (const [connection, watched] of this.#open) {
      const { closesAt, progress } = watched;
      if (closesAt !== undefined && now >= closesAt) connection.destroy();
      else if (progress.isTooSlow(now, outputOf(connection))) {
        this.#ended.slow += 1;
        endSlow(connection);
      } else if (isIdle(connection, watched) && wanted > 0) {
        wanted -= 1;
        connection.destroySoon();
      }
    }
    this.#report();
  }

  #report(): void {
    const { refused, per_address: perAddress } = this.#refused;
    this.#refused = { refused: 0, per_address: 0 };
    if (refused > 0) this.#warn({ refused }, 'connections were refused: MAX_CONNECTIONS are open');
    if (perAddress > 0) {
      const reason = 'MAX_CONNECTIONS_PER_ADDRESS of one address are open';
      this.#warn({ refused: perAddress }, `connections were refused: ${reason}`);
    }
    const cause = causeOfNoFile();
    if (cause !== undefined && !this.#isOutOfFiles) {
      this.#warn({ cause }, 'no file descriptor is left: new connections are closed at once');
    } else if (cause === undefined && this.#isOutOfFiles) {
      this.#warn({}, 'file descriptors are free again');
    }
    this.#isOutOfFiles = cause !== undefined;
  }
}

/**
 * Notes, at a sweep, whether a connection has been used since the last one. Returns whether it has
 * been idle for so long that its client can do without it while others are refused.
 */
function isIdle({ request, answer }: Connection, watched: Watched): boolean {
  const isUnused =
    answer === undefined && request?.complete === true && request === watched.request;
  watched.idleSweeps = isUnused ? watched.idleSweeps + 1 : 0;
  watched.request = request;
  return watched.idleSweeps >= IDLE_SWEEPS;
}

function outputOf(connection: Connection): Output {
  // Node shows nowhere else how much of a pending write the system has taken. It uses the same two
  // properties for its own timeouts.
  const { _handle: handle } = connection as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  const taken = handle ? handle.bytesWritten - handle.writeQueueSize : 0;
  return { pending: connection.writableLength, taken };
}

/** Ends a connection whose client reads too slowly. */
function endSlow(connection: Connection): void {
  const answer = connection.answer as Response | undefined;
  if (answer === undefined) connection.resetAndDestroy();
  else cutOff(answer.req, 'the client was too slow: it took too little of its answer');
}

/**
 * Opens a file as a probe; returns the error if that fails. libuv does not report connections that
 * it cannot accept for want of a descriptor: it accepts them with a reserved one and closes them.
 */
function causeOfNoFile(): string | undefined {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
