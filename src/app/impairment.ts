/**
 * The closed list of what can be amiss with a store that is served, for as long as it lasts: each with
 * its name in the answers of /readyz and in the log, what it says after "The service …", and what is
 * refused meanwhile. While any of them lasts, the service is not ready. To add one takes a line here,
 * a call of {@link StoreWatcher.impaired}, and a row in docs/operations.md.
 *
 * - `requests`: every request; nothing that might be out of date is read.
 * - `commands`: whatever changes something. Reads go on.
 * - `nothing`: commands are still tried, and the answer says what became of each.
 */
export const IMPAIRMENTS = {
  database_unreachable: { says: 'waits for its database', refuses: 'requests', level: 'error' },
  store_damaged: { says: 'has found its store damaged', refuses: 'requests', level: 'fatal' },
  standby_silent: {
    says: 'waits for a synchronous standby',
    refuses: 'commands',
    level: 'error',
  },
  database_replaced: {
    says:
      'refuses a database that lacks what was acknowledged: bring the right one back, and it goes on ' +
      'by itself; or stop all instances, run store-orders accept-loss, and start them again',
    refuses: 'requests',
    level: 'fatal',
  },
  storage_full: {
    says: 'cannot record anything because its disk is full',
    refuses: 'nothing',
    level: 'error',
  },
  storage_failing: {
    says: 'cannot record anything because its disk refuses to be written',
    refuses: 'nothing',
    level: 'error',
  },
  checkpoint_failing: {
    says: 'cannot move what was committed from its -wal file into its store',
    refuses: 'nothing',
    level: 'error',
  },
} as const satisfies Record<string, ImpairmentFacts>;

interface ImpairmentFacts {
  readonly says: string;
  readonly refuses: 'requests' | 'commands' | 'nothing';
  /** The level of its line in the log: `fatal` where it does not pass by itself. */
  readonly level: 'error' | 'fatal';
}

export type Impairment = keyof typeof IMPAIRMENTS;
