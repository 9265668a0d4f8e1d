/** The history of the log: its events as CloudEvents. */

import { nextTurn } from '../../event-loop.ts';
import type { Epochs } from '../../log/epochs.ts';
import type { StoredFields } from '../../log/recorded-event.ts';
import { ID_END } from '../../log/submission.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Trail } from '../../ports/trail.ts';
import { authorOf, cloudEventOf, commandIdOf } from '../proofs/cloud-event.ts';

/** A run of the log. */
export interface EventRun {
  /** CloudEvents in JSON, by ascending position. */
  readonly events: readonly HistoricalEvent[];
  /** The position up to which the log was read: the next run begins after it. */
  readonly end: number;
  /** True if the log has later events. */
  readonly hasMore: boolean;
}

interface HistoricalEvent {
  readonly position: number;
  readonly json: string;
}

/** Criteria of events. An absent member matches every event. */
export interface EventFilter {
  readonly type?: string | undefined;
  /** The id of a command, or of the request whose several commands have ids that begin with it. */
  readonly commandId?: string | undefined;
}

/** The most events searched for one answer, however few match. */
const MAX_READ_EVENTS = 10_000;
/** The events that are read before other work on the event loop gets a turn. */
const CHUNK_EVENTS = 500;

/** The stored events as CloudEvents, with the names of their authors' keys. */
export class History {
  readonly #epochs: Epochs;
  readonly #trail: Trail;
  readonly #keys: KeyStore;

  constructor(epochs: Epochs, trail: Trail, keys: KeyStore) {
    this.#epochs = epochs;
    this.#trail = trail;
    this.#keys = keys;
  }

  /** Returns the events at these positions, as CloudEvents in JSON. */
  async at(positions: readonly number[]): Promise<readonly string[]> {
    const found = await Promise.all(
      positions.map((position) => this.#trail.stored(position - 1, 1)),
    );
    return (await this.#asCloudEvents(found.flat())).map(({ json }) => json);
  }

  /**
   * Returns the first events after a position that match, at most `limit`. There may be fewer
   * although the log has more, because one call reads at most {@link MAX_READ_EVENTS}.
   */
  async run(after: number, limit: number, filter: EventFilter = {}): Promise<EventRun> {
    const found: StoredFields[] = [];
    // One more than the limit shows that the log goes on.
    const chunk = matchesAll(filter) ? limit + 1 : CHUNK_EVENTS;
    let end = after;
    do {
      const stored = await this.#trail.stored(end, chunk);
      found.push(...stored.filter((event) => matches(event, filter)));
      if (found.length > limit) {
        const last = found[limit - 1] as StoredFields;
        return {
          events: await this.#asCloudEvents(found.slice(0, limit)),
          end: last.position,
          hasMore: true,
        };
      }
      end += stored.length;
      if (stored.length < chunk) {
        return { events: await this.#asCloudEvents(found), end, hasMore: false };
      }
      await nextTurn();
    } while (end - after < MAX_READ_EVENTS);
    return { events: await this.#asCloudEvents(found), end, hasMore: true };
  }

  async #asCloudEvents(stored: readonly StoredFields[]): Promise<readonly HistoricalEvent[]> {
    if (stored.length === 0) return [];
    const names = new Map<string, string | undefined>();
    const traces = await this.#trail.traces(stored.map(({ position }) => position));
    const cloudEvents: HistoricalEvent[] = [];
    for (const [index, event] of stored.entries()) {
      if (index % CHUNK_EVENTS === CHUNK_EVENTS - 1) await nextTurn();
      const author = authorOf(event);
      if (!names.has(author)) names.set(author, (await this.#keys.find(author))?.name);
      const { position } = event;
      const log = this.#epochs.nameAt(position);
      const json = cloudEventOf(event, log, (id) => names.get(id), traces.get(position));
      cloudEvents.push({ position, json });
    }
    return cloudEvents;
  }
}

function matchesAll({ type, commandId }: EventFilter): boolean {
  return type === undefined && commandId === undefined;
}

function matches(event: StoredFields, { type, commandId }: EventFilter): boolean {
  if (type !== undefined && event.type !== type) return false;
  if (commandId === undefined) return true;
  const own = commandIdOf(event);
  return own === commandId || own.startsWith(`${commandId}${ID_END}`);
}
