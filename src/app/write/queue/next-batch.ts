/** The policy of which requests the next batch takes: a pure function of those that wait. */

import type { Submission } from '../../log/submission.ts';
import { sizeOf, type WaitingRequest } from './waiting-request.ts';

/** The limits of a batch. */
export interface BatchLimits<Request> {
  /** The most commands; the first request is taken in any case. */
  readonly maxCommands: number;
  /** True to take the newest first; normally false. */
  readonly isNewestFirst: boolean;
  /** The contents of the batch before this one. */
  readonly before: Contents;
  /** Returns false for a request that this batch cannot take. */
  readonly mayBeTaken: (request: Request) => boolean;
}

/** The kinds of requests in a batch. */
export interface Contents {
  readonly hasGroup: boolean;
  readonly hasSingles: boolean;
}

/** The rules of a turn, which follow from all requests that wait. */
interface Turn {
  /** Returns what a request shares with those that it must not overtake. */
  readonly subjectOf: (request: WaitingRequest) => unknown;
  /** The most groups in the batch. */
  readonly maxGroups: number;
}

/**
 * Returns the requests that the next batch takes. While there are single commands, that is one group at
 * most, and none if the batch before had one: so a single command waits for one group, however many
 * there are (docs/adr/0037). Whatever concerns an order of a waiting group stays behind that group.
 * @param requests In the order of their arrival.
 */
export function nextBatch<Request extends WaitingRequest>(
  requests: readonly Request[],
  limits: BatchLimits<Request>,
): ReadonlySet<Request> {
  const subjectOf = subjectsAmong(requests);
  const doSinglesWait = requests.some((request) => subjectOf(request) !== GROUPS);
  const maxGroups = maxGroupsOf(limits.before, doSinglesWait);
  const choose = limits.isNewestFirst ? newest : oldest;
  return new Set(choose(requests, limits, { subjectOf, maxGroups }));
}

function maxGroupsOf({ hasGroup, hasSingles }: Contents, doSinglesWait: boolean): number {
  if (hasGroup && doSinglesWait) return 0;
  // The clients of the batch before may be about to send their next commands.
  return doSinglesWait || hasSingles ? 1 : Number.POSITIVE_INFINITY;
}

/** Returns the kinds of requests among some. */
export function contentsOf(requests: Iterable<WaitingRequest>): Contents {
  let [hasGroup, hasSingles] = [false, false];
  for (const request of requests) {
    if (isGroup(request)) hasGroup = true;
    else hasSingles = true;
  }
  return { hasGroup, hasSingles };
}

/** Returns the oldest requests, up to the first that may not be taken. */
function oldest<Request extends WaitingRequest>(
  requests: readonly Request[],
  { maxCommands, mayBeTaken }: BatchLimits<Request>,
  { subjectOf, maxGroups }: Turn,
): readonly Request[] {
  const taken: Request[] = [];
  let left = maxCommands;
  let groups = 0;
  // True behind a group that is not taken.
  let isBehind = false;
  for (const request of requests) {
    isBehind ||= isGroup(request) && ++groups > maxGroups;
    if (isBehind && subjectOf(request) === GROUPS) continue;
    left -= sizeOf(request);
    if ((left < 0 && taken.length > 0) || !mayBeTaken(request)) break;
    taken.push(request);
  }
  return taken;
}

/**
 * Returns the newest requests that may be taken. The place of each goes to the one that has waited for
 * longest on the same subject, so that of each order the first are taken.
 */
function newest<Request extends WaitingRequest>(
  requests: readonly Request[],
  { maxCommands, mayBeTaken }: BatchLimits<Request>,
  { subjectOf, maxGroups }: Turn,
): readonly Request[] {
  const bySubject = Map.groupBy(requests, subjectOf);
  const queues = new Map([...bySubject].map(([subject, its]) => [subject, its.values()]));
  const taken: Request[] = [];
  let left = maxCommands;
  let groups = 0;
  for (let index = requests.length - 1; index >= 0 && left > 0; index--) {
    const subject = subjectOf(requests[index] as Request);
    const { value: first } = queues.get(subject)?.next() ?? {};
    if (first === undefined) continue;
    const isInTurn = !isGroup(first) || ++groups <= maxGroups;
    const fits = sizeOf(first) <= left || taken.length === 0;
    if (isInTurn && fits && mayBeTaken(first)) {
      taken.push(first);
      left -= sizeOf(first);
    } else queues.delete(subject);
  }
  return taken;
}

/** The subject of all groups, and of whatever concerns an order of one. */
const GROUPS = Symbol('groups');

/** Returns a function from a request to what it shares with those that it must not overtake. */
function subjectsAmong(requests: readonly WaitingRequest[]): (request: WaitingRequest) => unknown {
  const groups = requests.filter(isGroup);
  const ofGroups = new Set(groups.flatMap(({ submissions }) => submissions.map(subjectOf)));
  return (request) => {
    const subject = subjectOf(request.submissions[0] as Submission);
    return isGroup(request) || ofGroups.has(subject) ? GROUPS : subject;
  };
}

function isGroup({ submissions: [first] }: WaitingRequest): boolean {
  return first?.group !== undefined;
}

function subjectOf(submission: Submission): unknown {
  const { command, by, idempotencyKey } = submission;
  if (command.type !== 'PlaceNewOrder') return command.orderId;
  return idempotencyKey === undefined ? submission : `${by} ${idempotencyKey}`;
}
