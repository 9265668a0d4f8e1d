/**
 * Connections whose client has closed its sending side while it has answers to come. It may only have
 * no further request, and read on, or it may have gone: to a server, TCP shows both alike until it
 * sends something. A client that reads discards an interim response (RFC 9110, section 15.2.1); the
 * system of one that has gone resets the connection, which ends at the next thing sent. So the command
 * of a client that has gone is dropped while it waits, and that of one that reads is answered.
 */
import type { Connection } from './connections.ts';
import { lastAnswerOn } from './in-turn.ts';

/**
 * The time to the first interim response, in milliseconds; each later one takes twice as long as the one
 * before. Most answers come earlier, so few clients get one.
 */
const FIRST_PROBE_MS = 20;

/** Must be called when a client has closed its sending side. Node closes behind the last answer. */
export function serveHalfClosed(connection: Connection): void {
  const last = lastAnswerOn(connection);
  if (last === undefined) return;
  last.shouldKeepAlive = false;
  probeAfter(connection, FIRST_PROBE_MS);
}

function probeAfter(connection: Connection, delayMs: number): void {
  const probe = () => {
    const { answer, destroyed } = connection;
    if (answer === undefined || destroyed) return;
    // An answer that has begun shows it itself. HTTP/1.0 has no interim responses (section 15.2).
    if (!answer.headersSent && answer.req.httpVersion === '1.1') answer.writeContinue();
    probeAfter(connection, 2 * delayMs);
  };
  setTimeout(probe, delayMs).unref();
}
