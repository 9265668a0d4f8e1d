import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { groupOf, type Outcome, type Submission } from '../../../../src/app/log/submission.ts';
import {
  packBatch,
  packOutcomes,
  unpackBatch,
  unpackOutcomes,
} from '../../../../src/infra/sqlite/writer-messages.ts';
import { record } from '../../../kit/arbitraries.ts';
import { orderIds, submissionsTo, texts } from '../../../support/arbitraries.ts';

/** Messages are cloned on their way between the threads. */
const sent = <Fields>(fields: Fields) => structuredClone(fields);

const absentOr = <Value>(value: Arbitrary<Value>) => fc.option(value, { nil: undefined });

const conditions = record({
  idempotencyKey: absentOr(texts),
  onlyIf: absentOr(fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 3 })),
  traceparent: absentOr(texts),
});

const singles: Arbitrary<readonly Submission[]> = fc
  .tuple(submissionsTo(orderIds), conditions)
  .map(([submission, more]) => [{ ...submission, ...more }]);

const groups: Arbitrary<readonly Submission[]> = fc
  .tuple(
    fc.array(submissionsTo(orderIds), { minLength: 1, maxLength: 5 }),
    conditions,
    fc.boolean(),
  )
  .map(([submissions, { idempotencyKey, traceparent }, isAtomic]) => {
    const [{ by, commandId }] = submissions as [Submission];
    const commands = submissions.map(({ command }) => command);
    return groupOf(commands, { by, commandId, idempotencyKey, traceparent }, isAtomic);
  });

test('A batch arrives as it was sent, whatever requests are in it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(singles, groups), { maxLength: 6 }), (requests) => {
      const batch = requests.flat();
      const received = unpackBatch(sent(packBatch(batch)));
      expect(received).toEqual(batch);
      // An absent ship date or reason stays absent, which toEqual would not notice.
      const commands = (each: readonly Submission[]) => each.map(({ command }) => command);
      expect(commands(received)).toStrictEqual(commands(batch));
    }),
  );
});

const outcomes: Arbitrary<Outcome> = fc.oneof(
  record({
    kind: fc.constant('accepted' as const),
    orderId: orderIds,
    version: fc.integer({ min: 1, max: 2 }),
    position: fc.maxSafeNat(),
  }),
  record({
    kind: fc.constant('rejected' as const),
    reason: fc.constantFrom('order_not_found' as const, 'batch_refused' as const),
  }),
  record({ kind: fc.constant('unavailable' as const), cause: texts }),
  record({ kind: fc.constant('unknown' as const), cause: texts }),
);

test('Outcomes arrive as they were sent, in their order', () => {
  fc.assert(
    fc.property(fc.array(outcomes), (sentOnes) => {
      expect(unpackOutcomes(sent(packOutcomes(sentOnes)))).toStrictEqual(sentOnes);
    }),
  );
});
