import type { FoldInput } from '../log/recorded-event.ts';

/**
 * The port to a log that is read only to be folded: millions of events, without their metadata. It
 * hands over the same events as {@link EventLog.read}.
 */
export interface FoldSource {
  /**
   * Hands the next events after a position to `take`, oldest first, in a number that suits the
   * engine, until there are no more or `take` returns false. Returns the number handed over: 0 at
   * the head. The object that `take` is given may be the same each time, so it must not be stored.
   * Throws {@link UnreadableEvent} at an event that this version cannot understand.
   */
  next(after: number, take: (input: FoldInput) => boolean): Promise<number>;
}
