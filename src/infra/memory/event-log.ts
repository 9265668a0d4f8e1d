import { type RecordedEvent, recordedBehind } from '../../app/log/recorded-event.ts';
import type {
  AppendResult,
  Decide,
  EventLog,
  KeptOutcome,
  OutcomeName,
} from '../../app/ports/event-log.ts';
import { encode } from '../events/codec.ts';
import { KeptInBatch, nameText } from '../events/kept-in-batch.ts';
import { MemoryTrail } from './trail.ts';

/** Events a chunk: few, so that whoever reads in chunks is tested with many of them. */
const CHUNK_EVENTS = 100;

/**
 * The log in memory: the port's reference implementation, for tests and for measuring what the
 * engines cost. Nothing in it outlives the process, so no server is ever started on it.
 */
export class MemoryEventLog implements EventLog {
  readonly trail = new MemoryTrail();
  readonly #events: RecordedEvent[] = [];
  readonly #kept = new Map<string, KeptOutcome>();
  readonly #watchers = new Set<() => void>();

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    for (let seen = after; seen < this.#events.length; seen += CHUNK_EVENTS) {
      yield this.#events.slice(seen, seen + CHUNK_EVENTS);
    }
  }

  async append(
    seen: number,
    decide: Decide,
    asked: readonly OutcomeName[] = [],
  ): Promise<AppendResult> {
    const head = this.#events.length;
    const kept = new KeptInBatch(asked, (name) => this.#kept.get(nameText(name)));
    const decided = decide(this.#events.slice(seen), kept);
    for (const outcome of kept.added) this.#kept.set(nameText(outcome), outcome);
    const events = recordedBehind(head, decided);
    this.#events.push(...events);
    for (const event of events) this.trail.append(encode(event), event.traceparent);
    if (events.length > 0) for (const grown of this.#watchers) setImmediate(grown);
    return { kind: 'appended', events };
  }

  async head(): Promise<number> {
    return this.#events.length;
  }

  watch(grown: () => void): () => void {
    this.#watchers.add(grown);
    return () => this.#watchers.delete(grown);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }
}
