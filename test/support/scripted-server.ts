import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (res: ServerResponse, request: Received) => unknown;

/** A server on this machine that follows a script: one reply for each request, the last for all others. */
export class ScriptedServer implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Server;

  private constructor(script: readonly Reply[]) {
    this.#server = createServer(async (req, res) => {
      const { method = '', url = '', headers } = req;
      const reply = script[Math.min(this.received.length, script.length - 1)];
      const request = { method, url, headers, body: '' };
      const index = this.received.push(request) - 1;
      const body = await text(req).catch(() => '');
      this.received[index] = { ...request, body };
      reply?.(res, { ...request, body });
    });
  }

  static async start(...script: readonly Reply[]): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(script);
    scripted.#server.listen(0, '127.0.0.1');
    await once(scripted.#server, 'listening');
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Returns a reply with JSON. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return (res) => {
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    res.end(JSON.stringify(value));
  };
}

/** Returns a reply with an Error object. */
export function refusal(status: number, code: string, headers?: Record<string, string>): Reply {
  return json(status, { code, message: `It is ${code}.`, status }, headers);
}

/** Closes the connection without a reply. */
export const cut: Reply = (res) => res.destroy();

/** Closes the connection in the middle of a reply. */
export const cutInside: Reply = (res) => {
  res.writeHead(200, { 'Content-Length': 100 });
  res.write('{"id":"1"', () => res.destroy());
};

/** Never replies. */
export const silence: Reply = () => undefined;
