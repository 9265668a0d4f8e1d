/**
 * The events of the log between two positions, as rows. Without a filter any row can be loaded by its
 * position; with one, the rows are found by a walk from the end that is shown first.
 */
import type { EventQuery, OrderEvent, Position, StoreOrders } from '../../client/client.ts';
import { MAX_PAGE_ITEMS } from '../../client/paged.ts';
import { positionIn } from './places.ts';
import { DenseRows, PagedRows, type Rows } from './rows.ts';

const PART_EVENTS = 200;
/** The positions that the first step of a walk looks through. A step that finds little doubles the next. */
const STEP_POSITIONS = 1_000;
const STEP_POSITIONS_MAX = 64_000;
const LITTLE_EVENTS = 100;

/** Criteria of events. An absent member matches every event. */
export type EventFilter = Pick<EventQuery, 'type' | 'commandId'>;

/** Returns true for criteria that every event matches. */
export function matchesAll({ type, commandId }: EventFilter): boolean {
  return type === undefined && commandId === undefined;
}

export interface LogView extends EventFilter {
  readonly order?: 'oldest' | undefined;
}

/** The part of the log that becomes rows: the events behind one position, up to another one. */
export interface LogPart {
  readonly events: Pick<StoreOrders['events'], 'list'>;
  /** The position before the first row; 0 if absent. */
  readonly after?: number;
  readonly head: number;
  /** Returns a position as requests name it. */
  readonly place: (position: number) => Position;
  /** Ends what is loading. */
  readonly signal?: AbortSignal;
  /** Called with the position that a walk has come to. */
  readonly onWalk?: (position: number) => void;
}

export function logRows(part: LogPart, { type, commandId, order }: LogView): Rows<OrderEvent> {
  const { after: base = 0, head } = part;
  const isOldestFirst = order === 'oldest';
  if (matchesAll({ type, commandId })) {
    return new DenseRows(head - base, PART_EVENTS, async (first, end) => {
      if (isOldestFirst) return between(part, base + first, base + end, {});
      return (await between(part, head - end, head - first, {})).reverse();
    });
  }
  const walk = isOldestFirst ? stepUp : stepDown;
  return new PagedRows((cursor) => walk(part, { type, commandId }, cursor));
}

/** Returns the events behind one position, up to another one. */
async function between(
  { events, place, signal }: LogPart,
  after: number,
  to: number,
  filter: EventFilter,
): Promise<OrderEvent[]> {
  const found: OrderEvent[] = [];
  const limit = Math.max(1, Math.min(MAX_PAGE_ITEMS, to - after));
  const query = { ...filter, after: place(after), limit };
  for await (const { data, next } of events.list(query, { signal }).pages()) {
    found.push(...data.filter(({ position }) => position <= to));
    if (next === null || positionIn(next) >= to) break;
  }
  return found;
}

/** Walks up: a cursor is the position that the step before has reached. */
async function stepUp(
  { events, after = 0, head, place, signal, onWalk }: LogPart,
  filter: EventFilter,
  cursor: string | undefined,
) {
  const query = { ...filter, after: cursor ?? place(after), limit: MAX_PAGE_ITEMS };
  const { value } = await events.list(query, { signal }).pages().next();
  const { data = [], next = null } = value ?? {};
  const isEnd = next === null || positionIn(next) >= head;
  if (next !== null) onWalk?.(positionIn(next));
  return { data: data.filter(({ position }) => position <= head), next: isEnd ? null : next };
}

/** Walks down: a cursor is the position that the next step begins at, and the length of that step. */
async function stepDown(part: LogPart, filter: EventFilter, cursor: string | undefined) {
  const { after: base = 0, head } = part;
  const [to = head, length = STEP_POSITIONS] = cursor?.split('/').map(Number) ?? [];
  const after = Math.max(base, to - length);
  const data = (await between(part, after, to, filter)).reverse();
  part.onWalk?.(after);
  const isLittle = data.length < LITTLE_EVENTS;
  const longer = isLittle ? Math.min(STEP_POSITIONS_MAX, 2 * length) : length;
  return { data, next: after > base ? `${after}/${longer}` : null };
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

  want(first: number, end: number, signal?: AbortSignal): Promise<void> {
    const offset = this.#isBefore ? this.#arrived.length : 0;
    return this.#rows.want(Math.max(0, first - offset), Math.max(0, end - offset), signal);
  }
}
