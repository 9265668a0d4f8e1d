/** The requests of a connection, which are carried out one after another. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Connection } from './connections.ts';
import type { App } from './exact-express.ts';
import type { Health } from './health.ts';
import { cutOff } from './request-context.ts';
import { ALL_BODIES, type Arriving, Budget, hasBody, Intake, intakeOf } from './requests/intake.ts';

/** The requests that may wait behind another on their connection. */
const MAX_WAITING_REQUESTS = 32;
/** The bytes of their bodies together. */
const MAX_WAITING_BYTES = 131_072;

/**
 * Returns a listener for requests that answers those of one connection one after another. Node
 * begins all that have arrived at once: that is wrong for commands (RFC 9112, section 9.3.2), and
 * would let one connection occupy the service as much as hundreds.
 */
export function oneByOne(
  app: App,
  health: Health,
): (req: IncomingMessage, res: ServerResponse) => void {
  const begin = (res: ServerResponse) => {
    const { req } = res;
    // Noted on the connection, not in a Set of answers: one that thousands of answers a second
    // enter and leave would drag all of them into the garbage collector's old generation.
    const connection: Connection = req.socket;
    connection.answer = res;
    res.on('close', () => {
      (req as Arriving).intake?.release();
      connection.answer = undefined;
      const next = connection.waiting?.shift();
      // RFC 9112, section 9.6: requests after the last response are not carried out.
      if (next !== undefined && res.shouldKeepAlive && !connection.destroyed) begin(next);
    });
    if (hasBody(req)) intakeOf(req).begin();
    // After an offer to upgrade, which is never taken, Node reads no other request.
    if (health.isGoing || req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    app(req, res);
  };
  return (req, res) => {
    const connection: Connection = req.socket;
    if (connection.isClosing) {
      if (hasBody(req)) intakeOf(req).discard(0, () => {});
      return;
    }
    connection.request = req;
    if (connection.answer === undefined) begin(res);
    else waitInTurn(connection, res);
  };
}

/** Lets a request wait for the end of those before it. Cuts off a client that sends too many. */
function waitInTurn(connection: Connection, res: ServerResponse): void {
  connection.waiting ??= [];
  if (hasBody(res.req)) takeInTurn(connection, res.req);
  if (connection.waiting.push(res) <= MAX_WAITING_REQUESTS) return;
  connection.isClosing = true;
  const { req } = connection.answer as Response;
  cutOff(req, 'the client sent too many requests without waiting for their answers');
}

/** Takes in a body before the turn of its request, within the budget of its connection. */
function takeInTurn(connection: Connection, req: Arriving): void {
  if (connection.waitingBodies === undefined) {
    const bodies = new Budget(MAX_WAITING_BYTES, ALL_BODIES);
    connection.waitingBodies = bodies;
    connection.once('close', () => bodies.close());
  }
  req.intake = new Intake(req, connection.waitingBodies, 0);
}

/** Returns the answer to the last request that was read; undefined if every answer is complete. */
export function lastAnswerOn({ answer, waiting }: Connection): ServerResponse | undefined {
  return waiting?.at(-1) ?? answer;
}

/** Calls a function when every response on a connection is complete. */
export function afterLast(connection: Connection, then: () => void): void {
  const last = lastAnswerOn(connection);
  if (last === undefined) then();
  else last.once('close', then);
}
