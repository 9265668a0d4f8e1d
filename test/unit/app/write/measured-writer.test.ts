import { expect, it } from 'vitest';
import { CLOCKS } from '../../../../src/app/clock.ts';
import type { Outcome, Submission } from '../../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../../src/app/ports/batch-writer.ts';
import { MeasuredWriter } from '../../../../src/app/write/measured-writer.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';

const submission: Submission = {
  command: { type: 'CancelOrder', orderId: 1n as OrderId },
  by: 'alice',
  commandId: 'c',
};
const done: Outcome = { kind: 'accepted', orderId: 1n as OrderId, version: 1, position: 1 };

/** A writer that takes some time, and lets latecomers join. */
function slowWriter(): BatchWriter {
  return {
    takesMore: true,
    async execute(batch, latecomers = () => []) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return [...batch, ...latecomers()].map(() => done);
    },
  };
}

it('measures a batch with its latecomers, and changes nothing', async () => {
  const writer = new MeasuredWriter(slowWriter());
  expect(writer.takesMore).toBe(true);
  const begunMs = CLOCKS.elapsed();
  const outcomes = await writer.execute([submission], () => [submission, submission]);
  expect(outcomes).toEqual([done, done, done]);
  expect(writer.commands.read()).toMatchObject({ sum: 3, cumulative: [0, 1, 1, 1, 1, 1, 1] });
  const { sum, cumulative } = writer.seconds.read();
  expect(sum).toBeGreaterThan(0.02);
  expect(sum).toBeLessThanOrEqual((CLOCKS.elapsed() - begunMs) / 1_000);
  expect(cumulative.at(-1)).toBe(1);
});

it('notes the time at which each command was sent, latecomers included', async () => {
  const writer = new MeasuredWriter(slowWriter());
  const [first, late] = [{ sentAtMs: 0 }, { sentAtMs: 0 }];
  const begun = CLOCKS.elapsed();
  await writer.execute([{ ...submission, progress: first }, submission], () => [
    { ...submission, progress: late },
    submission,
  ]);
  expect(first.sentAtMs).toBeGreaterThanOrEqual(begun);
  expect(late.sentAtMs).toBeGreaterThan(first.sentAtMs + 20);
  expect(late.sentAtMs).toBeLessThanOrEqual(CLOCKS.elapsed());
});

it('does not measure a batch that was not recorded', async () => {
  const lost = { execute: () => Promise.reject(new Error('lost')) };
  const writer = new MeasuredWriter(lost);
  expect(writer.takesMore).toBe(false);
  await expect(writer.execute([submission], () => [])).rejects.toThrow('lost');
  expect(writer.commands.read().sum).toBe(0);
});
