/** Loads the data of a page, again when its inputs change, and again after a passing problem. */
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../state/problem.ts';
import { loadRepeatedly } from '../state/repeated.ts';

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
 * @param everyMs Loads again so long after each answer.
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
    return loadRepeatedly({
      load,
      everyMs,
      onValue: (value) => setState({ inputs, value }),
      onError: (error) => {
        const problem = problemOf(error, navigator.onLine);
        setState((before) => ({ ...(before.inputs === inputs ? before : {}), inputs, problem }));
        return problem.retryMs ?? 0;
      },
    });
  }, [inputs, round, everyMs]);
  const isCurrent = state.inputs === inputs;
  return isCurrent ? { value: state.value, problem: state.problem, reload } : { reload };
}
