import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, type Submission } from '../../../../src/app/log/submission.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { fewOrderIds, submissionsTo } from '../../../support/arbitraries.ts';
import { NOON } from '../../../support/events.ts';

const petId = 7n as PetId;
const orderId = -(2n ** 63n) as OrderId;

function submission(command: Submission['command'], onlyIf?: readonly number[]): Submission {
  return { command, by: 'alice', commandId: 'c-1', ...(onlyIf && { onlyIf }) };
}

describe('the fingerprint of a submission', () => {
  // Fingerprints are stored, and compared with those that a later release makes.
  it.each([
    [
      submission({ type: 'PlaceNewOrder', petId, quantity: 1 }),
      '[["petId","7"],["quantity",1],["type","PlaceNewOrder"]]',
    ],
    [
      submission({ type: 'PlaceOrder', orderId, petId, quantity: 2, shipDate: NOON }),
      `[["orderId","-9223372036854775808"],["petId","7"],["quantity",2],["shipDate","${NOON}"],\
["type","PlaceOrder"]]`,
    ],
    [
      submission({ type: 'ShipOrder', orderId, shipDate: NOON }, [2, 1]),
      `[["onlyIf",[2,1]],["orderId","-9223372036854775808"],["shipDate","${NOON}"],\
["type","ShipOrder"]]`,
    ],
    [
      submission({ type: 'CancelOrder', orderId }, []),
      '[["onlyIf",[]],["orderId","-9223372036854775808"],["type","CancelOrder"]]',
    ],
  ])('is that of its members by name: $command.type', (submission, text) => {
    const due = createHash('sha256').update(text).digest('base64url');
    expect(fingerprintOf(submission)).toBe(due);
  });

  it('is independent of the author and of the order of members', () => {
    const cases = submissionsTo(fewOrderIds).chain((submission) => {
      const members = Object.entries(submission.command);
      const shuffled = fc.shuffledSubarray(members, { minLength: members.length });
      return fc.tuple(fc.constant(submission), shuffled);
    });
    fc.assert(
      fc.property(cases, fc.string(), ([submission, members], other) => {
        const command = Object.fromEntries(members) as Submission['command'];
        const again = { command, by: other, commandId: other, idempotencyKey: other };
        expect(fingerprintOf(again)).toBe(fingerprintOf(submission));
      }),
    );
  });
});
