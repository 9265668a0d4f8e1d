/** Loads the data of a page, again when its inputs change, and again after a passing problem. */
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../state/problem.ts';

export interface Loaded<Value> {
  /** The newest data; absent before the first answer. Data of other inputs are never shown. */
  readonly value?: Value | undefined;
  readonly problem?: Problem | undefined;
  readonly reload: () => void;
}

interface State<Value> {
  readonly inputs: string;
  readonly value?: Value | undefined;
  readonly problem?: Problem | undefined;
}

/**
 * @param inputs Names everything that `load` depends on; `undefined` loads nothing.
 * @param everyMs Loads again in this interval.
 */
export function useLoaded<Value>(
  inputs: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
  everyMs?: number,
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ inputs: '' });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  // Not after the next frame, as other effects: the request leaves before the page is painted.
  useLayoutEffect(() => {
    if (inputs === undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    load(signal).then(
      (value) => {
        if (!signal.aborted) setState({ inputs, value });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const problem = problemOf(error, navigator.onLine);
        setState((before) => ({ ...(before.inputs === inputs ? before : {}), inputs, problem }));
      },
    );
    return () => ending.abort();
  }, [inputs, round]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(reload, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  const isCurrent = state.inputs === inputs;
  return isCurrent ? { value: state.value, problem: state.problem, reload } : { reload };
}
