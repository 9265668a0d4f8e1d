/** The event in a record that is known to be in the log, which may be of any version of the program. */

import { fieldsOf, type RecordedEvent } from '../../log/recorded-event.ts';
import { UnreadableEvent } from '../../ports/event-log.ts';
import type { DecodeStrictly } from '../../ports/evidence.ts';

/** Returns the event in a record; `undefined` where it is none in a form that `decode` knows. */
export function knownEventIn(record: string, decode: DecodeStrictly): RecordedEvent | undefined {
  const stored = fieldsOf(record);
  try {
    return stored && decode(stored);
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
}
