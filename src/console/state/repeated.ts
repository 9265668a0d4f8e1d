/**
 * A load that is repeated: an interval after each answer, not at fixed times. So a service that takes longer
 * than the interval is asked for one answer at a time, and each of its answers is shown.
 */

export interface Repeated<Value> {
  readonly load: (signal: AbortSignal) => Promise<Value>;
  /** The time from an answer to the next request, in milliseconds. If absent, there is one request only. */
  readonly everyMs?: number | undefined;
  readonly onValue: (value: Value) => void;
  readonly onError: (error: unknown) => void;
}

/** Begins to load. Returns a function that ends it: then neither a value nor an error comes any more. */
export function loadRepeatedly<Value>(repeated: Repeated<Value>): () => void {
  const { load, everyMs, onValue, onError } = repeated;
  const ending = new AbortController();
  const { signal } = ending;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = () => {
    if (everyMs !== undefined && !signal.aborted) timer = setTimeout(begin, everyMs);
  };
  const begin = () => {
    const shown = load(signal).then(
      (value) => signal.aborted || onValue(value),
      (error: unknown) => signal.aborted || onError(error),
    );
    void shown.finally(again);
  };
  begin();
  return () => {
    ending.abort();
    clearTimeout(timer);
  };
}
