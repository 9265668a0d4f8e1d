/** The options of the client, and of each call. */
import type { StoreOrdersError } from './error.ts';
import type { CancelReason } from './shapes.ts';

/** The options of a client. All but the first two have defaults. */
export interface ClientOptions extends CallOptions, Hooks {
  /** The address of the service, such as `https://orders.example`. `/v1` or `/v2` at its end is ignored. */
  readonly url: string;
  /**
   * An API key, or a function that returns the one in force. It is called for every attempt, and what
   * it throws ends the call.
   */
  readonly key: string | (() => string | Promise<string>);
  /** Sends the requests in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The options of a call; those of the client where absent. */
export interface CallOptions {
  /** Ends the call with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The longest that the call takes, with all requests, attempts and waits; default 60,000. With 0, nothing is sent. */
  readonly timeoutMs?: number | undefined;
  /** The longest that one attempt takes, to the last byte of the answer and with its hooks; default 15,000. */
  readonly attemptTimeoutMs?: number | undefined;
  /** The number of attempts after the first; default 5. */
  readonly retries?: number | undefined;
}

/** The options of a call for a checkpoint, or for a receipt with one in it. */
export interface ProofOptions extends CallOptions {
  /**
   * Asks for cosignatures of a quorum of the log's witnesses. Without them, the code is `not_found`. The client
   * has no policy of witnesses and verifies no cosignature: `store-orders/verifier/witnesses` does.
   */
  readonly witnessed?: boolean | undefined;
}

/** The options of a call that changes something. */
export interface CommandOptions extends CallOptions {
  /** The name under which the command is carried out at most once; default a new random one. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of a call that changes an existing order. */
export interface ChangeOptions extends CommandOptions {
  /** The `etag` of the order: if it has changed since, the code is `precondition_failed`. */
  readonly ifMatch?: string | undefined;
}

/** The reason of a cancellation, beside the options of every change. */
export interface CancelOptions extends ChangeOptions {
  readonly reason?: CancelReason | undefined;
}

/** Functions that are called for each attempt, and awaited. What they throw ends the call. */
export interface Hooks {
  /** Called before an attempt. Headers may be added; the API key is not among them. */
  readonly onRequest?:
    | ((request: AttemptInfo & { readonly headers: Headers }) => unknown)
    | undefined;
  /** Called when an answer has arrived completely, of whatever status. A stream has none that is complete. */
  readonly onResponse?: ((response: ResponseInfo) => unknown) | undefined;
  /** Called before the wait for another attempt. */
  readonly onRetry?: ((retry: RetryInfo) => unknown) | undefined;
}

export interface AttemptInfo {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
}

export interface ResponseInfo extends AttemptInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly durationMs: number;
}

export interface RetryInfo extends AttemptInfo {
  readonly error: StoreOrdersError;
  readonly delayMs: number;
}

export const DEFAULTS = { timeoutMs: 60_000, attemptTimeoutMs: 15_000, retries: 5 };
