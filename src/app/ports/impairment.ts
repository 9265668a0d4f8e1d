/**
 * The closed list of the impairments of a store that is served, or of the clock of its events. Each has
 * its name in /readyz and in the log file, the predicate of a sentence that begins with "The service",
 * and the requests that are refused while it lasts. While there is any, the service is not ready. A new
 * one takes a line here, a call of {@link StoreWatcher.impaired}, and a row in
 * docs/operations/monitoring.md.
 *
 * - `requests`: every request, because its answer might be out of date.
 * - `commands`: requests that change something. Reads are answered.
 * - `nothing`: commands are still tried, and each gets its own answer.
 */
export const IMPAIRMENTS = {
  database_unreachable: { says: 'waits for its database', refuses: 'requests', level: 'error' },
  store_damaged: { says: 'has found its store damaged', refuses: 'requests', level: 'fatal' },
  schema_altered: {
    says: 'has found the schema of its store altered',
    refuses: 'requests',
    level: 'fatal',
  },
  store_unreadable: { says: 'cannot read its store', refuses: 'nothing', level: 'error' },
  rights_missing: { says: 'lacks rights in its database', refuses: 'nothing', level: 'error' },
  writes_refused: {
    says: 'cannot record because its database refuses it',
    refuses: 'commands',
    level: 'error',
  },
  clock_out_of_range: {
    says: 'cannot record because its clock shows a time that no event can have',
    refuses: 'nothing',
    level: 'error',
  },
  settings_unsafe: {
    says: 'refuses the settings of its database, by which acknowledged events could be lost',
    refuses: 'commands',
    level: 'error',
  },
  standby_silent: {
    says: 'waits for a synchronous standby',
    refuses: 'commands',
    level: 'error',
  },
  database_replaced: {
    says:
      'refuses a database that lacks acknowledged events: restore the right one, and it recovers by ' +
      'itself; or stop all instances, run store-orders accept-loss, and start them again',
    refuses: 'requests',
    level: 'fatal',
  },
  storage_full: {
    says: 'cannot record anything because its disk is full',
    refuses: 'nothing',
    level: 'error',
  },
  storage_failing: {
    says: 'cannot record anything because writes to its disk fail',
    refuses: 'nothing',
    level: 'error',
  },
  checkpoint_failing: {
    says: 'cannot checkpoint its -wal file',
    refuses: 'nothing',
    level: 'error',
  },
} as const satisfies Record<string, Effect>;

interface Effect {
  readonly says: string;
  readonly refuses: 'requests' | 'commands' | 'nothing';
  /** The level of its log line: `fatal` if it does not pass by itself. */
  readonly level: 'error' | 'fatal';
}

export type Impairment = keyof typeof IMPAIRMENTS;
