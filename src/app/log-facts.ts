import { factsOf } from './event-facts.ts';
import type { EventLogReader } from './ports/event-log.ts';
import type { FactSource } from './ports/fact-source.ts';

/** The events of any log for folds, where the engine has no faster way. */
export function factsOfLog(log: EventLogReader): FactSource {
  return {
    async next(after, take) {
      for await (const events of log.read(after)) {
        for (const [index, event] of events.entries()) {
          if (!take(factsOf(event))) return index + 1;
        }
        return events.length;
      }
      return 0;
    },
  };
}
