import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** Requests over HTTP, with connections that are kept: the transport of the kit's clients. */

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface Message {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The milliseconds after which the connection is cut, unless a response has arrived. */
  readonly cutAfter?: number;
  /** The milliseconds after which the request fails. */
  readonly timeoutMs?: number;
}

/** Thrown if a connection ends before the whole response. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly code: string | undefined;
  /** True if the server may have closed the connection before it received the request. */
  readonly isStale: boolean;

  constructor({ message, code }: NodeJS.ErrnoException, isStale: boolean) {
    // If several addresses were tried, Node's message is empty.
    super(message || code || 'the connection ended');
    this.code = code;
    this.isStale = isStale;
  }
}

/** The longest answer that is read: a list of 2 million orders. Texts in V8 are limited to twice as much. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const TOO_LONG = 'it is longer than 256 MiB';

/** The time after which a server may close an idle connection, in milliseconds. */
const STALE_AFTER_MS = 1_000;

export class Wire {
  readonly #http = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  readonly #https = new https.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  readonly #usedAt = new WeakMap<Socket, number>();

  /** Resolves with the whole response. Throws {@link Unanswered}. */
  send({ method, url, headers, body, cutAfter, timeoutMs }: Message): Promise<Reply> {
    const isHttps = url.startsWith('https:');
    const [client, agent] = isHttps ? [https, this.#https] : [http, this.#http];
    const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    return new Promise((resolve, reject) => {
      let [hasBegun, wasIdle] = [false, false];
      let used: Socket | undefined;
      const signal = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const options = { method, agent, headers: { ...headers, ...length }, ...signal };
      const fail = (error: NodeJS.ErrnoException) => {
        const reason = isTimeout(error) ? new Error(`none within ${timeoutMs} ms`) : error;
        reject(new Unanswered(reason, wasIdle && !hasBegun && !isTimeout(error)));
      };
      const sending = client.request(url, options, (response) => {
        hasBegun = true;
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error(TOO_LONG));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          if (used !== undefined) this.#usedAt.set(used, performance.now());
          try {
            resolve({ status, headers, text: decoded(Buffer.concat(chunks), headers).toString() });
          } catch (error) {
            fail(error as Error);
          }
        });
      });
      sending.on('socket', (socket) => {
        used = socket;
        const usedAt = this.#usedAt.get(socket) ?? Number.POSITIVE_INFINITY;
        wasIdle = performance.now() - usedAt > STALE_AFTER_MS;
      });
      sending.on('error', fail);
      sending.end(body, () => {
        // Now the operating system has accepted every byte of it.
        if (cutAfter === 0) sending.destroy();
        else if (cutAfter !== undefined) setTimeout(() => sending.destroy(), cutAfter);
      });
    });
  }

  /** Closes the persistent connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Returns the bytes of a body. Throws if they are not compressed as its headers say. */
function decoded(bytes: Buffer, { 'content-encoding': coding }: http.IncomingHttpHeaders): Buffer {
  // The older name of gzip means the same (RFC 9110, section 8.4.1.3).
  const isCompressed = /^(?:x-)?gzip$/i.test(coding ?? '') && bytes.length > 0;
  return isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_ANSWER_BYTES }) : bytes;
}

function isTimeout({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR';
}
