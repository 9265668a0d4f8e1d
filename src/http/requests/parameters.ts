/** The parameters shared by paths and queries. */
import { z } from 'zod';
import type { Epochs, Place } from '../../app/log/epochs.ts';
import { ApiError } from '../api-error.ts';
import {
  booleanText,
  countText,
  orderIdText,
  orderIdTextV2,
  petIdText,
  placeText,
  positionText,
} from './values.ts';

const NO_INT64 = 'What is no integer of 64 bits, in plain decimal: 400 `invalid_request`.';
const OTHERWISE = 'Anything else, or more than one: 400 `invalid_request`.';
const BEYOND = 'Anything else, more than one, or more than the log has: 400 `invalid_request`.';

/** The only parser of order ids that clients send. */
export const OrderPath = z.object({
  orderId: orderIdText.describe(`The id of the order. ${NO_INT64}`),
});

/** The path of an order in version 2. */
export const OrderPathV2 = z.object({
  orderId: orderIdTextV2.describe(`The id of the order. ${NO_INT64}`),
});

export const PetPath = z.object({
  petId: petIdText.describe(`The id of the pet. ${NO_INT64}`),
});

export const PositionPath = z.object({
  position: placeText.describe(
    'Where the event stands. What is no position: 400 `invalid_request`; where there is no event: ' +
      '404 `not_found`.',
  ),
});

export const InclusionQuery = z.strictObject({
  position: positionText.describe(`Where the event stands, from 1. ${BEYOND}`),
  size: positionText.describe(`The size of the log that it is proven for. ${BEYOND}`),
});

export const ConsistencyQuery = z.strictObject({
  from: positionText.describe(`The size of the older log. ${BEYOND}`),
  to: positionText.describe(`The size of the newer log. ${BEYOND}`),
});

/** The query of an operation that refuses all parameters. */
export const NoQuery = z.strictObject({});

/** The query of operations whose answer may have cosignatures of witnesses. */
export const WitnessedQuery = z.strictObject({
  witnessed: may(
    booleanText,
    'True for cosignatures of a quorum of witnesses: 404 `not_found` while there are none.',
  ),
});

/** Describes an optional parameter. */
export function may<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(`${description} ${OTHERWISE}`);
}

const DEFAULT_LIMIT = 100;
/** The most items on a page. */
export const MAX_LIMIT = 1_000;

/** Describes the parameter for the size of a page. */
export function limitOf(items: string) {
  return countText(MAX_LIMIT, DEFAULT_LIMIT).describe(
    `How many ${items} a page has at most. ${OTHERWISE}`,
  );
}

/**
 * Returns the position of a place that a client has sent. Throws a 400 for a position that was lost
 * when the log was cut, and for one without epoch that was assigned twice.
 * @param name The parameter in which the place was sent.
 */
export function positionOf(epochs: Epochs, name: string, place: Place): number {
  const problem = epochs.problemOf(place);
  if (problem !== undefined) throw new ApiError('invalid_request', `${name}: ${problem}.`);
  return place.position;
}
