import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, type StoredFields } from '../../../src/app/log/recorded-event.ts';
import { UnreadableEvent } from '../../../src/app/ports/event-log.ts';
import type { DecodeStrictly } from '../../../src/app/ports/evidence.ts';
import { readStoredEvent } from '../../../src/console/state/event-reader.ts';
import { decodeStrictly } from '../../../src/infra/events/codec.ts';
import { MEANINGS, storedEvents } from '../../support/golden-events.ts';

const GOLDEN = Object.keys(MEANINGS).flatMap((file) => storedEvents(file));

/** Returns the event, or `undefined` for a text that cannot be read. */
function readBy(read: DecodeStrictly, stored: StoredFields) {
  try {
    return read(stored);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableEvent);
    return undefined;
  }
}

describe('The reader of stored events', () => {
  it('reads every schema version as the service does', () => {
    expect(GOLDEN.length).toBeGreaterThan(7);
    for (const golden of GOLDEN) {
      const stored = { position: 3, version: 1, ...golden };
      expect(readStoredEvent(stored)).toStrictEqual(decodeStrictly(stored));
    }
  });

  it('reads no other text than the service does', () => {
    const edits = fc.array(
      fc.tuple(fc.nat(150), fc.nat(2), fc.constantFrom('', '0', '1', '"', '-', 'x', ',', 'null')),
      { minLength: 1, maxLength: 3 },
    );
    const edited = (text: string, changes: readonly (readonly [number, number, string])[]) =>
      changes.reduce((now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut), text);
    const types = fc.constantFrom(...EVENT_TYPES, 'toString');
    fc.assert(
      fc.property(
        fc.constantFrom(...GOLDEN),
        fc.option(types, { nil: undefined }),
        fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        fc.option(edits, { nil: [] }),
        fc.option(edits, { nil: [] }),
        (golden, type, schemaVersion, ofData, ofMetadata) => {
          const stored = {
            position: 3,
            version: 1,
            type: type ?? golden.type,
            schemaVersion: schemaVersion ?? golden.schemaVersion,
            data: edited(golden.data, ofData ?? []),
            metadata: edited(golden.metadata, ofMetadata ?? []),
          };
          expect(readBy(readStoredEvent, stored)).toStrictEqual(readBy(decodeStrictly, stored));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
