/**
 * A load that is repeated: an interval after each answer, not at fixed times. So a service that takes longer
 * than the interval is asked for one answer at a time, and each of its answers is shown.
 */
import { pause } from '../../client/limit.ts';

export interface Repeated<Value> {
  readonly load: (signal: AbortSignal) => Promise<Value>;
  /** The time from an answer to the next request, in milliseconds. If absent, there is one request only. */
  readonly everyMs?: number | undefined;
  readonly onValue: (value: Value) => void;
  /** Returns the least wait before the next request, in milliseconds. */
  readonly onError: (error: unknown) => number;
}

/** Begins to load. Returns a function that ends it: then neither a value nor an error comes any more. */
export function loadRepeatedly<Value>(repeated: Repeated<Value>): () => void {
  const { load, everyMs, onValue, onError } = repeated;
  const ending = new AbortController();
  const { signal } = ending;
  const begin = () => {
    let waitMs = 0;
    const shown = load(signal).then(
      (value) => signal.aborted || onValue(value),
      (error: unknown) => {
        if (!signal.aborted) waitMs = onError(error);
      },
    );
    void shown.finally(async () => {
      if (everyMs === undefined) return;
      await pause(Math.max(everyMs, waitMs), signal);
      if (!signal.aborted) begin();
    });
  };
  begin();
  return () => ending.abort();
}
