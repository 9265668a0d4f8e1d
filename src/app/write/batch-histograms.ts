/** The sizes and durations of the batches that were recorded, for metrics. */
import { Histogram } from '../histogram.ts';
import { MAX_BATCH_COMMANDS } from './batch-size.ts';

/** A flush takes 0.1 to 10 ms on most disks, and more where they are shared. */
const DURATION_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

export class BatchHistograms {
  /** The sizes of batches, in commands. */
  readonly commands = new Histogram([1, 4, 16, 64, 256, MAX_BATCH_COMMANDS]);
  /** The times from when they were sent to the writer until they were recorded. */
  readonly seconds = new Histogram(DURATION_BOUNDS_S);

  /** @param begunMs When the batch was sent, by `performance.now()`. */
  observe(commands: number, begunMs: number): void {
    this.commands.observe(commands);
    this.seconds.observe((performance.now() - begunMs) / 1_000);
  }
}
