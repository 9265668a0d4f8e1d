/** Commands as they enter the write side, with their authors, and their outcomes. */

import { hash, randomBytes } from 'node:crypto';
import type { CancelOrder, PlaceOrder, Rejection, ShipOrder } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';

/** A request to place an order whose id the service chooses. */
export type PlaceNewOrder = Omit<PlaceOrder, 'type' | 'orderId'> & {
  readonly type: 'PlaceNewOrder';
};

/** The progress of a command, noted for its sender. */
export interface Progress {
  /** The elapsed time in milliseconds at which it left the queue, in a batch; 0 before. */
  sentAtMs: number;
}

/** A command on its way to the decision, with its author and its id. */
export interface Submission {
  readonly command: PlaceNewOrder | PlaceOrder | ShipOrder | CancelOrder;
  /** See {@link Metadata.by}. */
  readonly by: string;
  /** See {@link Metadata.commandId}. */
  readonly commandId: string;
  /** A name given by `by`: a repetition under it gets the same outcome, whatever came between. */
  readonly idempotencyKey?: string | undefined;
  /** The versions of the order on which the command may be carried out; on any if absent. */
  readonly onlyIf?: readonly number[] | undefined;
  /** See {@link NewEvent.traceparent}. */
  readonly traceparent?: string | undefined;
  /** The time at which it left the queue. Not a part of the command. */
  readonly progress?: Progress;
  /** Set in the first submission of a group: the next ones belong to it. */
  readonly group?: Group | undefined;
}

/**
 * Submissions of one request. They stand one behind the other in one batch, are decided with nothing
 * between, recorded in one transaction, and kept under the idempotency key of the first.
 */
export interface Group {
  /** The number of submissions, 1 to {@link MAX_GROUP_COMMANDS}. */
  readonly size: number;
  /** True if all of them are to be refused where any is. */
  readonly isAtomic: boolean;
  /** See {@link randomEnds}. */
  readonly ends: string;
}

/** The most commands of one request, half of what a batch takes, so that two fit into one. */
export const MAX_GROUP_COMMANDS = 500;

/**
 * Returns the submissions of commands that are one request, as one group.
 * @param ends As many as there are commands: see {@link randomEnds}.
 */
export function groupOf(
  commands: readonly Submission['command'][],
  shared: Omit<Submission, 'command' | 'group' | 'onlyIf'>,
  isAtomic: boolean,
  ends = randomEnds(commands.length),
): readonly Submission[] {
  const { by, commandId, traceparent } = shared;
  const size = commands.length;
  return commands.map((command, index) =>
    index === 0
      ? { ...shared, command, group: { size, isAtomic, ends } }
      : { command, by, commandId, traceparent },
  );
}

const END_BYTES = 8;

/** The delimiter between the id that several commands share and the end of each. */
export const ID_END = ':';

/**
 * Returns random texts, which end the ids of commands that come together. The hash of an event is
 * public where tiles are: whoever knows one of these events could otherwise guess the others, and
 * find them by their hashes. To draw many at once takes hardly longer than to draw one, 3 µs.
 */
export function randomEnds(count: number): string {
  return randomBytes(END_BYTES * count).toString('hex');
}

/** Returns the id of one of several commands: the id that they share, and an end of its own. */
export function idWithEnd(shared: string, ends: string, index: number): string {
  return `${shared}${ID_END}${endsFrom(ends, index, 1)}`;
}

/** Returns some of such texts, from an index on. */
export function endsFrom(ends: string, index: number, count: number): string {
  const length = 2 * END_BYTES;
  return ends.slice(index * length, (index + count) * length);
}

/** Yields the submissions of each request in a batch: of most one, or those of a group. */
export function* requestsIn(batch: readonly Submission[]): Iterable<readonly Submission[]> {
  for (let at = 0; at < batch.length; ) {
    const end = at + (batch[at]?.group?.size ?? 1);
    yield batch.slice(at, end);
    at = end;
  }
}

/** The reason for refusing a submission. The names are the API's error codes, too. */
export type Refusal =
  | Rejection
  | 'precondition_failed'
  | 'idempotency_key_reused'
  /** Refused because another command of its atomic group was refused. */
  | 'batch_refused';

/** The decision of the write side on a submission. */
export type Decided =
  /** The requested state is durable: by new events, or because it was so already. */
  | { readonly kind: 'accepted'; readonly orderId: OrderId; readonly version: number }
  /** The order's state or a condition of the submission forbids it. No event was recorded. */
  | { readonly kind: 'rejected'; readonly reason: Refusal };

/** An accepted submission, with the position of the event that brought the order to its version. */
export type Accepted = Extract<Decided, { kind: 'accepted' }> & { readonly position: number };

/** The result of a submission. */
export type Outcome =
  | Accepted
  | Extract<Decided, { kind: 'rejected' }>
  /** Nothing was recorded, for a transient reason. The cause is for log lines, not for clients. */
  | { readonly kind: 'unavailable'; readonly cause: string }
  /** It may or may not have been recorded. The same command can safely be sent again. */
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * Returns a hash of a request's commands and conditions, regardless of its author: the same for
 * equal requests, and another for any other.
 */
export function fingerprintOf(request: readonly Submission[]): string {
  const [{ group }] = request as [Submission];
  const { size, isAtomic } = group ?? {};
  const commands = request.map(membersOf);
  const text = JSON.stringify(
    group === undefined ? commands[0] : [{ size, isAtomic }, ...commands],
    (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  return hash('sha256', text, 'base64url');
}

function membersOf({ command, onlyIf }: Submission) {
  return Object.entries({ ...command, onlyIf })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
