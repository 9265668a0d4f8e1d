/** The state of a stream of events, in words. */
import type { TailState } from '../parts/tail.ts';
import { isWorthRetry } from '../state/problem.ts';
import { durationText } from '../state/times.ts';

const WORDS: Readonly<Record<TailState['kind'], string>> = {
  off: 'Not following the log.',
  opening: 'Opening the stream …',
  live: 'Live.',
  lost: 'The stream is lost. It goes on behind the last event as soon as the service answers.',
};

export function TailStatus({ tail }: { readonly tail: TailState }) {
  const { kind, gapMs, problem, onReopen } = tail;
  const caughtUp =
    gapMs === undefined ? '' : ` Caught up after an interruption of ${durationText(gapMs)}.`;
  return (
    <div class="quiet" data-tail={kind} data-gap={gapMs === undefined ? undefined : ''}>
      <p role="status">{problem?.message ?? `${WORDS[kind]}${caughtUp}`}</p>
      {problem !== undefined && isWorthRetry(problem) && (
        <button type="button" onClick={onReopen}>
          Follow again
        </button>
      )}
    </div>
  );
}
