import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saidBy, showsCancellation } from '../../../../src/cli/shared/receipt-words.ts';
import { decodeStrictly } from '../../../../src/infra/events/codec.ts';
import { anyRecord, recordWith } from '../../../support/signed-records.ts';

describe('What a genuine receipt says', () => {
  it('is said of a cancellation', () => {
    const said = saidBy(recordWith({}), decodeStrictly);
    expect(showsCancellation(said)).toBe(true);
    expect(said).toMatchObject({ order: '8', event: 'OrderCancelled', by: 'Hs6IzlXByd' });
  });

  it('is nothing where the record is no event that this version knows', () => {
    const genuine = recordWith({});
    fc.assert(
      fc.property(anyRecord, (record) => {
        const said = saidBy(record, decodeStrictly);
        if (said !== undefined) expect(said.event).toBe(JSON.parse(record).type);
        if (showsCancellation(said))
          expect(Object.keys(JSON.parse(record).data)).toEqual(['orderId']);
      }),
      { examples: [[genuine]] },
    );
    expect(saidBy(recordWith({ data: null }), decodeStrictly)).toBeUndefined();
  });
});
