import { setTimeout as wait } from 'node:timers/promises';
import { exactJson } from '../history/exact-json.ts';
import { type Message, type Reply, type Unanswered, Wire } from '../history/wire.ts';
import { Violation } from '../target.ts';
import { ORDER, Trace } from './trace.ts';

/** The timeout of a request, and of a call of an adapter, in milliseconds. */
export const TIMEOUT_MS = 30_000;
/** The longest time that a request waits for a server that puts it off, in milliseconds. */
const MAX_WAIT_MS = 60_000;
/** The number of times that a request which was put off is sent again. */
const MAX_RETRIES = 6;
/** Requests that were refused together wait up to so much longer each time, in milliseconds. */
const SPREAD_MS = 500;

/** The rule that a request without a response breaks. */
export const ANSWERED = 'every request is answered';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Returns the value of a header, or an empty text. */
  header(name: string): string;
}

/** A value of a header that has the key. */
export interface WithKey {
  readonly value: string;
  /** The same in a shell where KEY is set: a report must not disclose the key. */
  readonly shell: string;
}

export interface Asked {
  readonly body?: string;
  /** Another authorization than the client's key; `null` for none. */
  readonly authorization?: WithKey | null;
  /** More headers, or others in place of the usual ones. */
  readonly headers?: Readonly<Record<string, string | WithKey>>;
  /** The order that a path is about which does not have its id as the contract writes it. */
  readonly about?: bigint;
  /** The path in a shell, with {@link ORDER} for the id. */
  readonly shell?: string;
}

/** Sends requests to a server, and records them for scripts. */
export class ApiClient {
  readonly baseUrl: string;
  readonly trace = new Trace();
  readonly #key: string;
  readonly #readOnly: boolean;
  readonly #wire = new Wire();
  /** Aborted so that no wait of a check that was given up keeps the process from its end. */
  readonly #closing = new AbortController();
  readonly #unanswered = new Set<{ readonly what: string }>();
  #limited = 0;
  #unavailable = 0;

  /** @param readOnly True to refuse to send anything but GET and HEAD requests. */
  constructor(baseUrl: string, key: string, readOnly = false) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#readOnly = readOnly;
  }

  /** The number of answers that were a 429. */
  get limited(): number {
    return this.#limited;
  }

  /** The number of answers that were a 503 with a Retry-After. */
  get unavailable(): number {
    return this.#unavailable;
  }

  /** The earliest of the requests and calls without an answer yet, in words. */
  get unanswered(): string | undefined {
    const [first] = this.#unanswered;
    return first?.what;
  }

  /** Waits for the answer to a call. Throws if the client is closed: a check that was given up ends. */
  async answerTo<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    this.#closing.signal.throwIfAborted();
    const waiting = { what };
    this.#unanswered.add(waiting);
    try {
      return await call();
    } finally {
      this.#unanswered.delete(waiting);
    }
  }

  /** Waits for some time, or until the client is closed: then it throws. */
  async pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#closing.signal });
  }

  /** Resolves with the response. Throws a Violation of {@link ANSWERED} if there is none. */
  ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const what = `${method} ${this.baseUrl}${path}`;
    return this.answerTo(what, () => this.#ask(method, path, asked));
  }

  async #ask(method: string, path: string, asked: Asked): Promise<Answer> {
    if (this.#readOnly && method !== 'GET' && method !== 'HEAD') {
      throw new Error(`read-only, and yet: ${method} ${path}`);
    }
    const placed = this.#note(method, path, asked);
    let leftMs = MAX_WAIT_MS;
    for (let retries = 0; ; retries++) {
      const answer = await this.#send(method, path, asked);
      if (this.#isPutOff(answer) && retries < MAX_RETRIES && leftMs > 0) {
        const waitMs = Math.min(leftMs, retryAfterMs(answer));
        leftMs -= waitMs;
        const spreadMs = Math.random() * retries * SPREAD_MS;
        await this.pause(waitMs + spreadMs);
        continue;
      }
      if (method === 'POST') {
        const id = idIn(answer);
        if (id !== undefined) placed(id);
      }
      return answer;
    }
  }

  /** Returns true, and counts it, if an answer puts its request off: nothing was done, and it may be sent again. */
  #isPutOff(answer: Answer): boolean {
    if (answer.status === 429) {
      this.#limited += 1;
      return true;
    }
    const isUnavailable =
      answer.status === 503 && answer.header('retry-after') !== '' && !isInDoubt(answer);
    if (isUnavailable) this.#unavailable += 1;
    return isUnavailable;
  }

  /** Closes the persistent connections, and ends all waits. */
  close(): void {
    this.#closing.abort();
    this.#wire.close();
  }

  async #send(method: string, path: string, asked: Asked): Promise<Answer> {
    const { body, authorization, headers = {} } = asked;
    const value = authorization === undefined ? `Bearer ${this.#key}` : authorization?.value;
    const more = Object.entries(headers).map(([name, given]) => {
      return [name, typeof given === 'string' ? given : given.value];
    });
    const message = {
      method,
      url: this.baseUrl + path,
      headers: {
        ...(value === undefined ? {} : { authorization: value }),
        ...(body === undefined || hasType(asked) ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(more),
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: TIMEOUT_MS,
    };
    const received = await this.#received(message).catch((error: Error) => {
      const request = `${method} ${this.baseUrl}${path}`;
      throw new Violation(ANSWERED, `there is no answer to ${request}: ${error.message}`);
    });
    const { status, text } = received;
    return { status, text, header: (name) => String(received.headers[name] ?? '') };
  }

  // A server may close an idle connection at the moment at which a request is sent over it.
  #received(message: Message): Promise<Reply> {
    return this.#wire.send(message).catch((error: Unanswered) => {
      if (!error.isStale) throw error;
      return this.#wire.send(message);
    });
  }

  #note(method: string, path: string, asked: Asked): (id: bigint) => void {
    const [, before, digits, after] = /^(\/store\/orders\/)(-?\d+)(\/\w+)?$/.exec(path) ?? [];
    const about = asked.about ?? (digits === undefined ? undefined : BigInt(digits));
    const named = digits === undefined ? path : `${before}${ORDER}${after ?? ''}`;
    return this.trace.note(lineOf(method, asked.shell ?? named, asked), about);
  }
}

/** Returns true for a 503 of this service that leaves open if the command was carried out. */
function isInDoubt({ text }: Answer): boolean {
  return Object(exactJson(text)).code === 'outcome_unknown';
}

/** Returns the wait that an answer asks for, in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfterMs({ header }: Answer): number {
  const given = header('retry-after');
  // The date is by the server's clock.
  const now = Date.parse(header('date')) || Date.now();
  const waitMs = /^\d+$/.test(given) ? 1_000 * Number(given) : Date.parse(given) - now;
  return Math.max(1_000, waitMs || 0);
}

/** Returns true if a request has another content type than the usual one. */
function hasType({ headers = {} }: Asked): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
}

/** Returns a request as a line for a shell. */
function lineOf(method: string, path: string, asked: Asked): string {
  const { body, authorization, headers = {} } = asked;
  const isUsual = authorization === undefined && !hasType(asked);
  const more = Object.entries(headers).map(([name, value]) => {
    // So that curl decompresses the answer.
    if (name === 'accept-encoding') return '--compressed';
    return typeof value === 'string' ? `-H '${name}: ${value}'` : `-H "${name}: ${value.shell}"`;
  });
  if (method === 'POST' && isUsual && path === '/store/orders') {
    return [`placed '${body}'`, ...more].join(' ');
  }
  return [
    isUsual ? 'orders -i' : 'curl -si',
    ...(method === 'GET' ? [] : [method === 'HEAD' ? '-I' : `-X ${method}`]),
    `"$BASE${path}"`,
    ...(authorization ? [`-H "Authorization: ${authorization.shell}"`] : []),
    ...(isUsual || authorization === null || authorization
      ? []
      : ['-H "Authorization: Bearer $KEY"']),
    ...(isUsual || body === undefined || hasType(asked)
      ? []
      : ["-H 'Content-Type: application/json'"]),
    ...more,
    ...(body === undefined ? [] : [`-d '${body}'`]),
  ].join(' ');
}

/** Returns the id of the order in the body of a response. */
export function idInBody({ text }: Pick<Answer, 'text'>): bigint | undefined {
  const { id } = Object(exactJson(text));
  return typeof id === 'bigint' ? id : undefined;
}

/** Returns the id of the order in a response: in its body, or at the end of its Location. */
export function idIn({ text, header }: Answer): bigint | undefined {
  const id = idInBody({ text });
  if (id !== undefined) return id;
  const [, digits] = /\/(-?\d+)$/.exec(header('location')) ?? [];
  return digits === undefined ? undefined : BigInt(digits);
}

/** Thrown if there is nothing to check: the server is unreachable, or refuses the key, or an adapter fails. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}
