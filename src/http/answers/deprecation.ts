/** Deprecation: an operation announces its end in each answer, and is gone after it. */
import type { RequestHandler } from 'express';
import { ApiError } from '../api-error.ts';

/** The announced end of an operation. */
export interface Deprecation {
  /** The day from which on it should not be used in anything new: `YYYY-MM-DD`, in UTC. */
  readonly since: string;
  /** The last day on which it answers: `YYYY-MM-DD`, in UTC. */
  readonly sunset: string;
  /** A sentence for those who use it. */
  readonly instead: string;
  /** The address of the explanation, on this server. */
  readonly explainedAt: string;
}

/**
 * Returns a handler that announces the end of an operation in each of its answers (RFC 9745, RFC 8594),
 * and, from then on, answers 410.
 */
export function announce(deprecation: Deprecation, now: () => number): RequestHandler {
  const end = endOf(deprecation);
  const { explainedAt } = deprecation;
  const headers = {
    Deprecation: `@${Date.parse(deprecation.since) / 1_000}`,
    Sunset: new Date(end).toUTCString(),
    Link: `<${explainedAt}>; rel="deprecation", <${explainedAt}>; rel="sunset"`,
  };
  return (_req, res, next) => {
    res.set(headers);
    if (now() > end)
      throw new ApiError('gone', `It ended on ${deprecation.sunset}. ${deprecation.instead}`);
    next();
  };
}

/** Returns the last second of the last day, in milliseconds since 1970. */
function endOf({ sunset }: Deprecation): number {
  return Date.parse(`${sunset}T23:59:59Z`);
}
