import { expect, test } from 'vitest';
import { fingerprintOf, groupOf } from '../../../../src/app/log/submission.ts';
import type { KeptOutcomes } from '../../../../src/app/ports/event-log.ts';
import { DamagedStore } from '../../../../src/app/ports/store.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import { decideOnce } from '../../../../src/app/write/decisions.ts';
import { OrderDraft } from '../../../../src/app/write/order-draft.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { NOON } from '../../../support/events.ts';

test('a group is not answered of which the store has only the first outcome', () => {
  const cancel = { type: 'CancelOrder', orderId: 1n as OrderId } as const;
  const shared = { by: 'alice', commandId: 'c-1', idempotencyKey: 'k' };
  const request = groupOf([cancel, cancel], shared, false);
  const fingerprint = fingerprintOf(request);
  const decided = { kind: 'rejected', reason: 'order_not_found' } as const;
  const kept: KeptOutcomes = {
    recall: (by, key) => (key === 'k' ? { by, key, fingerprint, decided } : undefined),
    keep: () => expect.unreachable(),
  };
  const decide = () => decideOnce(kept, request, new OrderDraft(new OrderImage()), NOON, []);
  const missing = new DamagedStore('an outcome of a group that was recorded is missing');
  expect(decide).toThrow(missing);
});
