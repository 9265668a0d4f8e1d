/** A check that takes a while: its progress, a way to cancel it, and its outcome. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Verified } from '../state/proof-steps.ts';
import { countText } from '../state/times.ts';
import { ProofResult } from './proof-result.tsx';

/** The progress of a check. */
interface Done {
  readonly events: number;
  /** From 0 to 1. */
  readonly part: number;
}

interface CheckProps<Checked extends Verified> {
  readonly title: string;
  readonly name: string;
  /** Everything that the check reads: it runs again when one of these changes. */
  readonly inputs: readonly unknown[];
  /** Rejects with the reason of the signal if it is aborted. */
  readonly check: (signal: AbortSignal, report: (done: Done) => void) => Promise<Checked>;
  readonly children?: (checked: Checked) => ComponentChildren;
}

type State<Checked> =
  | { readonly kind: 'checking'; readonly done: Done; readonly cancel: () => void }
  | { readonly kind: 'checked'; readonly checked: Checked; readonly seconds: number }
  | { readonly kind: 'stopped'; readonly reason: string };

export function LongCheck<Checked extends Verified>(props: CheckProps<Checked>) {
  const { title, name, inputs, check, children } = props;
  const [round, setRound] = useState(0);
  const state = useCheck(check, [...inputs, round]);
  const again = (
    <button type="button" onClick={() => setRound(round + 1)}>
      Verify it again
    </button>
  );
  if (state === undefined) return null;
  if (state.kind === 'stopped') {
    return (
      <div class="state" data-state="stopped">
        <p>{state.reason}</p>
        {again}
      </div>
    );
  }
  if (state.kind === 'checking') {
    const { done, cancel } = state;
    return (
      <div class="state" data-state="checking">
        <label>
          Checking <bdi>{name}</bdi>: {countText(done.events)} events{' '}
          <progress max={1} value={done.part} />
        </label>{' '}
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    );
  }
  const { checked, seconds } = state;
  return (
    <ProofResult title={title} verified={checked}>
      <p class="quiet">
        Checked in {seconds.toFixed(1)} s. {again}
      </p>
      {children?.(checked)}
    </ProofResult>
  );
}

/** Runs the check, and again whenever an input changes. */
function useCheck<Checked>(
  check: CheckProps<Checked & Verified>['check'],
  inputs: readonly unknown[],
): State<Checked> | undefined {
  const [state, setState] = useState<State<Checked>>();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const cancel = () => ending.abort('The check was cancelled.');
    const begin = performance.now();
    const report = (done: Done) => setState({ kind: 'checking', done, cancel });
    report({ events: 0, part: 0 });
    const run = async () => {
      const checked = await check(signal, report);
      signal.throwIfAborted();
      return checked;
    };
    run().then(
      (checked) => {
        const seconds = (performance.now() - begin) / 1_000;
        setState({ kind: 'checked', checked, seconds });
      },
      (error: unknown) => {
        const { aborted, reason } = signal;
        if (reason === REPLACED) return;
        setState({
          kind: 'stopped',
          reason: aborted ? String(reason) : `The file cannot be read: ${error}`,
        });
      },
    );
    return () => ending.abort(REPLACED);
  }, inputs);
  return state;
}

/** The reason why a check ends when its page, or what it checks, is replaced. */
const REPLACED = 'replaced';
