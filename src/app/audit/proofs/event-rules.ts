import type { Instant } from '../../../domain/instant.ts';
import { COMMAND_TYPES, type OrderCommand, type OrderEvent, order } from '../../../domain/order.ts';
import {
  hasRightTypes,
  MAX_RECORD_BYTES,
  type RecordedEvent,
  recordOf,
} from '../../log/recorded-event.ts';
import { UnreadableEvent } from '../../ports/event-log.ts';
import type { DecodeStrictly, StoredRow } from '../../ports/evidence.ts';
import { OrderImage } from '../../state/order-image.ts';

/**
 * The rules of every log, whichever program has written it: positions without gaps, readable texts
 * in canonical form, columns that agree with the texts, consecutive versions, times that never
 * decrease, and no event that no command can lead to.
 */
export class EventRules {
  readonly #decode: DecodeStrictly;
  readonly #image: OrderImage;
  /** The time of the last event, as a text: texts sort as their times do. */
  #lastAt: Instant | '';
  #last: RecordedEvent | undefined;

  /** @param image The fold of earlier events that keep the rules, if there are any. */
  constructor(decode: DecodeStrictly, image = new OrderImage()) {
    this.#decode = decode;
    this.#image = image;
    this.#lastAt = image.lastAt ?? '';
  }

  /** The last event that was checked and keeps the rules. */
  get last(): RecordedEvent | undefined {
    return this.#last;
  }

  /** The position that the next event must have. */
  get due(): number {
    return this.#image.position + 1;
  }

  /**
   * Returns the rule that the next event breaks, as a clause; `undefined` if it breaks none. Must
   * not be called again after a broken rule.
   */
  problemOf(row: StoredRow): string | undefined {
    const { position, data, metadata } = row;
    if (position > this.due) return 'it is missing';
    if (position !== this.due) return `position ${position} stands in its place`;
    if (typeof data !== 'string' || typeof metadata !== 'string') return 'it is not made of texts';
    if (!hasRightTypes(row)) return 'a column of it has a value of another type';
    try {
      const recorded = this.#decode(row);
      // A character has three bytes at most: nearly all records need not be made here.
      const isShort = data.length + metadata.length < MAX_RECORD_BYTES / 4;
      const bytes = isShort ? 0 : new TextEncoder().encode(recordOf(row)).length;
      if (bytes > MAX_RECORD_BYTES)
        return `its record has ${bytes} bytes, more than ${MAX_RECORD_BYTES}`;
      return this.#problemIn(recorded, row) ?? this.#fold(recorded);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      return error.message.replace(/^event at position \d+/, 'it');
    }
  }

  #problemIn(recorded: RecordedEvent, row: StoredRow): string | undefined {
    const { event, version, metadata } = recorded;
    const { orderId } = event;
    if (row.orderId !== undefined && !isSameId(orderId, row.orderId)) {
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

  /** Returns the reason, according to the domain, why no command can have led to an event. */
  #refusalOf(event: OrderEvent, slot: number): string | undefined {
    const command = { ...event, type: COMMAND_TYPES[event.type] } as OrderCommand;
    const decision = order.decide(command, this.#image.stateAt(slot));
    if (decision.kind === 'rejected') return decision.reason;
    return decision.events.length === 0 ? 'it is so already' : undefined;
  }

  #fold(recorded: RecordedEvent): undefined {
    this.#image.fold(recorded);
    this.#lastAt = recorded.metadata.at;
    this.#last = recorded;
  }
}

function isSameId(id: bigint, column: number | string): boolean {
  return typeof column === 'number' ? Number(id) === column : String(id) === column;
}
