/** The orders that the lines of an import name, as the log has them. All others stay in the log. */

import type { Instant } from '../../domain/instant.ts';
import { type OrderEvent, type OrderState, order } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { versionAfter } from '../../domain/order-lives.ts';
import { type RecordedEvent, requireNext } from '../log/recorded-event.ts';
import type { EventLogReader } from '../ports/event-log.ts';
import type { WorkingTable } from '../ports/working-table.ts';
import { requirePossible } from '../state/image-columns.ts';
import type { RecordedOrders } from '../state/recorded-orders.ts';
import type { PresentOrder } from './import-plan.ts';
import { type NumberedOrder, orderOf, orderText } from './order-text.ts';

/** An order of which an event has been recorded. The number is the position of the last one. */
type Found = NumberedOrder;

/**
 * The state of the orders that a file names: what the write side needs to know of a log to import them.
 * It takes no memory for any other order, and for those of the file only while their batch is written.
 */
export class NamedOrders implements RecordedOrders {
  #position = 0;
  #lastAt: Instant | undefined;
  #highestId = 0n as OrderId;
  readonly #lines: WorkingTable;
  readonly #found: WorkingTable;
  /** The orders of the batch that is written, and those that others have changed since the reading. */
  readonly #newer = new Map<OrderId, Found | undefined>();

  private constructor(lines: WorkingTable, found: WorkingTable) {
    this.#lines = lines;
    this.#found = found;
  }

  /**
   * Reads a whole log.
   * @param lines The ids of the file.
   * @param found Is filled with those of its orders that the log has.
   * @param advance Is called with the position that the reading has reached.
   */
  static async read(
    log: Pick<EventLogReader, 'read'>,
    lines: WorkingTable,
    found: WorkingTable,
    advance: (position: number) => void,
  ): Promise<NamedOrders> {
    const orders = new NamedOrders(lines, found);
    for await (const events of log.read(0)) {
      orders.#store(events);
      advance(orders.position);
    }
    return orders;
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#position;
  }

  get lastAt(): Instant | undefined {
    return this.#lastAt;
  }

  get highestId(): OrderId {
    return this.#highestId;
  }

  highestFreeId(): never {
    throw new Error('an import gives every order its id');
  }

  state(orderId: OrderId): OrderState {
    const found = this.#newest(orderId);
    return found === undefined ? order.initial : stateOf(found.order);
  }

  version(orderId: OrderId): number {
    const found = this.#newest(orderId);
    return found === undefined ? 0 : versionAfter(found.order.status);
  }

  /** Returns the position of the event that brought an order to its version. */
  positionOf(orderId: OrderId): number {
    return this.#newest(orderId)?.number as number;
  }

  /** Returns an order as it is now; `undefined` if there is none. */
  present(orderId: OrderId): PresentOrder | undefined {
    return this.#newest(orderId)?.order;
  }

  /** Returns those of some orders that the log had when it was read, as they were then, by their ids. */
  atReading(ids: readonly bigint[]): ReadonlyMap<bigint, PresentOrder> {
    return new Map(
      Array.from(this.#found.getAll(ids), ([id, text]) => [id, orderOf(id, text).order]),
    );
  }

  /** Yields all orders that the log had when it was read, some at a time. */
  *allAtReading(): Iterable<readonly PresentOrder[]> {
    for (const page of this.#found.pages()) yield page.map(([id, text]) => orderOf(id, text).order);
  }

  /** Folds in an event that was recorded after the reading, by the import itself or by others. */
  fold(recorded: RecordedEvent): void {
    const { orderId } = recorded.event;
    this.#advance(recorded);
    if (!this.#newer.has(orderId) && this.#lines.get(orderId) === undefined) return;
    this.#newer.set(orderId, after(this.#newest(orderId), recorded));
  }

  /** Forgets what has become of an order since the reading. It must not be asked for again. */
  forget(orderId: OrderId): void {
    this.#newer.delete(orderId);
  }

  /** Folds in events of the reading. */
  #store(events: readonly RecordedEvent[]): void {
    const named = this.#lines.getAll(new Set(events.map(({ event }) => event.orderId)));
    const texts = new Map(this.#found.getAll(named.keys()));
    for (const recorded of events) {
      const { orderId } = recorded.event;
      this.#advance(recorded);
      if (!named.has(orderId)) continue;
      texts.set(orderId, orderText(after(foundIn(orderId, texts.get(orderId)), recorded)));
    }
    this.#found.put(texts);
  }

  #advance({ position, event: { orderId }, metadata: { at } }: RecordedEvent): void {
    requireNext(position, this.#position);
    this.#position = position;
    this.#lastAt = at;
    if (orderId > this.#highestId) this.#highestId = orderId;
  }

  #newest(orderId: OrderId): Found | undefined {
    if (this.#newer.has(orderId)) return this.#newer.get(orderId);
    const found = foundIn(orderId, this.#found.get(orderId));
    this.#newer.set(orderId, found);
    return found;
  }
}

function foundIn(id: OrderId, text: string | undefined): Found | undefined {
  return text === undefined ? undefined : orderOf(id, text);
}

function stateOf({ status, shipDate, cancelReason: reason }: PresentOrder): OrderState {
  if (status === 'shipped') return { status, shipDate: shipDate as Instant };
  return reason === undefined ? { status } : { status: 'cancelled', reason };
}

/** Returns an order after its next event. */
function after(found: Found | undefined, { position, event }: RecordedEvent): Found {
  requirePossible(position, event, found?.order.status);
  return { number: position, order: evolve(found?.order as PresentOrder, event) };
}

function evolve(before: PresentOrder, event: OrderEvent): PresentOrder {
  switch (event.type) {
    case 'OrderPlaced': {
      const { orderId: id, petId, quantity, shipDate } = event;
      return { id, petId, quantity, shipDate, status: 'pending' };
    }
    case 'OrderShipped':
      return { ...before, status: 'shipped', shipDate: event.shipDate };
    case 'OrderCancelled':
      return { ...before, status: 'cancelled', cancelReason: event.reason };
  }
}
