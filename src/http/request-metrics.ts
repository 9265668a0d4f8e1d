/** The metrics of requests: their durations and error codes. */
import { Histogram, type HistogramReading } from '../app/histogram.ts';
import type { Sample } from '../app/metric.ts';
import { ERRORS, type ErrorCode } from './api-error.ts';
import type { RequestContext } from './request-context.ts';
import { shownMethod } from './requests/shown.ts';

/** In seconds: a cached read takes less than a millisecond, a list of a million orders seconds. */
const DURATION_BOUNDS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** The classes of status, by their first digit; at 0 the requests that were aborted without one. */
type ByStatusClass = (Histogram | undefined)[];

/** Counts completed requests. Allocates only for the first request of each kind. */
export class RequestMetrics {
  /** By the name of the operation, then by method. */
  readonly #durations = new Map<string, Map<string, ByStatusClass>>();
  // Every code is shown from 0 on: the increase of a series that begins at 1 would be 0.
  readonly #errors = new Map((Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, 0]));

  /** @param durationMs The time from reading the request's head until its response was complete. */
  observe({ operation, req, status, refusal }: RequestContext, durationMs: number): void {
    const byMethod = getOrAdd(this.#durations, operation, () => new Map<string, ByStatusClass>());
    const byClass = getOrAdd(byMethod, shownMethod(req.method), () => []);
    const statusClass = ((status ?? 0) / 100) | 0;
    byClass[statusClass] ??= new Histogram(DURATION_BOUNDS_S);
    byClass[statusClass].observe(durationMs / 1_000);
    if (refusal !== undefined) this.countError(refusal);
  }

  /** Counts an Error that was sent, also one to bytes that are no request, and so have no operation. */
  countError(code: ErrorCode): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  /** Yields the durations in seconds, by operation, method and class of status. */
  *durations(): Generator<Sample<HistogramReading>> {
    for (const [operation, byMethod] of this.#durations) {
      for (const [method, byClass] of byMethod) {
        for (const [digit, histogram] of byClass.entries()) {
          if (histogram === undefined) continue;
          const status = digit === 0 ? 'aborted' : `${digit}xx`;
          yield { labels: { operation, method, status }, value: histogram.read() };
        }
      }
    }
  }

  /** The number of responses with each error code, 0 for those that none has had. */
  get errors(): ReadonlyMap<ErrorCode, number> {
    return this.#errors;
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
