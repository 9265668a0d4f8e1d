import type { Epochs } from '../epochs.ts';
import { nextTurn } from '../event-loop.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Trail } from '../ports/trail.ts';
import { authorOf, cloudEventOf } from './cloud-event.ts';
import type { StoredFields } from './record.ts';

/** A run of the log. */
export interface EventPage {
  /** CloudEvents in JSON, by ascending position. */
  readonly events: readonly HistoricalEvent[];
  /** The position up to which the log was read: the page behind this one is what comes after it. */
  readonly end: number;
  /** Whether there is more of the log to read. */
  readonly hasMore: boolean;
}

interface HistoricalEvent {
  readonly position: number;
  readonly json: string;
}

/** How much of the log is looked through for one page, whatever is found, in events. */
const MOST_READ = 10_000;
/** Events a turn: then others get theirs. */
const CHUNK = 500;

/** What happened, for those who look back: the stored events with the names of who did it. */
export class History {
  readonly #epochs: Epochs;
  readonly #trail: Trail;
  readonly #keys: KeyStore;

  constructor(epochs: Epochs, trail: Trail, keys: KeyStore) {
    this.#epochs = epochs;
    this.#trail = trail;
    this.#keys = keys;
  }

  /** The events at these positions, as CloudEvents in JSON. */
  async at(positions: readonly number[]): Promise<readonly string[]> {
    const found = await Promise.all(
      positions.map((position) => this.#trail.stored(position - 1, 1)),
    );
    return (await this.#told(found.flat())).map(({ json }) => json);
  }

  /**
   * The first events after a position, of one type if that is asked for: at most `limit`. There may
   * be fewer although there is more to read, because no page looks through more than a part of the
   * log.
   */
  async page(after: number, limit: number, type?: string): Promise<EventPage> {
    const found: StoredFields[] = [];
    // One more than a page has, to see whether there is more.
    const chunk = type === undefined ? limit + 1 : CHUNK;
    let end = after;
    do {
      const stored = await this.#trail.stored(end, chunk);
      found.push(...stored.filter((event) => type === undefined || event.type === type));
      if (found.length > limit) {
        const last = found[limit - 1] as StoredFields;
        return {
          events: await this.#told(found.slice(0, limit)),
          end: last.position,
          hasMore: true,
        };
      }
      end += stored.length;
      if (stored.length < chunk) {
        return { events: await this.#told(found), end, hasMore: false };
      }
      await nextTurn();
    } while (end - after < MOST_READ);
    return { events: await this.#told(found), end, hasMore: true };
  }

  async #told(stored: readonly StoredFields[]): Promise<readonly HistoricalEvent[]> {
    const names = new Map<string, string | undefined>();
    const told: HistoricalEvent[] = [];
    for (const [index, event] of stored.entries()) {
      if (index % CHUNK === CHUNK - 1) await nextTurn();
      const author = authorOf(event);
      if (!names.has(author)) names.set(author, (await this.#keys.find(author))?.name);
      const json = cloudEventOf(event, this.#epochs.nameAt(event.position), (id) => names.get(id));
      told.push({ position: event.position, json });
    }
    return told;
  }
}
