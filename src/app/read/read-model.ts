import type { EventLogReader, FoldSource } from '../ports/event-log.ts';
import type { OrderList } from '../state/order-list.ts';
import { Projector } from './projector.ts';

/**
 * The read side as its readers have it. {@link current} is the only way to the list of orders, so no
 * reader can forget to catch up with the log first.
 */
export class ReadModel<Chunk> {
  readonly #log: EventLogReader;
  readonly #projector: Projector<OrderList<Chunk>>;

  /** @param source The events of the log, where the engine has a faster way to them. */
  constructor(log: EventLogReader, list: OrderList<Chunk>, source?: FoldSource) {
    this.#log = log;
    this.#projector = new Projector(log, list, source);
  }

  /** Returns the list, with every event in it that was durable when this was called. */
  current(): Promise<OrderList<Chunk>> {
    return this.#projector.catchUp();
  }

  /**
   * Keeps the list current in the background from now on, so that the next reader has little to wait
   * for. Calls `failed` with the reason each time that it could not catch up.
   */
  follow(failed: (error: unknown) => void): void {
    this.#log.watch(() => this.current().catch(failed));
  }
}
