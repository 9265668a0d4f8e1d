/** The errors of the API: the closed list of their codes, and the exception that carries one. */
import { withoutLongRuns } from '../app/secrets.ts';

/**
 * All error codes of this API, each with its HTTP status and its default message. The list is
 * closed: clients may switch over it.
 *
 * The reasons of rejected commands are codes of this list, so this is also the one table from
 * outcomes to statuses.
 */
export const ERRORS = {
  invalid_request: [400, 'The request is not valid.'],
  unauthorized: [401, 'A valid API key is needed: send it as "Authorization: Bearer <API_KEY>".'],
  insufficient_scope: [403, 'The API key may not do this.'],
  not_found: [404, 'There is nothing at this address.'],
  order_not_found: [404, 'There is no order with this id.'],
  method_not_allowed: [405, 'This address does not know this method.'],
  order_exists: [409, 'An order with this id exists already.'],
  order_already_shipped: [409, 'The order has already shipped.'],
  order_cancelled: [409, 'The order is cancelled.'],
  batch_refused: [
    409,
    'Nothing was changed: another item of the batch was refused, and it is atomic.',
  ],
  gone: [410, 'This has ended.'],
  precondition_failed: [412, 'The order has changed since the version that If-Match names.'],
  payload_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'The request body must be application/json.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request.'],
  rate_limited: [
    429,
    'Too many requests of this API key, or without a valid one from this address. Try again after Retry-After.',
  ],
  internal_error: [500, 'Something went wrong on our side. The request id finds it in the log.'],
  service_unavailable: [503, 'Nothing was changed. Try again in a moment.'],
  outcome_unknown: [
    503,
    'It may or may not have been done. Send it again, to place an order with its Idempotency-Key.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The longest message, in characters: it may repeat text of a client. */
export const MAX_MESSAGE = 1_000;

/** Thrown to refuse a request; one error handler sends it as the response. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code][1],
    status: number = ERRORS[code][0],
  ) {
    // Nobody reads the stack of a refusal, and to take it is most of what a refusal costs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    // The messages of the table contain no text of clients.
    super(message === ERRORS[code][1] ? message : shortened(withoutLongRuns(message)));
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.status = status;
  }

  /** Returns the Error object of the contract as JSON. */
  toBody(): string {
    const { code, message, status } = this;
    return JSON.stringify({ code, message, status });
  }
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}
