/** The HTTP server around the app: its limits, and its life from listening to the last answer. */
import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Response } from 'express';
import { refuseConnection, sendError } from './answers/error.ts';
import { ApiError } from './api-error.ts';
import type { App } from './app.ts';
import { type Connection, type ConnectionLimits, Connections, SWEEP_MS } from './connections.ts';
import type { Health } from './health.ts';
import { listen } from './listen.ts';

/** The time that a stop gives clients to take their answers. */
const LAST_ANSWERS_MS = 5_000;

/** The time from a connection, or from the first byte of a later request on it, to the end of the head. */
const HEADERS_MS = 5_000;
/** The same to the end of the body. Both may take {@link SWEEP_MS} longer. */
const REQUEST_MS = 14_000;
/** The requests that may wait behind another on their connection. */
const MAX_WAITING_REQUESTS = 32;

/** The limits of a server, and the place where it reports that they were reached. */
export interface ServerOptions extends ConnectionLimits {
  readonly maxConnections: number;
  readonly warn: (about: object, message: string) => void;
}

/** The server of an app. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #warn: ServerOptions['warn'];

  constructor(app: App, health: Health, { maxConnections, warn, ...limits }: ServerOptions) {
    this.#connections = new Connections(warn, limits);
    const answer = oneByOne(app, health);
    // The app answers a missing Host itself, with an Error object; and an unknown expectation is
    // ignored (RFC 9110, section 10.1.1), where Node would send an empty 417.
    const options = {
      requireHostHeader: false,
      // Of two hosts or keys Node would take the first, and a proxy before it perhaps the last.
      joinDuplicateHeaders: true,
      keepAlive: true,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: SWEEP_MS,
      // A request without a body need not be read to its end: 7 % less time of this thread.
      optimizeEmptyRequests: true,
      IncomingMessage: born(IncomingMessage, app.request),
      ServerResponse: born(ServerResponse, app.response),
    };
    this.#server = createServer(options, answer);
    this.#server.on('checkExpectation', answer);
    // The body's reader sends 100 Continue: nobody else waits for a body.
    this.#server.on('checkContinue', answer);
    this.#server.on('connection', (connection) => this.#connections.add(connection));
    this.#server.maxConnections = maxConnections;
    this.#server.on('drop', () => this.#connections.refused());
    // Longer than the idle timeout of the usual load balancers, so that they close first.
    this.#server.keepAliveTimeout = 65_000;
    this.#server.on('connect', (req, connection: Connection) => {
      // Node makes no answer to it.
      afterLast(connection, () => {
        const res = new options.ServerResponse(req);
        res.assignSocket(connection);
        res.once('finish', () => connection.destroySoon());
        answer(req, res);
      });
    });
    this.#server.on('clientError', (error, connection: Connection) =>
      refuseUnreadable(error, connection, this.#connections),
    );
    this.#warn = warn;
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
    // A connection that could not be accepted is lost, and the next one may be accepted.
    this.#server.on('error', (error) => this.#warn(error, 'a connection could not be accepted'));
    return address;
  }

  /**
   * Waits until every request under way has its answer, then closes every connection. Requests
   * that arrive meanwhile are still answered, by then with a 503, but not waited for: under load
   * there is always one more. Nor is a client that does not take its answer, for long.
   */
  async close(): Promise<void> {
    const answers = [...this.#connections].flatMap(({ answer }) => answer ?? []);
    // The last on its connection: a client sends again what it has sent behind it.
    for (const res of answers) res.shouldKeepAlive = false;
    const answered = Promise.all(answers.map((res) => once(res, 'close')));
    await Promise.race([answered, setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    this.#connections.close();
  }
}

/**
 * Returns a class with Express's own prototype. Otherwise Express would set it on each request and
 * answer, and V8 is slow with an object whose prototype was changed: 7 % of the time of this thread.
 * With it, answers that are given before Express have the headers of all others, too.
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

/**
 * Returns a listener for requests that answers those of one connection one after another. Node
 * begins all that have arrived at once: that is wrong for commands (RFC 9112, section 9.3.2), and
 * would let one connection occupy the service as much as hundreds.
 */
function oneByOne(app: App, health: Health): (req: IncomingMessage, res: ServerResponse) => void {
  const begin = (res: ServerResponse) => {
    const { req } = res;
    // Noted on the connection, not in a Set of answers: one that thousands of answers a second
    // enter and leave would drag all of them into the garbage collector's old generation.
    const connection: Connection = req.socket;
    connection.answer = res;
    res.on('close', () => {
      connection.answer = undefined;
      const next = connection.waiting?.shift();
      // RFC 9112, section 9.6: nothing behind the last answer is carried out.
      if (next !== undefined && res.shouldKeepAlive && !connection.destroyed) begin(next);
    });
    // After an offer to upgrade, which is never taken, Node reads no other request.
    if (health.isGoing || req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    app(req, res);
  };
  return (req, res) => {
    const connection: Connection = req.socket;
    if (connection.isClosing) return;
    connection.request = req;
    if (connection.answer === undefined) begin(res);
    else waitInTurn(connection, res);
  };
}

/** Lets a request wait for the end of those before it. Cuts off a client that sends too many. */
function waitInTurn(connection: Connection, res: ServerResponse): void {
  connection.waiting ??= [];
  if (connection.waiting.push(res) <= MAX_WAITING_REQUESTS) return;
  connection.isClosing = true;
  const { context } = (connection.answer as Response).req;
  context.cause = 'the client sent too many requests without waiting for their answers';
  connection.resetAndDestroy();
}

/** Returns the answer to the last request that was read; undefined if every answer is complete. */
function lastAnswerOn({ answer, waiting }: Connection): ServerResponse | undefined {
  return waiting?.at(-1) ?? answer;
}

/** Calls a function when every answer on a connection is complete. */
function afterLast(connection: Connection, then: () => void): void {
  const last = lastAnswerOn(connection);
  if (last === undefined) then();
  else last.once('close', then);
}

/**
 * Answers bytes that are not HTTP, too slow or too long with an Error object as well: one answer to
 * one request, after those that are under way.
 */
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  connection: Connection,
  connections: Connections,
): void {
  const { request } = connection;
  const answer = lastAnswerOn(connection);
  const reason =
    UNREADABLE[error.code ?? ''] ?? new ApiError('invalid_request', 'This is not HTTP.');
  if (!connection.writable || error.code === 'ECONNRESET') connection.destroy();
  // These bytes are the rest of a request that was answered before it was complete.
  else if (answer === undefined && request?.complete === false) connection.destroy();
  else if (answer === undefined) {
    refuseConnection(connection, reason);
    connections.linger(connection);
  } else {
    // They follow a whole request, or are of a body that nobody reads: the request is carried out,
    // and its own answer is the last.
    connection.isClosing = true;
    afterLast(connection, () => connection.destroySoon());
    if (!answer.req.complete) refuseReader(answer as Response, reason);
  }
}

/** Refuses a request when its body is read, now or later: nothing was done yet. */
function refuseReader(answer: Response, reason: ApiError): void {
  const refuse = () => {
    answer.shouldKeepAlive = false;
    if (!answer.headersSent) sendError(answer, reason);
  };
  const { req } = answer;
  if (req.listenerCount('data') > 0) refuse();
  else req.on('newListener', (event) => event === 'data' && refuse());
}

/** Reasons to refuse bytes that are no request, by Node's code; 400 for any other code. */
const UNREADABLE: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError('invalid_request', 'The request headers are too large.', 431),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(
    'invalid_request',
    'The request took too long to arrive.',
    408,
  ),
  HPE_PAUSED_H2_UPGRADE: new ApiError('invalid_request', 'HTTP/2 is not served here.'),
};
