/** Deprecation: an operation announces its end in each response, and answers 410 after it. */
import type { RequestHandler } from 'express';
import { ApiError } from '../api-error.ts';

/** The announced end of an operation. */
export interface Deprecation {
  /** The day from which it should not be used in new clients: `YYYY-MM-DD`, in UTC. */
  readonly since: string;
  /** The last day on which it is served: `YYYY-MM-DD`, in UTC. */
  readonly sunset: string;
  /** A sentence for its users on what to use instead. */
  readonly instead: string;
  /** The path of the explanation on this server. */
  readonly explainedAt: string;
}

/**
 * Returns a handler that announces the end of an operation in each of its responses (RFC 9745, RFC
 * 8594), and answers 410 after it.
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
