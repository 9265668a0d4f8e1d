import type { RecordedEvent } from '../../../src/app/log/recorded-event.ts';
import type { Accepted } from '../../../src/app/log/submission.ts';
import { brokenHistoryRule } from '../../kit/oracle/history.ts';

/** Returns everything in a log that must not be, in words. */
export function wrongInLog(
  events: readonly RecordedEvent[],
  acknowledged: readonly Accepted[],
): readonly string[] {
  const broken = brokenHistoryRule(events.map(({ event }) => event));
  const history = broken === undefined ? [] : [`event ${broken.at + 1}: ${broken.rule}`];
  return [...history, ...wrongNumbers(events), ...repeated(events), ...lost(events, acknowledged)];
}

function wrongNumbers(events: readonly RecordedEvent[]): readonly string[] {
  const versions = new Map<bigint, number>();
  let last = '';
  return events.flatMap(({ position, version, event, metadata: { at } }, index) => {
    const due = (versions.get(event.orderId) ?? 0) + 1;
    versions.set(event.orderId, due);
    const isOlder = at < last;
    last = at;
    return [
      ...(position === index + 1 ? [] : [`event ${index + 1} has position ${position}`]),
      ...(version === due ? [] : [`event ${position} has version ${version}, not ${due}`]),
      ...(isOlder ? [`event ${position} is older than the one before it`] : []),
    ];
  });
}

/** Returns the requests that were carried out twice. */
function repeated(events: readonly RecordedEvent[]): readonly string[] {
  const done = new Set<bigint>();
  return events.flatMap(({ event }) => {
    // Each request that places an order names a pet of its own. What else is done twice has no event.
    if (event.type !== 'OrderPlaced' || done.size < done.add(event.petId).size) return [];
    return [`the order of pet ${event.petId} was placed twice`];
  });
}

/** Returns the acknowledged events that are not where they were said to be. */
function lost(
  events: readonly RecordedEvent[],
  acknowledged: readonly Accepted[],
): readonly string[] {
  return acknowledged.flatMap(({ position, orderId, version }) => {
    const recorded = events[position - 1];
    const isThere = recorded?.event.orderId === orderId && recorded.version === version;
    return isThere ? [] : [`version ${version} of order ${orderId} is not at position ${position}`];
  });
}
