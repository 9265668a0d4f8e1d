import type { Instant } from '../../domain/instant.ts';
import { type OrderCommand, type OrderEvent, order } from '../../domain/order.ts';
import { OrderImage } from '../order-image.ts';
import { UnreadableEvent } from '../ports/event-log.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import type { StoredFields } from './record.ts';

/** A stored event, and beside it what an engine has written into a column of its own. */
export interface StoredRow extends StoredFields {
  /** The id of its order, beyond 2^53 as a text; absent where there is no such column. */
  readonly orderId?: number | string;
}

/**
 * Reads a stored event whose texts are in the one form in which they can have been written. Throws
 * {@link UnreadableEvent} for any other.
 */
export type DecodeStrictly = (stored: StoredFields) => RecordedEvent;

/**
 * What every log is by its own rules, whoever has written it: positions without a gap, texts that
 * mean something and have one form, columns that say what the texts say, versions that count, times
 * that never go back, and nothing that no command could have led to.
 */
export class EventRules {
  readonly #decode: DecodeStrictly;
  readonly #image = new OrderImage();
  /** When the last event was recorded, as it says it: texts are in the order of the times. */
  #lastAt: Instant | '' = '';

  constructor(decode: DecodeStrictly) {
    this.#decode = decode;
  }

  /** Where the next event has to stand. */
  get due(): number {
    return this.#image.position + 1;
  }

  /**
   * What is wrong with the next event, in plain words; `undefined` if nothing is. After the first
   * that is wrong, there is no sense in asking for others.
   */
  problemOf(row: StoredRow): string | undefined {
    const { position, data, metadata } = row;
    if (position > this.due) return 'it is missing';
    if (position !== this.due) return `position ${position} stands in its place`;
    if (typeof data !== 'string' || typeof metadata !== 'string') return 'it is not made of texts';
    try {
      const recorded = this.#decode(row);
      return this.#problemIn(recorded, row) ?? this.#fold(recorded);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      return error.message.replace(/^event at position \d+/, 'it');
    }
  }

  #problemIn(recorded: RecordedEvent, row: StoredRow): string | undefined {
    const { event, version, metadata } = recorded;
    const { orderId } = event;
    if (row.orderId !== undefined && !isSame(orderId, row.orderId)) {
      return `its column order_id says ${row.orderId}, and its data is of order ${orderId}`;
    }
    const slot = this.#image.slotOf(orderId);
    const known = slot === -1 ? 0 : this.#image.versionAt(slot);
    if (version !== known + 1) {
      return `its version is ${version}, and order ${orderId} has ${known} events before it`;
    }
    const lastAt = this.#lastAt;
    if (metadata.at < lastAt) {
      return `it was recorded at ${metadata.at}, and the event before it at ${lastAt}`;
    }
    const refusal = this.#refusalOf(event, slot);
    return refusal && `no command leads to ${event.type} of order ${orderId} here: ${refusal}`;
  }

  /** Why no command can have led to an event; the domain itself is asked. */
  #refusalOf(event: OrderEvent, slot: number): string | undefined {
    const decision = order.decide(commandFor(event), this.#image.stateAt(slot));
    if (decision.kind === 'rejected') return decision.reason;
    return decision.events.length === 0 ? 'it is so already' : undefined;
  }

  #fold(recorded: RecordedEvent): undefined {
    this.#image.fold(recorded);
    this.#lastAt = recorded.metadata.at;
  }
}

function isSame(id: bigint, column: number | string): boolean {
  return typeof column === 'number' ? Number(id) === column : String(id) === column;
}

/** The command that leads to an event, if any does. */
function commandFor(event: OrderEvent): OrderCommand {
  switch (event.type) {
    case 'OrderPlaced':
      return { ...event, type: 'PlaceOrder' };
    case 'OrderShipped':
      return { ...event, type: 'ShipOrder' };
    case 'OrderCancelled':
      return { ...event, type: 'CancelOrder' };
  }
}
