/**
 * Sends requests, and sends them again where that may help. Each call has one deadline, each attempt
 * a timeout of its own, and a command one Idempotency-Key for all its attempts: so it is carried
 * out at most once, however many connections break.
 */
import {
  type Answer,
  type Attempt,
  answerIn,
  exchange,
  fromCaller,
  piecesOf,
  refusalIn,
  respond,
} from './attempt.ts';
import { bodyIn } from './body.ts';
import { isFailure } from './callers.ts';
import { StoreOrdersError } from './error.ts';
import { given } from './given.ts';
import { Limit, limited, pause } from './limit.ts';
import { type CallOptions, type ClientOptions, type CommandOptions, DEFAULTS } from './options.ts';
import { delayAfter, isFinal, isPassing, leavesOpen } from './retry-policy.ts';

/** A request, before its first attempt. */
export interface Request {
  readonly method: string;
  /** The path below the service's address, such as `/v2/store/orders`. */
  readonly path: string;
  /** The parameters of the query. Absent ones are left out. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** JSON text. */
  readonly body?: string | undefined;
  /** The longest answer that is a success, in characters. If absent, it is many times that of a page. */
  readonly maxCharacters?: number | undefined;
}

type Settings = ClientOptions & typeof DEFAULTS;

/** The options of one request of a call that sends several. */
export type StepOptions = CallOptions & { readonly timeoutMs: number };

/** The API of a service, reached with one key. */
export class Transport {
  readonly #options: Settings;
  readonly #address: string;

  /** Throws `invalid_request` if the address is none, or no key is given. */
  constructor(options: ClientOptions) {
    if (!['string', 'function'].includes(typeof options.key)) {
      throw new StoreOrdersError('invalid_request', 'key: must be a text or a function');
    }
    this.#options = { ...DEFAULTS, ...given(options) };
    requireLimits(this.#options);
    this.#address = addressIn(options.url);
  }

  /** Sends a request until it succeeds. Rejects with the failure that is final, or with the last one. */
  async send(request: Request, options: CommandOptions = {}): Promise<Answer> {
    const settings = this.settings(options);
    const { retries, timeoutMs, attemptTimeoutMs, signal, onRetry } = settings;
    const deadline = performance.now() + timeoutMs;
    const prepared = this.#prepare(request, options);
    const { method, url, requests, idempotencyKey } = prepared;
    // True once an attempt at a command has ended without an answer that tells its outcome.
    let isOpen = false;
    for (let attempt = 1; ; attempt += 1) {
      const sentBefore = requests.count;
      const leftMs = () => deadline - performance.now();
      let error: StoreOrdersError;
      try {
        return await limited(signal, Math.min(attemptTimeoutMs, leftMs()), (limit) => {
          return exchange(settings, { ...prepared, attempt }, limit);
        });
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        error = failure;
      }
      const delayMs = delayAfter(attempt, error.retryAfterMs);
      const isLate = delayMs >= leftMs();
      if (!isPassing(error) || attempt > retries || isLate) throw toldAs(error, isOpen);
      const isSent = requests.count > sentBefore;
      isOpen ||= idempotencyKey !== undefined && isSent && leavesOpen(error.code);
      const retried = () => onRetry?.({ attempt, method, url, error, delayMs });
      await limited(signal, leftMs(), (limit) => fromCaller(retried, prepared, limit));
      await pause(delayMs, signal);
    }
  }

  /**
   * Sends a request for an event stream once, and returns the text of the answer as it arrives.
   * Throws `timeout` if nothing arrives for so many milliseconds.
   */
  async *stream(request: Request, options: CallOptions, silenceMs: number): AsyncGenerator<string> {
    const settings = this.settings(options);
    const sent = { ...this.#prepare(request, {}), attempt: 1 };
    const limit = new Limit(settings.signal);
    try {
      limit.start(settings.attemptTimeoutMs);
      const response = await respond(settings, sent, limit);
      const body = bodyIn(response);
      const type = response.headers.get('Content-Type') ?? '';
      if (!/^text\/event-stream\b/i.test(type) || body === undefined) {
        throw refusalIn(await answerIn(settings, sent, limit, response), sent);
      }
      limit.start(silenceMs);
      for await (const piece of piecesOf(body, sent, limit)) {
        limit.stop();
        yield piece;
        limit.start(silenceMs);
      }
    } finally {
      // Closes the connection.
      limit.end();
    }
  }

  /**
   * Returns a function for a call that sends several requests. It returns the options of the next one: with what
   * is left of the call's time.
   */
  within(options: CallOptions = {}): () => StepOptions {
    const { timeoutMs, signal } = this.settings(options);
    const deadline = performance.now() + timeoutMs;
    return () => ({ ...options, signal, timeoutMs: Math.max(0, deadline - performance.now()) });
  }

  /** Returns a request as it is sent: with its address, and for a command with its Idempotency-Key. */
  #prepare(
    { path, query = {}, headers = {}, ...rest }: Request,
    options: CommandOptions,
  ): Omit<Attempt, 'attempt'> {
    const search = new URLSearchParams(given(query) as Record<string, string>).toString();
    const url = urlIn(`${this.#address}${path}${search && `?${search}`}`)?.href;
    // The key is for this service alone. Behind another port or name, or above the address, may be another one.
    if (!url?.startsWith(`${this.#address}/`)) {
      throw new StoreOrdersError('invalid_request', 'path: must begin with / and stay below url');
    }
    const isCommand = rest.method !== 'GET' && rest.method !== 'HEAD';
    const idempotencyKey = isCommand ? (options.idempotencyKey ?? newKey()) : undefined;
    return { ...rest, url, requests: { count: 0 }, headers, idempotencyKey };
  }

  /** Returns the options of a call; those of the client where absent. Throws `invalid_request` for a bad limit. */
  settings(options: CallOptions): Settings {
    const settings = { ...this.#options, ...given(options) };
    requireLimits(settings);
    return settings;
  }
}

/** The options that are numbers from 0 on. The last one is of a stream alone. */
const LIMITS = ['timeoutMs', 'attemptTimeoutMs', 'retries', 'silenceMs'] as const;

/** Throws `invalid_request` for a limit that is no number, such as one read from a variable that is not set. */
function requireLimits(settings: { readonly [Name in (typeof LIMITS)[number]]?: number }): void {
  for (const name of LIMITS) {
    const limit: unknown = settings[name];
    // A text would be joined to a time, and null is a timeout of no time at all.
    if (limit === undefined || (typeof limit === 'number' && limit >= 0)) continue;
    throw new StoreOrdersError('invalid_request', `${name}: must be a number from 0 on`);
  }
}

/** Returns the service's address in a text, without a version. */
function addressIn(text: string): string {
  const url = urlIn(text);
  const address = url && url.origin + url.pathname;
  if (address === undefined || address !== url?.href || !/^https?:/.test(address)) {
    const message = 'url: must be an address with http or https, without a password or a query';
    throw new StoreOrdersError('invalid_request', message);
  }
  return address.replace(/\/+$/, '').replace(/\/v[12]$/, '');
}

function urlIn(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns 128 random bits. `crypto.randomUUID` is missing on pages without https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the error that a call ends with. If an earlier attempt may have carried the command out, a
 * refusal of the last attempt alone does not say that nothing was changed.
 */
function toldAs(error: StoreOrdersError, isOpen: boolean): StoreOrdersError {
  if (!isOpen || leavesOpen(error.code) || isFinal(error.code)) return error;
  const message = `An earlier attempt may have been carried out, and the last one was refused: ${error.message}`;
  return new StoreOrdersError('outcome_unknown', message, { ...error, cause: error });
}
