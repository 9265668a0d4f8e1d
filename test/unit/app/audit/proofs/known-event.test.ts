import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownEventIn } from '../../../../../src/app/audit/proofs/known-event.ts';
import { decodeStrictly } from '../../../../../src/infra/events/codec.ts';
import { anyRecord, recordWith } from '../../../../support/signed-records.ts';

describe('The event in a record that is in the log', () => {
  it('is read where its form is known', () => {
    expect(knownEventIn(recordWith({}), decodeStrictly)).toMatchObject({
      position: 1,
      event: { type: 'OrderCancelled', orderId: 8n },
    });
  });

  it('is none where its form is not known, or the text is no record', () => {
    for (const record of [
      recordWith({ schemaVersion: 9 }),
      recordWith({ data: null }),
      '{}',
      'x',
    ]) {
      expect(knownEventIn(record, decodeStrictly)).toBeUndefined();
    }
    fc.assert(fc.property(anyRecord, (record) => void knownEventIn(record, decodeStrictly)));
  });

  it('is no matter of forms where the reader itself fails', () => {
    const fails = () => {
      throw new TypeError('a mistake in a program');
    };
    expect(() => knownEventIn(recordWith({}), fails)).toThrow(TypeError);
  });
});
