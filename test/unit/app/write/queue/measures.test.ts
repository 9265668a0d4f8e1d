import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CLOCKS } from '../../../../../src/app/clock.ts';
import type { Outcome, Submission } from '../../../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../../../src/app/ports/batch-writer.ts';
import { CommandProcessor } from '../../../../../src/app/write/command-processor.ts';
import type { OrderId } from '../../../../../src/domain/order-id.ts';

const submission: Submission = {
  command: { type: 'CancelOrder', orderId: 1n as OrderId },
  by: 'alice',
  commandId: 'c',
};
const done: Outcome = { kind: 'accepted', orderId: 1n as OrderId, version: 1, position: 1 };

/** A writer that takes some time, and lets latecomers join. */
function slowWriter(): BatchWriter {
  return {
    async execute(batch, latecomers = () => []) {
      await setTimeout(30);
      return [...batch, ...latecomers()].map(() => done);
    },
  };
}

/** Submits a command, and two others while its batch waits to be decided. */
async function withLatecomers(commands: CommandProcessor, [first, late]: readonly Submission[]) {
  const early = commands.submit(first ?? submission);
  await setTimeout(10);
  const others = [late ?? submission, submission].map((each) => commands.submit(each));
  return Promise.all([early, ...others]);
}

it('measures a batch with its latecomers', async () => {
  const commands = new CommandProcessor(slowWriter(), () => expect.fail());
  const begunMs = CLOCKS.elapsed();
  expect(await withLatecomers(commands, [])).toEqual([done, done, done]);
  const { commands: sizes, seconds } = commands.recorded;
  expect(sizes.read()).toMatchObject({ sum: 3, cumulative: [0, 1, 1, 1, 1, 1, 1] });
  const { sum, cumulative } = seconds.read();
  expect(sum).toBeGreaterThan(0.02);
  expect(sum).toBeLessThanOrEqual((CLOCKS.elapsed() - begunMs) / 1_000);
  expect(cumulative.at(-1)).toBe(1);
});

it('notes the time at which each command was sent, latecomers included', async () => {
  const commands = new CommandProcessor(slowWriter(), () => expect.fail());
  const [first, late] = [{ sentAtMs: 0 }, { sentAtMs: 0 }];
  const begun = CLOCKS.elapsed();
  const given = [first, late].map((progress) => ({ ...submission, progress }));
  await withLatecomers(commands, given);
  expect(first.sentAtMs).toBeGreaterThanOrEqual(begun);
  expect(late.sentAtMs).toBeGreaterThan(first.sentAtMs + 20);
  expect(late.sentAtMs).toBeLessThanOrEqual(CLOCKS.elapsed());
});

it('does not measure a batch that was not recorded', async () => {
  const lost = { execute: () => Promise.reject(new Error('lost')) };
  const commands = new CommandProcessor(lost, () => undefined);
  expect(await commands.submit(submission)).toMatchObject({ kind: 'unknown' });
  expect(commands.recorded.commands.read().sum).toBe(0);
});
