import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** Until when an operation is still there, and what to use instead. */
export interface Deprecation {
  /** The day from which on it should not be used in anything new: `YYYY-MM-DD`, in UTC. */
  readonly since: string;
  /** The last day on which it answers: `YYYY-MM-DD`, in UTC. */
  readonly sunset: string;
  /** A sentence for those who use it. */
  readonly instead: string;
  /** Where it is explained: an address on this server. */
  readonly explainedAt: string;
}

/**
 * Tells whoever uses the operation that it will end (RFC 9745, RFC 8594), and, once it has, answers
 * 410 to everything.
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

/** The last second of the last day, in milliseconds since 1970. */
function endOf({ sunset }: Deprecation): number {
  return Date.parse(`${sunset}T23:59:59Z`);
}
