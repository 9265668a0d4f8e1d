/** The access to the list of orders, and the measurement of the time that readers wait for it. */
import { CLOCKS } from '../clock.ts';
import { Histogram } from '../histogram.ts';
import type { EventLogReader, FoldSource } from '../ports/event-log.ts';
import type { OrderList } from '../state/order-list.ts';
import { Projector } from './projector.ts';

/** In seconds: reading the head takes microseconds from a file, and milliseconds over a network. */
const CATCH_UP_BOUNDS_S = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** A request that reads the list. */
export interface Reader {
  /**
   * The time that it has waited for the list to catch up, in milliseconds. While it waits, the beginning is
   * subtracted already.
   */
  catchUpMs: number;
}

/**
 * The read side for its readers. {@link current} is the only access to the list of orders, so that
 * no reader can forget to catch up with the log first.
 */
export class ReadModel<Chunk> {
  /** The waits of readers for the list to catch up with the log, in seconds. */
  readonly catchUps = new Histogram(CATCH_UP_BOUNDS_S);
  readonly #log: EventLogReader;
  readonly #projector: Projector<OrderList<Chunk>>;

  /** @param source The events of the log, if the engine has a faster way to read them. */
  constructor(log: EventLogReader, list: OrderList<Chunk>, source?: FoldSource) {
    this.#log = log;
    this.#projector = new Projector(log, list, source);
  }

  /**
   * Returns the list with every event that was durable at the time of the call.
   * @param reader Accumulates the wait; absent if no request waits.
   */
  async current(reader?: Reader): Promise<OrderList<Chunk>> {
    if (reader === undefined) return this.#projector.catchUp();
    const begunMs = CLOCKS.elapsed();
    reader.catchUpMs -= begunMs;
    try {
      return await this.#projector.catchUp();
    } finally {
      const endedMs = CLOCKS.elapsed();
      reader.catchUpMs += endedMs;
      this.catchUps.observe((endedMs - begunMs) / 1_000);
    }
  }

  /**
   * Keeps the list current in the background from now on, so that readers have little to wait for.
   * Calls `failed` with the error each time that catching up fails.
   */
  follow(failed: (error: unknown) => void): void {
    this.#log.watch(() => this.current().catch(failed));
  }
}
