/** The events of the log: read to its end, or followed as it grows. */
import { areEventsOf, areEventsOfOrder } from './asked.ts';
import { isFailure } from './callers.ts';
import type { StoreOrdersError } from './error.ts';
import { pause } from './limit.ts';
import { queryOfNext } from './link.ts';
import type { CallOptions } from './options.ts';
import { MAX_PAGE_ITEMS, Paged } from './paged.ts';
import { delayAfter, isPassing } from './retry-policy.ts';
import { messagesIn } from './server-sent-events.ts';
import type { EventPage, EventType, Id, OrderEvent, Position } from './shapes.ts';
import type { Transport } from './transport.ts';
import { idText, isEvent, isEvents, jsonOf, placeOf, queryOf, requireAsked } from './values.ts';

const PATH = '/v2/store/events';

/** The wait before an ended stream is opened again, and between two pages at the log's end. */
const PAUSE_MS = 1_000;
/** The service sends a comment every 15 seconds: after three without one, the connection is dead. */
const SILENCE_MS = 45_000;

export interface EventQuery<Type extends EventType = EventType> {
  /** Events behind this position; from the first one if absent. */
  readonly after?: Position | undefined;
  readonly type?: Type | undefined;
  /** Events of the command with this id, or of the request: the `X-Request-Id` of its response. */
  readonly commandId?: string | undefined;
}

export interface FollowOptions<Type extends EventType = EventType>
  extends EventQuery<Type>,
    Omit<CallOptions, 'timeoutMs' | 'retries'> {
  /**
   * Called with a position once everything up to it has been handled: when the loop asks for the
   * next event. Start again with it as `after`. The next event waits for its result.
   */
  readonly onCheckpoint?: ((position: string) => void | Promise<void>) | undefined;
  /** The transfer: a stream, which is the default, or pages, one a second at the end of the log. */
  readonly over?: 'stream' | 'pages' | undefined;
  /** The longest silence of a stream before it is opened again, in milliseconds; default 45,000. */
  readonly silenceMs?: number | undefined;
  /** Called when the log cannot be read, and awaited before the wait for another attempt. */
  readonly onInterrupt?: ((error: StoreOrdersError, delayMs: number) => unknown) | undefined;
}

/** A position that was reached, with its event if that matches the query. */
interface Step {
  readonly position: string;
  readonly event?: OrderEvent | undefined;
}

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the events of one order, the oldest first. */
  async of(id: Id, options?: CallOptions): Promise<readonly OrderEvent[]> {
    const orderId = idText(id);
    const request = { method: 'GET', path: `/v2/store/orders/${orderId}/events` };
    const isOfOrder = (events: readonly OrderEvent[]) => areEventsOfOrder(events, orderId);
    return jsonOf(await this.#transport.send(request, options), isEvents, isOfOrder);
  }

  /** Returns the events up to the end of the log. */
  list<Type extends EventType = EventType>(
    query: EventQuery<Type> & { readonly limit?: number | undefined } = {},
    options?: CallOptions,
  ): Paged<OrderEvent<Type>, EventPage<Type>> {
    return new Paged(async (before) => {
      const behind = before && { after: before.next as string };
      return (await this.#page({ ...query, ...behind }, options)) as EventPage<Type>;
    });
  }

  /**
   * Returns the events and goes on with new ones as they are recorded, until the signal aborts. Every
   * event comes at least once and in order. Interruptions are bridged, however long they last;
   * throws for what does not pass, such as `unauthorized`.
   */
  async *follow<Type extends EventType = EventType>(
    options: FollowOptions<Type> = {},
  ): AsyncGenerator<OrderEvent<Type>, void, void> {
    // The client's signal where there is none.
    const { signal } = this.#transport.settings(options);
    for await (const { position, event } of this.#reached({ ...options, signal })) {
      if (event !== undefined) yield event as OrderEvent<Type>;
      await options.onCheckpoint?.(position);
      // Events that have arrived before it are not wanted any more.
      if (signal?.aborted) return;
    }
  }

  /** Returns the positions one after the other, with their events, across all interruptions. */
  async *#reached(options: FollowOptions): AsyncGenerator<Step> {
    const { signal, onInterrupt } = options;
    let after = String(options.after ?? 0);
    let failures = 0;
    while (!signal?.aborted) {
      let delayMs = delayAfter(1, PAUSE_MS);
      try {
        for await (const step of this.#steps(after, options)) {
          failures = 0;
          after = step.position;
          yield step;
        }
      } catch (error) {
        if (!isFailure(error)) throw error;
        if (error.code === 'aborted') return;
        if (!isPassing(error)) throw error;
        failures += 1;
        delayMs = delayAfter(failures, error.retryAfterMs);
        await onInterrupt?.(error, delayMs);
      }
      await pause(delayMs, signal);
    }
  }

  #steps(after: string, options: FollowOptions): AsyncGenerator<Step> {
    const query = { after, type: options.type, commandId: options.commandId };
    return options.over === 'pages' ? this.#paged(query, options) : this.#streamed(query, options);
  }

  async *#streamed(query: EventQuery, options: FollowOptions): AsyncGenerator<Step> {
    const { silenceMs = SILENCE_MS } = options;
    const headers = { Accept: 'text/event-stream' };
    const request = { method: 'GET', path: PATH, query: queryOf(query), headers };
    const pieces = this.#transport.stream(request, options, silenceMs);
    let { after } = query;
    for await (const { id, data } of messagesIn(pieces)) {
      const answer = { status: 200, text: data ?? '' };
      const event = data === undefined ? undefined : jsonOf<OrderEvent>(answer, isEvent);
      const position = event ? placeOf(event) : (id ?? String(after));
      const asked = { ...query, after };
      requireAsked(answer, areEventsOf(event ? [event] : [], asked, id ?? position));
      yield { position, event };
      after = position;
    }
  }

  async *#paged(query: EventQuery, options: FollowOptions): AsyncGenerator<Step> {
    const pages = { ...query, limit: MAX_PAGE_ITEMS };
    for await (const { data, next } of this.list(pages, { ...options, retries: 0 }).pages()) {
      let reached: string | undefined;
      for (const event of data) {
        reached = placeOf(event);
        yield { position: reached, event };
      }
      if (next !== null && next !== reached) yield { position: next };
    }
  }

  async #page(query: EventQuery, options?: CallOptions): Promise<EventPage> {
    const request = { method: 'GET', path: PATH, query: queryOf(query) };
    const answer = await this.#transport.send(request, options);
    const data = jsonOf<readonly OrderEvent[]>(answer, isEvents);
    const last = data.at(-1);
    // The header may have been lost on the way, so only an empty page without it is the end of the log.
    const behind = last === undefined ? null : placeOf(last);
    const link = queryOfNext(answer.headers.get('Link') ?? '');
    const next = link?.get('after') ?? behind;
    // A page behind itself would be the same one for ever.
    requireAsked(answer, next !== `${query.after ?? 0}`);
    requireAsked(answer, areEventsOf(data, query, next));
    return { data, next };
  }
}
