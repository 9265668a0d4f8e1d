import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fingerprintOf,
  groupOf,
  requestsIn,
  type Submission,
} from '../../../../src/app/log/submission.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { fewOrderIds, submissionsTo } from '../../../support/arbitraries.ts';
import { NOON } from '../../../support/events.ts';

const petId = 7n as PetId;
const orderId = -(2n ** 63n) as OrderId;

function submission(command: Submission['command'], onlyIf?: readonly number[]): Submission {
  return { command, by: 'alice', commandId: 'c-1', ...(onlyIf && { onlyIf }) };
}

describe('the fingerprint of a group', () => {
  const one = { type: 'CancelOrder', orderId } as const;
  const two = { type: 'CancelOrder', orderId: 1n as OrderId, reason: 'other' } as const;
  const shared = { by: 'alice', commandId: 'c-1', idempotencyKey: 'k' };

  // Fingerprints are stored, and compared with those that a later release makes.
  it('is that of its size, of whether it is atomic, and of its commands', () => {
    const text =
      '[{"size":2,"isAtomic":true},[["orderId","-9223372036854775808"],["type","CancelOrder"]],' +
      '[["orderId","1"],["reason","other"],["type","CancelOrder"]]]';
    const due = createHash('sha256').update(text).digest('base64url');
    expect(fingerprintOf(groupOf([one, two], shared, true))).toBe(due);
  });

  it('is no other request’s', () => {
    const prints = [
      fingerprintOf([submission(one)]),
      ...[[one], [two], [one, two], [two, one], [one, one]].flatMap((commands) => [
        fingerprintOf(groupOf(commands, shared, false)),
        fingerprintOf(groupOf(commands, shared, true)),
      ]),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });
});

describe('the requests in a batch', () => {
  it('are groups, and what stands alone', () => {
    const alone = submission({ type: 'CancelOrder', orderId });
    const group = groupOf([alone.command, alone.command], alone, false);
    const batch = [alone, ...group, alone, ...groupOf([alone.command], alone, true)];
    expect([...requestsIn(batch)].map(({ length }) => length)).toStrictEqual([1, 2, 1, 1]);
    expect([...requestsIn(batch)].flat()).toStrictEqual(batch);
    expect([...requestsIn([])]).toStrictEqual([]);
  });
});

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
    expect(fingerprintOf([submission])).toBe(due);
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
        expect(fingerprintOf([again])).toBe(fingerprintOf([submission]));
      }),
    );
  });
});
