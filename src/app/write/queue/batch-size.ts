/** The policy of how many commands the next batch takes: a pure function of the load. */

/** Bounds the time for which a batch of requests holds the log's lock. */
export const MAX_BATCH_COMMANDS = 1_024;
/** With fewer commands in flight, two halves do not gain what a second flush costs. */
const MIN_HALVED_COMMANDS = 16;
/** Above this utilization of the event loop, the bottleneck is this thread and not the log. */
const BUSY_UTILIZATION = 0.5;

export interface Load {
  /** Commands in no batch yet. */
  readonly waiting: number;
  /** Commands about to be answered: as many clients are about to send their next one. */
  readonly answered: number;
  /** The event loop's utilization (0 to 1) since the previous batch. */
  readonly utilization: number;
  /** True if the previous batch waited for a lock held by another writer. */
  readonly isContended: boolean;
}

export interface BatchSize {
  readonly maxCommands: number;
  /** True if that is half of the commands in flight, so that a second batch may follow. */
  readonly isHalf: boolean;
}

/**
 * Returns the size of the next batch: all waiting commands, or half of those in flight.
 *
 * Clients wait for an answer before they send again. With a single batch, either the log works or
 * this thread, which answers and reads, does. If this thread is the bottleneck, the log therefore
 * records one half of the clients' commands while this thread serves the other half: 1.13 times the
 * cancellations of 64 clients (docs/performance.md). If the log is the bottleneck, as on a slow
 * disk or behind other writers' locks, halves would only make two flushes out of one.
 */
export function batchSize({ waiting, answered, utilization, isContended }: Load): BatchSize {
  const underWay = waiting + answered;
  const isHalf = underWay >= MIN_HALVED_COMMANDS && !isContended && utilization > BUSY_UTILIZATION;
  const commands = isHalf ? Math.ceil(underWay / 2) : underWay;
  return { maxCommands: Math.min(commands, MAX_BATCH_COMMANDS), isHalf };
}
