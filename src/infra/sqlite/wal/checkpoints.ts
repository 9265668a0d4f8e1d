import { CLOCKS } from '../../../app/clock.ts';
import type { CheckpointCounters } from '../../../app/ports/store.ts';
import type { Wal, WalState } from './wal.ts';

/** A checkpoint is due when so many frames are in the `-wal` file alone: SQLite's own default. */
const CHECKPOINT_FRAMES = 1_000;

/** The pause after a checkpoint that failed or was incomplete, in milliseconds. */
const RETRY_MS = 1_000;

/** Checkpoints may fail for so long, in milliseconds, before the service stops being ready. */
const MAX_FAILING_MS = 60_000;
/** The limit of the `-wal` file's size while they fail, in bytes: 16 times its usual size. */
const MAX_FAILING_BYTES = 67_108_864;

/**
 * A `-wal` file that readers keep from shrinking is logged at this size, in bytes, and at each
 * doubling.
 */
const LARGE_BYTES = 67_108_864;

interface CheckpointWatcher {
  /** Called at each failure after one of the limits above was exceeded. */
  failing(cause: Error): void;
  working(): void;
  tried(counters: CheckpointCounters): void;
  /** Called for a line in the log file. */
  noticed(message: string, details: object): void;
}

/**
 * Makes checkpoints between batches: copies committed frames from the `-wal` file into the store's
 * file. SQLite would do that itself, within a commit that a client waits for, and without reporting
 * a failure.
 *
 * A failed checkpoint is retried every second. The service stops being ready when checkpoints have
 * failed for a minute, or the file has 64 MiB. An incomplete checkpoint is not a failure: a reader,
 * such as a `verify` of a large log, still needs an older state. The file grows until that reader
 * is done, each doubling is logged, and the service stays ready.
 */
export class Checkpoints {
  readonly #wal: Pick<Wal, 'state' | 'checkpoint' | 'bytesOf'>;
  readonly #watcher: CheckpointWatcher;
  readonly #now: () => number;
  readonly #counters = { done: 0, incomplete: 0, failed: 0, walBytes: 0 };
  /** The time of the first failure since the last checkpoint that worked. */
  #failingSince: number | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #largest = LARGE_BYTES;
  #retry: NodeJS.Timeout | undefined;

  /** @param now Returns milliseconds of a monotonic clock. */
  constructor(
    wal: Pick<Wal, 'state' | 'checkpoint' | 'bytesOf'>,
    watcher: CheckpointWatcher,
    now = CLOCKS.elapsed,
  ) {
    this.#wal = wal;
    this.#watcher = watcher;
    this.#now = now;
  }

  /** Makes a checkpoint if one is due. To be called after each batch. Never throws. */
  consider(): void {
    if (this.#now() < this.#notBefore) return;
    try {
      const { frames, checkpointed } = this.#wal.state();
      const isDue = frames - checkpointed >= CHECKPOINT_FRAMES;
      if (!isDue && this.#failingSince === undefined) return;
      const state = this.#wal.checkpoint();
      if (state === undefined) this.#again();
      else this.#worked(state);
    } catch (error) {
      this.#failed(error as Error);
    }
    this.#watcher.tried(this.#report());
  }

  close(): void {
    clearTimeout(this.#retry);
  }

  #worked({ frames, checkpointed }: WalState): void {
    const isDone = checkpointed === frames;
    this.#counters[isDone ? 'done' : 'incomplete'] += 1;
    this.#counters.walBytes = this.#wal.bytesOf(frames);
    if (this.#failingSince !== undefined) {
      this.#failingSince = undefined;
      this.#watcher.noticed('checkpoints of the -wal file work again', this.#report());
    }
    this.#watcher.working();
    if (isDone) {
      this.#largest = LARGE_BYTES;
      this.#notBefore = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#again();
    if (this.#counters.walBytes < this.#largest) return;
    this.#largest = this.#counters.walBytes * 2;
    this.#watcher.noticed(
      'the -wal file grows because a long-running read blocks the checkpoint',
      this.#report(),
    );
  }

  #failed(cause: Error): void {
    this.#counters.failed += 1;
    this.#counters.walBytes = this.#bytes();
    if (this.#failingSince === undefined) {
      this.#failingSince = this.#now();
      const details = { ...this.#counters, cause: cause.message };
      this.#watcher.noticed('a checkpoint of the -wal file failed', details);
    }
    const isUnbearable =
      this.#now() - this.#failingSince >= MAX_FAILING_MS ||
      this.#counters.walBytes >= MAX_FAILING_BYTES;
    if (isUnbearable) this.#watcher.failing(cause);
    this.#again();
  }

  /** Schedules another attempt, even if no batch comes. */
  #again(): void {
    this.#notBefore = this.#now() + RETRY_MS;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.consider(), RETRY_MS + 1).unref();
  }

  #report(): CheckpointCounters {
    return { ...this.#counters };
  }

  #bytes(): number {
    try {
      return this.#wal.bytesOf(this.#wal.state().frames);
    } catch {
      return this.#counters.walBytes;
    }
  }
}
