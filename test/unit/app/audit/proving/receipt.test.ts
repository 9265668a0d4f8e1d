import { expect, it } from 'vitest';
import {
  consistencyJson,
  inclusionJson,
  receiptOf,
  tlogProofOf,
} from '../../../../../src/app/audit/proving/receipt.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import { canonicalJson } from '../../../../support/canonical-json.ts';
import { MEANINGS, storedEvents } from '../../../../support/golden-events.ts';

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

const ONES = Buffer.alloc(32, 1);
const BASE64 = 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=';

it('a receipt names its format, and contains record, proof and checkpoint as texts', () => {
  expect(JSON.parse(receiptOf('{}', [ONES], 'note\n'))).toStrictEqual({
    format: 'store-orders/receipt/v1',
    record: '{}',
    proof: [BASE64],
    checkpoint: 'note\n',
  });
});

it('a receipt as tlog-proof has the record as extra data, the index from 0, and the checkpoint at its end', () => {
  expect(tlogProofOf('{"ä":1}', 6, [ONES, ONES], 'origin\n7\nroot\n\n— sig\n')).toBe(
    [
      'c2sp.org/tlog-proof@v1',
      'extra eyLDpCI6MX0=',
      'index 6',
      BASE64,
      BASE64,
      '',
      'origin\n7\nroot\n\n— sig\n',
    ].join('\n'),
  );
  expect(tlogProofOf('{}', 0, [], 'note\n')).toBe(
    'c2sp.org/tlog-proof@v1\nextra e30=\nindex 0\n\nnote\n',
  );
});

it('a separate proof names its positions and sizes', () => {
  expect(JSON.parse(inclusionJson(3, 5, [ONES, ONES]))).toStrictEqual({
    position: 3,
    size: 5,
    proof: [BASE64, BASE64],
  });
  expect(JSON.parse(consistencyJson(2, 5, [ONES]))).toStrictEqual({
    from: 2,
    to: 5,
    proof: [BASE64],
  });
});
