/** The decisions on requests: on one command, on the commands of a group, and on retries. */

import type { Instant } from '../../domain/instant.ts';
import { type OrderCommand, order } from '../../domain/order.ts';
import type { NewEvent } from '../log/recorded-event.ts';
import {
  type Decided,
  fingerprintOf,
  idWithEnd,
  requestsIn,
  type Submission,
} from '../log/submission.ts';
import type { KeptOutcomes, OutcomeName } from '../ports/event-log.ts';
import { DamagedStore } from '../ports/store.ts';
import type { OrderDraft } from './order-draft.ts';

/** Returns the names under which the outcomes of requests with an idempotency key are recorded. */
export function outcomeNamesIn(batch: readonly Submission[]): readonly OutcomeName[] {
  return Array.from(requestsIn(batch)).flatMap(outcomeNames);
}

/**
 * Returns the names of the outcomes of one request: the key, and for each further command of a group
 * the key and a number. No key of a client has a blank in it.
 */
function outcomeNames(request: readonly Submission[]): readonly OutcomeName[] {
  const [{ by, idempotencyKey: key }] = request as [Submission];
  if (key === undefined) return [];
  return request.map((_, index) => ({ by, key: index === 0 ? key : `${key} ${index}` }));
}

/**
 * Decides a request on the draft and adds its events, unless it was decided before under the same
 * idempotency key.
 * @param at The time of its events.
 */
export function decideOnce(
  kept: KeptOutcomes,
  request: readonly Submission[],
  draft: OrderDraft,
  at: Instant,
  events: NewEvent[],
): readonly Decided[] {
  const names = outcomeNames(request);
  const [first] = names;
  if (first === undefined) return decideAll(draft, request, at, events);
  const fingerprint = fingerprintOf(request);
  const before = kept.recall(first.by, first.key);
  if (before === undefined) {
    const decided = decideAll(draft, request, at, events);
    for (const [index, name] of names.entries()) {
      kept.keep({ ...name, fingerprint, decided: decided[index] as Decided });
    }
    return decided;
  }
  return before.fingerprint === fingerprint
    ? names.map(({ by, key }) => (kept.recall(by, key) ?? missing()).decided)
    : request.map(() => ({ kind: 'rejected', reason: 'idempotency_key_reused' }));
}

function missing(): never {
  throw new DamagedStore('an outcome of a group that was recorded is missing');
}

/** Decides the commands of a request one after the other; of an atomic group all or none. */
function decideAll(
  draft: OrderDraft,
  request: readonly Submission[],
  at: Instant,
  events: NewEvent[],
): readonly Decided[] {
  const group = request[0]?.group;
  const decideEach = () =>
    request.map((submission, index) => {
      if (group === undefined) return decide(draft, submission, at, events);
      const commandId = idWithEnd(submission.commandId, group.ends, index);
      return decide(draft, { ...submission, commandId }, at, events);
    });
  if (group?.isAtomic !== true) return decideEach();
  const before = events.length;
  let decided: readonly Decided[] = [];
  const isKept = draft.keepIf(() => {
    decided = decideEach();
    return decided.every(({ kind }) => kind === 'accepted');
  });
  if (isKept) return decided;
  events.length = before;
  return decided.map((each) => (each.kind === 'rejected' ? each : BATCH_REFUSED));
}

const BATCH_REFUSED: Decided = { kind: 'rejected', reason: 'batch_refused' };

/** The commands that are accepted in whatever version of an order, if it is already as they want it. */
const IS_DONE_IN_ANY_VERSION: Readonly<Record<OrderCommand['type'], boolean>> = {
  PlaceOrder: false,
  ShipOrder: false,
  CancelOrder: true,
};

/** Decides a submission on the draft and adds its events. */
function decide(
  draft: OrderDraft,
  { command: submitted, by, commandId, onlyIf, traceparent }: Submission,
  at: Instant,
  events: NewEvent[],
): Decided {
  const command =
    submitted.type === 'PlaceNewOrder'
      ? { ...submitted, type: 'PlaceOrder' as const, orderId: draft.nextOrderId() }
      : submitted;
  const { orderId } = command;
  const decision = order.decide(command, draft.state(orderId));
  if (decision.kind === 'rejected') return decision;
  // A condition only matters where the command would otherwise be carried out (RFC 9110, section
  // 13.2.1). An order that is cancelled already is what its canceller wants, in whatever version.
  const isDone = IS_DONE_IN_ANY_VERSION[command.type] && decision.events.length === 0;
  if (onlyIf !== undefined && !isDone && !onlyIf.includes(draft.version(orderId))) {
    return { kind: 'rejected', reason: 'precondition_failed' };
  }
  for (const event of decision.events) {
    draft.evolve(orderId, order.evolve(draft.state(orderId), event));
    const made = { event, version: draft.version(orderId), metadata: { at, by, commandId } };
    events.push(traceparent === undefined ? made : { ...made, traceparent });
  }
  return { kind: 'accepted', orderId, version: draft.version(orderId) };
}
