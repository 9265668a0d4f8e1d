import type { Response } from 'express';
import { withoutLongRuns } from '../app/secrets.ts';
import type { Accepted, Outcome } from '../app/submission.ts';
import { JSON_UTF_8 } from './negotiation.ts';

/**
 * Every code that an Error of this API can have, with its HTTP status and what it says unless
 * there is something better to say. The list is closed: clients may switch over it.
 *
 * A rejection's reason is a code of this list, so this is also the one table from the outcome of
 * a command to the status of an answer.
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
  gone: [410, 'This has ended.'],
  precondition_failed: [412, 'The order has changed since the version that If-Match names.'],
  payload_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'The request body must be application/json.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request.'],
  rate_limited: [
    429,
    'Too many requests without a valid API key have come from this address. Those with one are served.',
  ],
  internal_error: [500, 'Something went wrong on our side. The request id finds it in the log.'],
  service_unavailable: [503, 'Nothing was changed. Try again in a moment.'],
  outcome_unknown: [
    503,
    'It may or may not have been done. Send it again, to place an order with its Idempotency-Key.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The most characters that a message has: it may repeat what a client has sent. */
export const MAX_MESSAGE = 1_000;

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}

/** An answer other than success, on its way to the one place that sends it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code][1],
    status: number = ERRORS[code][0],
  ) {
    // Our own words have nothing in them that would have to be taken out.
    super(message === ERRORS[code][1] ? message : shortened(withoutLongRuns(message)));
    this.code = code;
    this.status = status;
  }

  /** The Error object of the contract, as JSON text. */
  toBody(): string {
    const { code, message, status } = this;
    return JSON.stringify({ code, message, status });
  }
}

/** The headers that every Error has with its body. No cache may answer with one later. */
export function errorHeaders(body: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Type': JSON_UTF_8,
    'Content-Length': String(Buffer.byteLength(body)),
  };
}

/** What a success may have said of itself before it turned out to be none. */
const HEADERS_OF_SUCCESS = ['Content-Encoding', 'ETag', 'Location'];

/**
 * Sends an Error object, on whatever answer has not been begun yet. Nothing of Express is needed, so
 * that a request can be refused before it comes there.
 */
export function sendError(res: Response, error: ApiError): void {
  res.locals.outcome = error.code;
  if (error.status === 503) res.setHeader('Retry-After', '1');
  res.statusCode = error.status;
  for (const name of HEADERS_OF_SUCCESS) res.removeHeader(name);
  const body = error.toBody();
  for (const [name, value] of Object.entries(errorHeaders(body))) res.setHeader(name, value);
  res.end(body);
}

/** What became of a command, as an exception to success: throws unless it was accepted. */
export function orThrow(outcome: Outcome): Accepted {
  switch (outcome.kind) {
    case 'accepted':
      return outcome;
    case 'rejected':
      throw new ApiError(outcome.reason);
    case 'unavailable':
      throw new ApiError('service_unavailable');
    case 'unknown':
      throw new ApiError('outcome_unknown');
  }
}
