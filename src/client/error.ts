/** The errors of the client: the closed list of their codes, and the one class that carries one. */
import { given } from './given.ts';
import type { BatchResult } from './shapes.ts';

/** The codes of the API's Error objects. The table in docs/api.md has the same, with what to do. */
const SERVER_CODES = [
  'invalid_request',
  'unauthorized',
  'insufficient_scope',
  'not_found',
  'order_not_found',
  'method_not_allowed',
  'order_exists',
  'order_already_shipped',
  'order_cancelled',
  'batch_refused',
  'gone',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'outcome_unknown',
] as const;

/** A code that the service has answered with. */
export type ServerCode = (typeof SERVER_CODES)[number];

/**
 * A code of the client's own: there was no answer (`network`, `timeout`), it was no longer wanted
 * (`aborted`), or it was none of this API, but for instance of a proxy (`unexpected_response`).
 */
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected_response';

/** Every code that a {@link StoreOrdersError} can have. The list is closed: switch over it. */
export type ErrorCode = ServerCode | ClientCode;

/** Everything that is known of a failure, beside its code and message. */
export interface ErrorDetails {
  /** The HTTP status, if there was an answer. */
  readonly status?: number | undefined;
  /** The answer's `X-Request-Id`, by which the service's operator finds the request in the log. */
  readonly requestId?: string | undefined;
  /** The time after which the service invites to try again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The number of requests that were sent, the first one included. */
  readonly attempts?: number | undefined;
  /** Of a command: the key under which it can be repeated without being carried out twice. */
  readonly idempotencyKey?: string | undefined;
  /** Of an atomic batch that was refused: the outcomes of its items. */
  readonly results?: readonly BatchResult[] | undefined;
  readonly cause?: unknown;
}

/** The one class of errors that the methods of the client reject with. */
export class StoreOrdersError extends Error implements ErrorDetails {
  override readonly name = 'StoreOrdersError';
  readonly code: ErrorCode;
  /**
   * The number of requests that were sent, the first one included; of an update, those of its last step. With 0,
   * a single command was not carried out.
   */
  readonly attempts: number;
  declare readonly status?: ErrorDetails['status'];
  declare readonly requestId?: ErrorDetails['requestId'];
  declare readonly retryAfterMs?: ErrorDetails['retryAfterMs'];
  declare readonly idempotencyKey?: ErrorDetails['idempotencyKey'];
  declare readonly results?: ErrorDetails['results'];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { attempts = 0, cause, ...rest } = details;
    super(message, given({ cause }));
    Object.assign(this, given(rest));
    // The details may be another error, whose code is not this one's.
    this.code = code;
    this.attempts = attempts;
  }

  /** Returns the error as JSON has it: with the message, which JSON.stringify leaves out of other errors. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** Returns a code of the API's closed list. Any other text is the code of something else. */
export function serverCodeOf(code: unknown): ServerCode | undefined {
  return SERVER_CODES.find((each) => each === code);
}
