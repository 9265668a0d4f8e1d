import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { exactJson } from '../../kit/history/exact-json.ts';

/** Requests to an HTTP application in this thread, without a network. */

export interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  /** The body, parsed, with integers as bigints; undefined if there is none. */
  readonly body: unknown;
}

/** A request that was sent, and its answer. */
export interface Exchange {
  /** Resolves with the response; never, if the connection is cut before. */
  readonly reply: Promise<Reply>;
  /** Cuts the connection, as a client does that gives up. */
  cut(): void;
}

/** Sends a request to an application. */
export function exchange(app: RequestListener, message: Message): Exchange {
  const connection = new Connection();
  // The members of a socket that an application uses are those of the connection.
  const socket = connection as unknown as Socket;
  const req = requestOn(socket, message);
  const res = new ServerResponse(req);
  res.assignSocket(socket);
  const reply = new Promise<Reply>((resolve) => {
    res.once('finish', () => resolve({ status: res.statusCode, body: bodyIn(connection.text) }));
  });
  app(req, res);
  return { reply, cut: () => void connection.destroy() };
}

function requestOn(socket: Socket, { method, path, headers, body = '' }: Message): IncomingMessage {
  const req = new IncomingMessage(socket);
  const length = { 'content-length': `${Buffer.byteLength(body)}` };
  const json = body === '' ? {} : { 'content-type': 'application/json' };
  const all = { host: 'orders', ...length, ...json, ...headers };
  const version = { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 };
  // Of a request that is not complete, the end of the body would be the end of the connection.
  Object.assign(req, { method, url: path, complete: true, ...version });
  Object.assign(req.headers, all);
  req.rawHeaders.push(...Object.entries(all).flat());
  if (body !== '') req.push(body);
  req.push(null);
  return req;
}

/** Keeps what is written. */
class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  text = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }

  setTimeout(): this {
    return this;
  }

  resetAndDestroy(): this {
    return this.destroy();
  }
}

function bodyIn(response: string): unknown {
  const text = response.slice(response.indexOf('\r\n\r\n') + 4);
  return text === '' ? undefined : exactJson(text);
}
