import { CLOCKS } from '../../../app/clock.ts';
import type { CheckpointCounters } from '../../../app/ports/store.ts';
import type { Wal, WalState } from './wal.ts';

/**
 * From so many frames that are in the `-wal` file alone, a checkpoint is due: SQLite's own default.
 */
const CHECKPOINT_FRAMES = 1_000;

/** The pause after a checkpoint that failed or was incomplete, in milliseconds. */
const RETRY_MS = 1_000;

/** For how long checkpoints may fail before the service is not ready any more, in milliseconds. */
const MAX_FAILING_MS = 60_000;
/** The limit of the `-wal` file while they fail, in bytes: 16 times its usual size. */
const MAX_FAILING_BYTES = 67_108_864;

/**
 * From which size on a file that readers hold is named in the log, in bytes; then at each doubling.
 */
const LARGE_BYTES = 67_108_864;

interface CheckpointWatcher {
  /** They have failed for longer, or for more bytes, than is bearable. Said again each time. */
  failing(cause: Error): void;
  working(): void;
  tried(counters: CheckpointCounters): void;
  /** Something for the log. */
  noticed(message: string, details: object): void;
}

/**
 * Moves what was committed from the `-wal` file into the store's file, between batches. SQLite
 * would do it by itself, inside the commit whose answer is due, and never say that it failed.
 *
 * A checkpoint that fails is tried again every second. The service is not ready any more when that
 * has gone on for a minute, or for 64 MiB. One that is incomplete has not failed: a reader, such as
 * a `verify` of a large log, still needs what the store's file has in place of the newest frames.
 * The file grows until that reader is done, the log says so at each doubling, and the service stays
 * ready.
 */
export class Checkpoints {
  readonly #wal: Pick<Wal, 'state' | 'checkpoint' | 'bytesOf'>;
  readonly #watcher: CheckpointWatcher;
  readonly #now: () => number;
  readonly #counters = { done: 0, incomplete: 0, failed: 0, walBytes: 0 };
  /** The time of the first failure after the last checkpoint that worked. */
  #failingSince: number | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #largest = LARGE_BYTES;
  #retry: NodeJS.Timeout | undefined;

  /** @param now Milliseconds of a clock that never goes back. */
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

  /** Tries again in a while, even if no batch comes. */
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
