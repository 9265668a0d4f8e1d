import { foldInputOf, type StoredFields } from '../../app/log/recorded-event.ts';
import type { FoldSource } from '../../app/ports/event-log.ts';
import { decode } from './codec.ts';

/** Events per read: few, because those after one that cannot be decoded are read in vain. */
const CHUNK_EVENTS = 250;

/**
 * Returns a source of an engine's events for folds that decodes each event by the codec.
 * @param readStored Reads the first events after a position, `limit` of them at most.
 */
export function decodedFoldSource(
  readStored: (
    after: number,
    limit: number,
  ) => readonly StoredFields[] | Promise<readonly StoredFields[]>,
): FoldSource {
  return {
    async next(after, take) {
      let count = 0;
      for (const stored of await readStored(after, CHUNK_EVENTS)) {
        count += 1;
        if (!take(foldInputOf(decode(stored)))) break;
      }
      return count;
    },
  };
}
