/** The state of a stream of events, in words. */
import type { TailState } from '../parts/tail.ts';
import { durationText } from '../state/times.ts';

const WORDS: Readonly<Record<TailState['kind'], string>> = {
  off: 'Not following the log.',
  opening: 'Opening the stream …',
  live: 'Live.',
  lost: 'The stream is lost. It goes on behind the last event as soon as the service answers.',
};

export function TailStatus({ tail: { kind, gapMs, problem } }: { readonly tail: TailState }) {
  const caughtUp =
    gapMs === undefined ? '' : ` Caught up after an interruption of ${durationText(gapMs)}.`;
  return (
    <p class="quiet" role="status" data-tail={kind} data-gap={gapMs === undefined ? undefined : ''}>
      {problem?.message ?? `${WORDS[kind]}${caughtUp}`}
    </p>
  );
}
