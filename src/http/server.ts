import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { CannotStart } from '../app/cannot-start.ts';
import { ApiError } from './api-error.ts';
import type { App } from './app.ts';
import type { Health } from './health.ts';

/** How long a stop waits for clients to take their answers, in milliseconds. */
const PATIENCE = 5_000;

/** A connection, with the last answer on it that is not complete; earlier ones come before it. */
type Connection = Socket & { answer?: ServerResponse | undefined };

/** The HTTP server around the app: from listening to the last answer. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();

  constructor(app: App, health: Health) {
    const answer = (req: IncomingMessage, res: ServerResponse) => {
      // Noted on the connection, not in a Set of answers: one that thousands of answers a second
      // enter and leave would drag all of them into the garbage collector's old generation.
      const connection: Connection = req.socket;
      connection.answer = res;
      res.on('close', () => {
        if (connection.answer === res) connection.answer = undefined;
      });
      if (health.isGoing) res.shouldKeepAlive = false;
      app(req, res);
    };
    // The app answers a missing Host itself, with an Error object; and what a client expects that
    // no server knows is ignored (RFC 9110, section 10.1.1), where Node would send an empty 417.
    const options = {
      requireHostHeader: false,
      keepAlive: true,
      // A request without a body is no stream that somebody has to read to its end.
      optimizeEmptyRequests: true,
      IncomingMessage: born(IncomingMessage, app.request),
      ServerResponse: born(ServerResponse, app.response),
    };
    this.#server = createServer(options, answer);
    this.#server.on('checkExpectation', answer);
    this.#server.on('connection', (connection: Connection) => {
      this.#connections.add(connection);
      connection.once('close', () => this.#connections.delete(connection));
    });
    this.#server.requestTimeout = 30_000;
    this.#server.headersTimeout = 15_000;
    // Longer than the idle timeout of the usual load balancers, so that they close first.
    this.#server.keepAliveTimeout = 65_000;
    this.#server.on('clientError', (error, connection: Connection) => {
      // Nonsense behind a whole request: that request's own answer comes first, and is the last.
      const { answer: last } = connection;
      if (last?.req.complete) last.once('close', () => connection.destroySoon());
      else answerUnreadable(error, connection);
    });
  }

  /** Listens, and resolves with the address as clients write it. Port 0 takes a free one. */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(error, host, port)));
      this.#server.listen(port, host, resolve);
    });
    const bound = this.#server.address() as AddressInfo;
    const name = host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${bound.port}`;
  }

  /**
   * Waits until every request under way has its answer, then closes every connection. Requests
   * that arrive meanwhile are still answered, by then with a 503, but not waited for: under load
   * there is always one more. Nor is a client that does not take its answer, for long.
   */
  async close(): Promise<void> {
    const answers = [...this.#connections].flatMap(({ answer }) => answer ?? []);
    for (const res of answers) res.shouldKeepAlive = false;
    const answered = Promise.all(answers.map((res) => once(res, 'close')));
    await Promise.race([answered, setTimeout(PATIENCE, undefined, { ref: false })]);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/**
 * A class with Express's own prototype. Express gives it to each request and answer that comes in,
 * and an object whose prototype is changed is slow for the rest of its life.
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

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = error.code === 'EADDRINUSE' ? 'another program is listening there' : error.message;
  return new CannotStart(`cannot listen on ${host}, port ${port}: ${reason}`);
}

/** Answers what is not HTTP at all, or is too slow or too long, with an Error object as well. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'This is not HTTP.'];
  const body = new ApiError('invalid_request', message, status).toBody();
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

const UNREADABLE: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
