/** Causes of failed appends, as the user of a command is to see them. */

import type { EventLog } from '../../app/ports/event-log.ts';

/** Returns a log that names its place in the causes of appends that failed, which commands print. */
export function namingCauses(log: EventLog, named: (error: unknown) => unknown): EventLog {
  return {
    read: (after) => log.read(after),
    head: () => log.head(),
    watch: (grown) => log.watch(grown),
    close: () => log.close(),
    get takesMore() {
      return log.takesMore === true;
    },
    async append(...given) {
      const result = await log.append(...given);
      if (!('cause' in result)) return result;
      return { ...result, cause: named(result.cause) as Error };
    },
  };
}
