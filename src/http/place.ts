import type { Epochs, Place } from '../app/epochs.ts';
import { ApiError } from './api-error.ts';

/**
 * The position that a client names. Throws a 400 where it was given to two events, because the log was
 * cut in between, and it is not said which is meant; and for one that is lost.
 * @param name What the client has named it in.
 */
export function positionOf(epochs: Epochs, name: string, place: Place): number {
  const problem = epochs.problemOf(place);
  if (problem !== undefined) throw new ApiError('invalid_request', `${name}: ${problem}.`);
  return place.position;
}
