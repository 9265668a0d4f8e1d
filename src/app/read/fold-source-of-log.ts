import { foldInputOf } from '../log/recorded-event.ts';
import type { EventLogReader, FoldSource } from '../ports/event-log.ts';

/** Returns a fold source that reads a log through its port. An engine may have a faster one. */
export function foldSourceOf(log: EventLogReader): FoldSource {
  return {
    async next(after, take) {
      for await (const events of log.read(after)) {
        for (const [index, event] of events.entries()) {
          if (!take(foldInputOf(event))) return index + 1;
        }
        return events.length;
      }
      return 0;
    },
  };
}
