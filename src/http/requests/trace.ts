/** The ids that clients give to requests: of their trace, and one of their own. */
import type { IncomingHttpHeaders } from 'node:http';

/** The ids that a client has sent with a request, each if it is well-formed. */
export interface ClientIds {
  /** The four fields of a `traceparent`, without those that a later version may add. */
  readonly traceparent?: string | undefined;
  readonly traceId?: string | undefined;
  /** The id of the client's span, of which the request is a child. */
  readonly parentSpanId?: string | undefined;
  /** The flags of the client's span: 1 if it is sampled. */
  readonly traceFlags?: number | undefined;
  readonly clientRequestId?: string | undefined;
}

/**
 * `traceparent` of W3C Trace Context, section 3.2: version 00 exactly, and of a later version the
 * same four fields at its beginning. Ids of zeros alone are invalid, and so is version ff.
 */
const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const TRACEPARENT_LENGTH = 55;

/** Words of letters and digits, such as a UUID: as in every text of clients, no run of 16. */
const PLAIN_ID = /^[A-Za-z\d]{1,15}(?:[-_.:][A-Za-z\d]{1,15}){0,7}$/;
const HIDDEN = '…';

const NONE: ClientIds = {};

/** Returns the ids of a request for its log line. An X-Request-Id that is not plain becomes `…`. */
export function clientIdsIn({
  traceparent,
  'x-request-id': requestId,
}: IncomingHttpHeaders): ClientIds {
  if (traceparent === undefined && requestId === undefined) return NONE;
  const [text, traceId, parentSpanId, flags] = parsedTrace(String(traceparent ?? ''));
  const clientRequestId = requestId === undefined ? undefined : shownId(String(requestId));
  const traceFlags = flags === undefined ? undefined : Number.parseInt(flags, 16);
  const fields = text?.slice(0, TRACEPARENT_LENGTH);
  return { traceparent: fields, traceId, parentSpanId, traceFlags, clientRequestId };
}

function shownId(text: string): string {
  return PLAIN_ID.test(text) ? text : HIDDEN;
}

function parsedTrace(text: string): readonly string[] {
  if (text.startsWith('00') && text.length !== TRACEPARENT_LENGTH) return [];
  return TRACEPARENT.exec(text) ?? [];
}
