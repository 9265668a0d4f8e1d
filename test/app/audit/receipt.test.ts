import { expect, it } from 'vitest';
import { receiptOf } from '../../../src/app/audit/receipt.ts';
import { recordOf } from '../../../src/app/audit/record.ts';
import { canonicalJson } from '../../support/canonical-json.ts';
import { MEANINGS, storedEvents } from '../../support/golden-events.ts';

const events = Object.keys(MEANINGS).flatMap(storedEvents);

it('a record is canonical JSON, with the stored texts in it as they are', () => {
  for (const [index, golden] of events.entries()) {
    const event = { ...golden, position: index + 1, version: 1 };
    const record = recordOf(event);
    expect(record).toBe(canonicalJson(JSON.parse(record)));
    expect(record).toContain(`{"data":${golden.data},"metadata":${golden.metadata},"position":`);
    expect(JSON.parse(record)).toStrictEqual({
      ...event,
      data: JSON.parse(golden.data),
      metadata: JSON.parse(golden.metadata),
    });
  }
});

it('a receipt says what it is, and holds the record, the proof and the checkpoint as texts', () => {
  expect(JSON.parse(receiptOf('{}', [Buffer.alloc(32, 1)], 'note\n'))).toStrictEqual({
    format: 'store-orders/receipt/v1',
    record: '{}',
    proof: ['AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE='],
    checkpoint: 'note\n',
  });
});
