/** The way to the list of orders, and the time that its readers wait for it. */
import { CLOCKS } from '../clock.ts';
import { Histogram } from '../histogram.ts';
import type { EventLogReader, FoldSource } from '../ports/event-log.ts';
import type { OrderList } from '../state/order-list.ts';
import { Projector } from './projector.ts';

/** In seconds: the head of a log in a file takes microseconds, and one over a network milliseconds. */
const CATCH_UP_BOUNDS_S = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** A request that reads the list. */
export interface Reader {
  /** The time for which it has waited until the list had caught up, in milliseconds. */
  catchUpMs: number;
}

/**
 * The read side as its readers have it. {@link current} is the only way to the list of orders, so no
 * reader can forget to catch up with the log first.
 */
export class ReadModel<Chunk> {
  /** The waits of readers until the list had caught up with the log, in seconds. */
  readonly catchUps = new Histogram(CATCH_UP_BOUNDS_S);
  readonly #log: EventLogReader;
  readonly #projector: Projector<OrderList<Chunk>>;

  /** @param source The events of the log, where the engine has a faster way to them. */
  constructor(log: EventLogReader, list: OrderList<Chunk>, source?: FoldSource) {
    this.#log = log;
    this.#projector = new Projector(log, list, source);
  }

  /**
   * Returns the list, with every event in it that was durable when this was called.
   * @param reader Absent where the wait is nobody's.
   */
  async current(reader?: Reader): Promise<OrderList<Chunk>> {
    if (reader === undefined) return this.#projector.catchUp();
    const begunMs = CLOCKS.elapsed();
    try {
      return await this.#projector.catchUp();
    } finally {
      const waitedMs = CLOCKS.elapsed() - begunMs;
      reader.catchUpMs += waitedMs;
      this.catchUps.observe(waitedMs / 1_000);
    }
  }

  /**
   * Keeps the list current in the background from now on, so that the next reader has little to wait
   * for. Calls `failed` with the reason each time that it could not catch up.
   */
  follow(failed: (error: unknown) => void): void {
    this.#log.watch(() => this.current().catch(failed));
  }
}
