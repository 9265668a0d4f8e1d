import type { History, Operation, Place, Request, Row } from '../history/history.ts';
import { asRecorded, type Violation } from './violation.ts';

/** A row, with an operation that showed it. */
export interface Sighting {
  readonly row: Row;
  readonly by: Operation;
}

export interface Assigned {
  /** Returns the id of the order that a request placed, as far as the history shows it. */
  idOf(place: Request): bigint | undefined;
  /** The unanswered requests whose orders no response shows, by their invocation. */
  readonly unclaimed: readonly Operation[];
  readonly violations: readonly Violation[];
}

/**
 * Determines which request placed which order. If the server chose the id, the response has it;
 * without a response, the order is identified by its pet in another response.
 */
export function assignIds(history: History, sightings: readonly Sighting[]): Assigned {
  const ids = new Map<Request, bigint>();
  const placed = new Set<bigint>();
  const byPet = new Map<bigint, Operation>();
  const claim = (place: Place, id: bigint) => {
    ids.set(place, id);
    placed.add(id);
  };
  for (const operation of history) {
    const { request, answer } = operation;
    if (request.kind !== 'place') continue;
    if (request.id !== undefined) claim(request, request.id);
    else {
      if (byPet.has(request.petId)) throw new Error(`pet ${request.petId} was named twice`);
      byPet.set(request.petId, operation);
      if (answer.kind === 'accepted') claim(request, answer.id);
    }
  }
  const violations: Violation[] = [];
  for (const { row, by } of sightings) {
    const place = byPet.get(row.petId);
    const isUnanswered = place?.answer.kind === 'unknown';
    const first = place === undefined ? undefined : ids.get(place.request);
    if (isUnanswered && (first === undefined || first === row.id)) {
      claim(place.request as Place, row.id);
    } else if (!placed.has(row.id)) {
      violations.push(
        first === undefined
          ? nobodys(row.id, by, place)
          : another(row.id, by, place as Operation, first),
      );
      placed.add(row.id);
    }
  }
  const unclaimed = [...byPet.values()]
    .filter(({ request, answer }) => answer.kind === 'unknown' && !ids.has(request))
    .sort((a, b) => a.invoked - b.invoked);
  return { idOf: (place) => ids.get(place), unclaimed, violations };
}

function nobodys(id: bigint, seen: Operation, place: Operation | undefined): Violation {
  const why =
    place === undefined
      ? `nobody asked for an order like order ${id}`
      : `the only request for an order like order ${id} was answered: nothing was done`;
  const evidence = place === undefined ? asRecorded(seen) : asRecorded(place, seen);
  return { rule: 'nobody', orders: [id], evidence, why: [why] };
}

function another(id: bigint, seen: Operation, place: Operation, first: bigint): Violation {
  const why = `the one request for an order of this pet has placed order ${first}, and order ${id}`;
  return { rule: 'twice', orders: [first, id], evidence: asRecorded(place, seen), why: [why] };
}
