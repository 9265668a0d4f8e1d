/** One attempt at a request: sends it once, and tells an answer of the API from all that goes wrong. */

import { type Body, bodyIn, textOf } from './body.ts';
import { called } from './callers.ts';
import { type ClientCode, StoreOrdersError, serverCodeOf } from './error.ts';
import { membersIn } from './exact-json.ts';
import { given } from './given.ts';
import type { Limit } from './limit.ts';
import type { ClientOptions } from './options.ts';
import { retryAfterOf } from './retry-policy.ts';
import type { BatchResult } from './shapes.ts';
import { isResults } from './values.ts';

/** Many times the longest page, batch or receipt. A longer answer is one of something else, perhaps without an end. */
const MAX_ANSWER_CHARACTERS = 16 * 2 ** 20;

/** The requests of one call. */
interface SentRequests {
  /** The number of those that were sent. */
  count: number;
}

/** A request as it is sent. */
export interface Attempt {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The requests of its call: shared by all attempts, because one may end before its request is sent. */
  readonly requests: SentRequests;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** JSON text. */
  readonly body?: string | undefined;
  /** The longest answer that is a success, in characters; {@link MAX_ANSWER_CHARACTERS} if absent. */
  readonly maxCharacters?: number | undefined;
  /** Of a command: the name under which it is carried out at most once. */
  readonly idempotencyKey: string | undefined;
}

/** The members of a request that its errors have. */
type Named = Pick<Attempt, 'requests' | 'method' | 'url' | 'idempotencyKey'>;

/** An answer that is a success. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The number of requests that were sent, the first one included. */
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
}

/** Sends a request once and reads the answer. Throws a {@link StoreOrdersError} unless it is a success. */
export async function exchange(
  options: ClientOptions,
  request: Attempt,
  limit: Limit,
): Promise<Answer> {
  const response = await respond(options, request, limit);
  const answer = await answerIn(options, request, limit, response);
  if (response.ok || response.status === 304) return answer;
  throw refusalIn(answer, request);
}

/** Reads the rest of an answer, and reports it as complete. */
export async function answerIn(
  options: ClientOptions,
  request: Attempt,
  limit: Limit,
  response: Response,
): Promise<Answer> {
  const text = await bodyText(response, request, limit);
  const { status, headers } = response;
  const { attempt, requests, method, url, idempotencyKey } = request;
  const durationMs = performance.now() - limit.begun;
  const info = { attempt, method, url, status, headers, durationMs };
  await fromCaller(() => options.onResponse?.(info), request, limit);
  return { status, headers, text, attempts: requests.count, idempotencyKey };
}

/** Sends a request once, and returns the response as soon as its head has arrived. */
export async function respond(
  options: ClientOptions,
  request: Attempt,
  limit: Limit,
): Promise<Response> {
  const { attempt, requests, method, url, body, idempotencyKey } = request;
  const { key, fetch = globalThis.fetch } = options;
  const headers = headersOf(request);
  await fromCaller(() => options.onRequest?.({ attempt, method, url, headers }), request, limit);
  const secret = typeof key === 'string' ? key : await fromCaller(key, request, limit);
  authorize(headers, secret, requests.count);
  // A redirect would turn a POST into a GET, and could lead to a server that is not meant to have the key.
  const init = { method, headers, signal: limit.signal, redirect: 'manual' } as const;
  const send = () => {
    requests.count += 1;
    return fetch(url, body === undefined ? init : { ...init, body });
  };
  const response = await orFailure(send, request, limit);
  if (isResponse(response)) return response;
  const message = `${method} ${url}: the fetch has returned no Response`;
  const details = { attempts: requests.count, idempotencyKey };
  throw new StoreOrdersError('unexpected_response', message, details);

  function headersOf({ headers: own }: Attempt): Headers {
    const all = {
      ...own,
      'Content-Type': body === undefined ? undefined : 'application/json',
      'Idempotency-Key': idempotencyKey,
    };
    try {
      return new Headers(given(all) as Record<string, string>);
    } catch (cause) {
      const message = `a header is not valid: ${(cause as Error).message}`;
      throw new StoreOrdersError('invalid_request', message, { cause });
    }
  }
}

/** Returns whether a value has the parts of a response that are used, and none of them throws. */
function isResponse(value: Response): boolean {
  try {
    bodyIn(value);
    value.headers.get('Content-Type');
    return typeof value.status === 'number';
  } catch {
    return false;
  }
}

/** Calls a function of the caller within the limit. What it throws is passed on as it is. */
export async function fromCaller<Result>(
  call: () => Result | Promise<Result>,
  request: Named,
  limit: Limit,
): Promise<Result> {
  const [outcome] = await orFailure(() => Promise.allSettled([called(call)]), request, limit);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Adds the API key. The error of `Headers` for a bad value is dropped, because it quotes the key. */
function authorize(headers: Headers, key: unknown, attempts: number): void {
  let problem = 'its function has returned no text';
  if (typeof key === 'string') {
    try {
      headers.set('Authorization', `Bearer ${key}`);
      return;
    } catch {
      problem = 'it has a character that no API key has';
    }
  }
  throw new StoreOrdersError('unauthorized', `key: ${problem}`, { attempts });
}

/** Returns the text of an answer. Throws `unexpected_response` if it is too long: then the rest is not read. */
async function bodyText(response: Response, request: Attempt, limit: Limit): Promise<string> {
  const { status, ok } = response;
  const body = bodyIn(response);
  // Not every implementation of `fetch` has the body as a stream.
  if (body === undefined) return orFailure(() => response.text(), request, limit);
  const { requests, method, url, idempotencyKey, maxCharacters = MAX_ANSWER_CHARACTERS } = request;
  const max = ok ? maxCharacters : MAX_ANSWER_CHARACTERS;
  let text = '';
  for await (const piece of piecesOf(body, request, limit)) {
    text += piece;
    if (text.length > max) {
      const message = `${method} ${url}: ${status} with more than ${max} characters, which is too long`;
      const details = { status, attempts: requests.count, idempotencyKey };
      throw new StoreOrdersError('unexpected_response', message, details);
    }
  }
  return text;
}

/** Returns the text of a body as it arrives. */
export async function* piecesOf(
  body: Body,
  request: Attempt,
  limit: Limit,
): AsyncGenerator<string> {
  const pieces = textOf(body);
  for (;;) {
    const { done, value } = await orFailure(() => pieces.next(), request, limit);
    if (done) return;
    yield value;
  }
}

/** Carries out a part of a request. Throws `network`, `timeout` or `aborted` if it fails. */
async function orFailure<Part>(
  part: () => Promise<Part>,
  request: Named,
  limit: Limit,
): Promise<Part> {
  try {
    return await limit.within(part);
  } catch (error) {
    throw failureOf(error, request, limit);
  }
}

/** Returns the error for an attempt that has ended without an answer: `network`, `timeout` or `aborted`. */
function failureOf(
  cause: unknown,
  { requests, method, url, idempotencyKey }: Named,
  limit: Limit,
): StoreOrdersError {
  const attempts = requests.count;
  const ended = (code: ClientCode, reason: string, cause: unknown) =>
    new StoreOrdersError(code, `${method} ${url}: ${reason}`, { attempts, idempotencyKey, cause });
  if (limit.isAborted) return ended('aborted', 'aborted', limit.outer?.reason);
  if (limit.isTimedOut) return ended('timeout', 'no answer in time', cause);
  return ended('network', reasonOf(cause), cause);
}

/** Returns the error for an answer that is no success. */
export function refusalIn(
  { status, headers, text }: Pick<Answer, 'status' | 'headers' | 'text'>,
  { requests, method, url, idempotencyKey }: Attempt,
): StoreOrdersError {
  const { code, message, results } = membersIn(text);
  const said = typeof message === 'string' ? message : '';
  const isOther = status < 400 || said === '' || !(results === undefined || isResults(results));
  const known = isOther ? undefined : serverCodeOf(code);
  const other = `${method} ${url}: ${status}${said && ` ${said}`}, which is no answer of this API`;
  return new StoreOrdersError(known ?? 'unexpected_response', known === undefined ? other : said, {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: retryAfterOf(headers),
    attempts: requests.count,
    idempotencyKey,
    results: isOther ? undefined : (results as readonly BatchResult[]),
  });
}

/**
 * Returns the reason in a few words. Node.js has it in the cause of "fetch failed"; of TLS in parts, because
 * the message of OpenSSL has the lines of its source in it.
 */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error);
  const { message: deeper, code, library, reason } = Object(cause);
  return String((library && `${library}: ${reason}`) || deeper || code || message || error);
}
