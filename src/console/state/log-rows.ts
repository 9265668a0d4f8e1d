/**
 * The events of the log up to a position, as rows. Without a filter of types any row can be loaded by
 * its position; with one, the rows are found by a walk from the end that is shown first.
 */
import type { EventType, OrderEvent, StoreOrders } from '../../client/client.ts';
import { DenseRows, PagedRows, type Rows } from './rows.ts';

const PART_EVENTS = 200;
/** The most events that one request asks for. */
const PAGE_EVENTS = 1_000;
/** The positions that the first step of a walk looks through. A step that finds little doubles the next. */
const STEP_POSITIONS = 1_000;
const STEP_POSITIONS_MAX = 64_000;
const LITTLE_EVENTS = 100;

export interface LogView {
  readonly type?: EventType | undefined;
  readonly order?: 'oldest' | undefined;
}

type Events = Pick<StoreOrders['events'], 'list'>;

/** @param head The last position that is among the rows. */
export function logRows(events: Events, head: number, { type, order }: LogView): Rows<OrderEvent> {
  const isOldestFirst = order === 'oldest';
  if (type === undefined) {
    return new DenseRows(head, PART_EVENTS, async (first, end) => {
      if (isOldestFirst) return between(events, first, end, undefined);
      return (await between(events, head - end, head - first, undefined)).reverse();
    });
  }
  const walk = isOldestFirst ? stepUp : stepDown;
  return new PagedRows((cursor) => walk(events, head, type, cursor));
}

/** Returns the events behind one position, up to another one. */
async function between(
  events: Events,
  after: number,
  to: number,
  type: EventType | undefined,
): Promise<OrderEvent[]> {
  const found: OrderEvent[] = [];
  const query = { after, type, limit: Math.max(1, Math.min(PAGE_EVENTS, to - after)) };
  for await (const { data, next } of events.list(query).pages()) {
    found.push(...data.filter(({ position }) => position <= to));
    if (next === null || positionIn(next) >= to) break;
  }
  return found;
}

/** Walks up: a cursor is the position that the step before has reached. */
async function stepUp(events: Events, head: number, type: EventType, cursor: string | undefined) {
  const query = { after: cursor, type, limit: PAGE_EVENTS };
  const { value } = await events.list(query).pages().next();
  const { data = [], next = null } = value ?? {};
  const isEnd = next === null || positionIn(next) >= head;
  return { data: data.filter(({ position }) => position <= head), next: isEnd ? null : next };
}

/** Walks down: a cursor is the position that the next step begins at, and the length of that step. */
async function stepDown(events: Events, head: number, type: EventType, cursor: string | undefined) {
  const [to = head, length = STEP_POSITIONS] = cursor?.split('/').map(Number) ?? [];
  const after = Math.max(0, to - length);
  const data = (await between(events, after, to, type)).reverse();
  const isLittle = data.length < LITTLE_EVENTS;
  const longer = isLittle ? Math.min(STEP_POSITIONS_MAX, 2 * length) : length;
  return { data, next: after > 0 ? `${after}/${longer}` : null };
}

/** Returns the number in a position, which has its epoch before it in a log that was cut. */
function positionIn(text: string): number {
  return Number(text.split(':').at(-1));
}

/** Rows with those that have arrived since they were loaded, before or behind them. */
export class GrownRows<Row> implements Rows<Row> {
  readonly #rows: Rows<Row>;
  readonly #arrived: readonly Row[];
  readonly #isBefore: boolean;

  /** @param arrived In the order in which they are shown. */
  constructor(rows: Rows<Row>, arrived: readonly Row[], isBefore: boolean) {
    this.#rows = rows;
    this.#arrived = arrived;
    this.#isBefore = isBefore;
  }

  get isComplete(): boolean {
    return this.#rows.isComplete;
  }

  get count(): number {
    // Behind rows whose end is not known yet, nothing has its place.
    const isShown = this.#isBefore || this.isComplete;
    return this.#rows.count + (isShown ? this.#arrived.length : 0);
  }

  at(index: number): Row | undefined {
    const { length } = this.#arrived;
    if (this.#isBefore) {
      return index < length ? this.#arrived[index] : this.#rows.at(index - length);
    }
    const { count } = this.#rows;
    return this.isComplete && index >= count ? this.#arrived[index - count] : this.#rows.at(index);
  }

  want(first: number, end: number): Promise<void> {
    const offset = this.#isBefore ? this.#arrived.length : 0;
    return this.#rows.want(Math.max(0, first - offset), Math.max(0, end - offset));
  }
}
