/** The two places in which a log is published: a server, and a folder. */

import { join } from 'node:path';
import { bodyOf, causeOf } from '../../app/outgoing.ts';
import { LogAway, type PublishedFile, type PublishedLog } from '../../app/ports/published-log.ts';
import { Limit, pause } from '../../client/limit.ts';
import { delayAfter, retryAfterOf } from '../../client/retry-policy.ts';
import { readBounded, TooLong } from '../../infra/process/small-file.ts';
import { clauseOf, visible } from './print.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_MS = 10_000;
const MAX_REASON_BYTES = 1_000;

/** Statuses after which the same request may have another answer, besides those from 500 on. */
const PASSING: readonly number[] = [408, 429];

/** The media type of no file of a log, but of what proxies and portals answer in its place. */
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

/** A log on a server. Only the given address is asked: no redirect is followed. */
export class LogOnServer implements PublishedLog {
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(address: string, key: string | undefined, signal: AbortSignal) {
    this.#address = address.replace(/\/+$/, '');
    this.#headers = {
      'User-Agent': 'store-orders',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    };
    this.#signal = signal;
  }

  async read(path: string, maxBytes: number): Promise<PublishedFile> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(path, maxBytes);
      this.#signal.throwIfAborted();
      if (!('failure' in answer)) return answer;
      if (attempt === MAX_ATTEMPTS || answer.failure.isRefused) throw answer.failure;
      await pause(delayAfter(attempt, answer.retryAfterMs), this.#signal);
    }
  }

  async #attempt(path: string, maxBytes: number) {
    const limit = new Limit(this.#signal);
    limit.start(REQUEST_TIMEOUT_MS);
    const failed = (problem: string, isRefused = false, retryAfterMs = 0) => {
      return { failure: new LogAway(`${path}: ${problem}`, isRefused), retryAfterMs };
    };
    try {
      const response = await fetch(`${this.#address}/${path}`, {
        headers: this.#headers,
        redirect: 'manual',
        signal: limit.signal,
      });
      const { status, headers } = response;
      // No other status brings the file as a whole: portals answer 204.
      if (status === 200) {
        if (HTML.test(headers.get('content-type') ?? '')) {
          return failed('the answer is a page for people, perhaps of a proxy', true);
        }
        const bytes = await bodyOf(response, maxBytes);
        if (bytes !== undefined) return { bytes };
        return failed(`the answer has more than ${maxBytes} bytes`, true);
      }
      const reason = `status ${status}${reasonIn(await bodyOf(response, MAX_REASON_BYTES))}`;
      if (status === 404 || status === 410) return { absent: reason };
      const isPassing = status >= 500 || PASSING.includes(status);
      return failed(reason, !isPassing, Math.min(MAX_RETRY_AFTER_MS, retryAfterOf(headers) ?? 0));
    } catch (error) {
      const late = `no answer in ${REQUEST_TIMEOUT_MS / 1_000} s`;
      return failed(limit.isTimedOut ? late : causeOf(error));
    } finally {
      limit.end();
    }
  }
}

/** Returns the message in a refusal as a clause, to be shown behind its status. */
function reasonIn(body: Buffer | undefined): string {
  let message: unknown;
  try {
    message = Object(JSON.parse(String(body))).message;
  } catch {
    return '';
  }
  return typeof message === 'string' ? `: ${clauseOf(visible(message))}` : '';
}

/** A log in a folder, as `audit tiles` writes it. */
export class LogInFolder implements PublishedLog {
  readonly #folder: string;
  readonly #signal: AbortSignal;

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  async read(path: string, maxBytes: number): Promise<PublishedFile> {
    this.#signal.throwIfAborted();
    const name = join(this.#folder, path);
    try {
      return { bytes: readBounded(name, maxBytes) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { absent: 'no such file' };
      throw new LogAway(`${name}: ${message}`, error instanceof TooLong);
    }
  }
}
