/** The HTTP server around the app: its limits, and its life from listening to the last response. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { refuseConnection } from './answers/error.ts';
import { ApiError } from './api-error.ts';
import { type Connection, type ConnectionLimits, Connections, SWEEP_MS } from './connections.ts';
import type { App } from './exact-express.ts';
import type { Health } from './health.ts';
import { afterLast, lastAnswerOn, oneByOne } from './in-turn.ts';
import { listen } from './listen.ts';
import { http } from './node-http.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { hasBody, INCOMPLETE, intakeOf } from './requests/intake.ts';

/** The time for which a stop waits for clients to read their responses, in milliseconds. */
const LAST_ANSWERS_MS = 5_000;

/**
 * The limit from the connection, or from the first byte of a later request, to the end of the head,
 * in milliseconds.
 */
const HEADERS_MS = 5_000;
/** The limit to the end of the body, in milliseconds. Both may take {@link SWEEP_MS} longer. */
const REQUEST_MS = 14_000;

/** The limits of a server, and the log of what happens outside of the requests that are served. */
export interface ServerOptions extends ConnectionLimits {
  readonly maxConnections: number;
  readonly log: Log;
  readonly metrics?: Pick<RequestMetrics, 'countError'>;
}

type Log = Readonly<Record<'info' | 'warn', (about: object, message: string) => void>>;

/** The server of an app. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #log: Log;
  readonly #metrics: ServerOptions['metrics'];

  constructor(app: App, health: Health, options: ServerOptions) {
    const { maxConnections, log, metrics, ...limits } = options;
    this.#log = log;
    this.#metrics = metrics;
    this.#connections = new Connections((about, message) => log.warn(about, message), limits);
    const answer = oneByOne(app, health);
    // The app itself answers a missing Host with an Error object. An unknown expectation is ignored
    // (RFC 9110, section 10.1.1); Node would send an empty 417.
    const serving = {
      requireHostHeader: false,
      // Of duplicate Host or Authorization headers Node would take the first, and a proxy perhaps
      // the last.
      joinDuplicateHeaders: true,
      keepAlive: true,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: SWEEP_MS,
      // Requests without a body need not be read to the end, which saves 7 % of this thread's time.
      optimizeEmptyRequests: true,
      IncomingMessage: born(http.IncomingMessage, app.request),
      ServerResponse: born(http.ServerResponse, app.response),
    };
    this.#server = http.createServer(serving, answer);
    // A client may close its sending side behind its last request, and still read the answers.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on('checkExpectation', answer);
    // 100 Continue is sent by the reader of the body: other operations do not wait for one.
    this.#server.on('checkContinue', answer);
    this.#server.on('connection', (connection: Connection) => {
      connection.whenDrained = connection.listeners('drain') as (() => void)[];
      this.#connections.add(connection);
    });
    this.#server.maxConnections = maxConnections;
    this.#server.on('drop', () => this.#connections.refused());
    // Longer than the idle timeout of common load balancers, so that they close first.
    this.#server.keepAliveTimeout = 65_000;
    // Node itself sends no response here.
    this.#server.on('connect', (req, connection: Connection) => {
      // Answers before this one still need what Node has detached.
      for (const listener of connection.whenDrained ?? []) connection.on('drain', listener);
      afterLast(connection, () => {
        if (connection.destroyed) return;
        const res = new serving.ServerResponse(req);
        res.assignSocket(connection);
        res.once('finish', () => connection.destroySoon());
        // Node reads no other request behind it.
        res.shouldKeepAlive = false;
        answer(req, res);
      });
    });
    this.#server.on('clientError', (error, connection: Connection) =>
      this.#refuseUnreadable(error, connection),
    );
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** See {@link Connections.ended}. */
  get ended(): Connections['ended'] {
    return this.#connections.ended;
  }

  /** Listens: see {@link listen}. */
  async listen(port: number, host: string): Promise<string> {
    const address = await listen(this.#server, port, host);
    // A connection that cannot be accepted is lost; later ones may succeed.
    this.#server.on('error', (error) =>
      this.#log.warn(error, 'a connection could not be accepted'),
    );
    return address;
  }

  /**
   * Waits until every request in flight has its response, then closes every connection. Requests
   * that arrive meanwhile are answered with a 503, but not waited for: under load there is always
   * one more. A slow client is waited for up to the limit above.
   */
  async close(): Promise<void> {
    const answers = [...this.#connections].flatMap(({ answer }) => answer ?? []);
    // Each is the last response on its connection: a client repeats the requests that it sent after it.
    for (const res of answers) res.shouldKeepAlive = false;
    const answered = Promise.all(answers.map((res) => once(res, 'close')));
    await Promise.race([answered, setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    this.#connections.close();
  }

  /**
   * Answers bytes that are not HTTP, too slow or too long with an Error object, too: with one
   * response to one request, after those in flight.
   */
  #refuseUnreadable({ code = '' }: NodeJS.ErrnoException, connection: Connection): void {
    const { request } = connection;
    const answer = lastAnswerOn(connection);
    const reason = UNREADABLE[code] ?? NOT_HTTP;
    if (!connection.writable || code === 'ECONNRESET') connection.destroy();
    // The bytes are the rest of a request that was answered before it was complete.
    else if (answer === undefined && request?.complete === false) connection.destroy();
    else if (answer === undefined) {
      const requestId = refuseConnection(connection, reason);
      const { status, code: outcome } = reason;
      this.#log.info({ requestId, status, outcome, cause: code }, 'unreadable request');
      this.#metrics?.countError(outcome);
      this.#connections.linger(connection);
    } else {
      // The bytes follow a complete request, or belong to a body that is not read: the request is
      // carried out, and its own response is the last.
      connection.isClosing = true;
      afterLast(connection, () => connection.destroySoon());
      if (answer.req.complete) return;
      // Nothing is carried out before its body is read.
      answer.shouldKeepAlive = false;
      const fault = UNREADABLE[code] ?? UNREADABLE_BODY[code] ?? NOT_CHUNKS;
      if (hasBody(answer.req)) intakeOf(answer.req).refuse(fault);
    }
  }
}

/**
 * Returns a class with Express's own prototype. Otherwise Express would set the prototype of each
 * request and response, which makes them slow in V8: 7 % of this thread's time. It also gives
 * responses before Express the common headers.
 */
function born<Class extends typeof IncomingMessage | typeof ServerResponse>(
  base: Class,
  prototype: object,
): Class {
  function Born(...args: unknown[]): object {
    return Reflect.construct(base, args, Born);
  }
  Born.prototype = prototype;
  return Born as unknown as Class;
}

const NOT_HTTP = new ApiError('invalid_request', 'This is not HTTP.');
const NOT_CHUNKS = new ApiError('invalid_request', 'The chunks of the body cannot be read.');
/** The errors for bytes that are not a request, by Node's error code, beside {@link NOT_HTTP}. */
const UNREADABLE: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError('invalid_request', 'The request headers are too large.', 431),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError(
    'payload_too_large',
    'The chunk extensions of the body are too long.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(
    'invalid_request',
    'The request took too long to arrive.',
    408,
  ),
  HPE_INVALID_METHOD: new ApiError(
    'invalid_request',
    'This is not HTTP, or has a method that HTTP does not have.',
  ),
  HPE_PAUSED_H2_UPGRADE: new ApiError('invalid_request', 'HTTP/2 is not served here.'),
};
/** The errors for bytes behind the head of a request, by Node's error code, beside {@link NOT_CHUNKS}. */
const UNREADABLE_BODY: Readonly<Record<string, ApiError>> = { HPE_INVALID_EOF_STATE: INCOMPLETE };
