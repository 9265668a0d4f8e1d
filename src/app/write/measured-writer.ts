/** A writer that measures the sizes and durations of another writer's batches. */
import { CLOCKS } from '../clock.ts';
import { Histogram } from '../histogram.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import type { BatchWriter, Latecomers } from '../ports/batch-writer.ts';
import { MAX_BATCH_COMMANDS } from './queue/batch-size.ts';

/** In seconds. A flush takes 0.1 to 10 ms on most disks, and more where they are shared. */
const DURATION_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Passes batches on to another writer, measures them, and notes when each command is sent. */
export class MeasuredWriter implements BatchWriter {
  /** The sizes of the batches that were recorded, in commands. */
  readonly commands = new Histogram([1, 4, 16, 64, 256, MAX_BATCH_COMMANDS]);
  /** The times from sending a batch until it is recorded. */
  readonly seconds = new Histogram(DURATION_BOUNDS_S);
  readonly #writer: BatchWriter;

  constructor(writer: BatchWriter) {
    this.#writer = writer;
  }

  get takesMore(): boolean {
    return this.#writer.takesMore === true;
  }

  async execute(batch: readonly Submission[], latecomers: Latecomers): Promise<readonly Outcome[]> {
    const begunMs = CLOCKS.elapsed();
    noteSent(batch, begunMs);
    const outcomes = await this.#writer.execute(batch, () => {
      const late = latecomers();
      noteSent(late, CLOCKS.elapsed());
      return late;
    });
    this.commands.observe(outcomes.length);
    this.seconds.observe((CLOCKS.elapsed() - begunMs) / 1_000);
    return outcomes;
  }
}

function noteSent(submissions: readonly Submission[], atMs: number): void {
  for (const { progress } of submissions) if (progress !== undefined) progress.sentAtMs = atMs;
}
