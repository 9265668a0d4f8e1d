import { expect, test } from 'vitest';
import { groupOf, type Submission } from '../../../../../src/app/log/submission.ts';
import { nextBatch } from '../../../../../src/app/write/queue/next-batch.ts';
import type { OrderId, PetId } from '../../../../../src/domain/order-id.ts';

const place = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
const cancel = { type: 'CancelOrder', orderId: 1n as OrderId } as const;

/** Returns the places of the requests that the next batch takes, newest first. */
function newest(maxCommands: number, ...requests: (readonly Partial<Submission>[])[]): number[] {
  const waiting = requests.map((given) => {
    const submissions = given.map((each) => {
      return { command: place, by: 'alice', commandId: 'c-1', ...each } as Submission;
    });
    return { submissions, resolve: () => undefined };
  });
  const before = { hasGroup: false, hasSingles: false };
  const limits = { maxCommands, isNewestFirst: true, before, mayBeTaken: () => true };
  return [...nextBatch(waiting, limits)].map((request) => waiting.indexOf(request));
}

test.each<[string, (readonly Partial<Submission>[])[], readonly number[]]>([
  ['new orders, of which each is for itself', [[{}], [{}], [{}]], [2, 1]],
  [
    'new orders of different keys',
    [[{ idempotencyKey: 'a' }], [{ idempotencyKey: 'b' }], [{ idempotencyKey: 'c' }]],
    [2, 1],
  ],
  [
    'new orders under the same key: the first decides, and the others are told the same',
    [[{ idempotencyKey: 'a' }], [{ idempotencyKey: 'a' }], [{ idempotencyKey: 'a' }]],
    [0, 1],
  ],
  [
    'new orders under the same key of two clients',
    [[{ idempotencyKey: 'a' }], [{ idempotencyKey: 'a', by: 'bob' }]],
    [1, 0],
  ],
  [
    'commands on the same order',
    [[{ command: cancel }], [{ command: cancel, by: 'bob' }], [{}]],
    [2, 0],
  ],
])('the newest first: %s', (_, requests, taken) => {
  expect(newest(2, ...requests)).toStrictEqual(taken);
});

test('the newest first: a group that is larger than a batch has one for itself', () => {
  const group = groupOf([cancel, cancel, cancel], { by: 'alice', commandId: 'c-1' }, false);
  expect(newest(2, group)).toStrictEqual([0]);
  expect(newest(2, group, [{}])).toStrictEqual([1]);
});
