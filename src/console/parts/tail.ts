/** Follows the log as it grows, for as long as a page wants it and is in view. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OrderEvent, Position } from '../../client/client.ts';
import { type Follow, followInTurn, whileShown } from '../state/in-turn.ts';
import type { EventFilter } from '../state/log-rows.ts';
import { type Problem, problemOf } from '../state/problem.ts';
import { streamClient } from './session.ts';

export interface TailState {
  readonly kind: 'off' | 'opening' | 'live' | 'lost';
  /** The length of the last interruption after which the stream caught up, in milliseconds. */
  readonly gapMs?: number;
  /** The reason why the stream has ended for good. */
  readonly problem?: Problem;
  /** After a problem: opens the stream again behind the last event. */
  readonly onReopen?: () => void;
}

/** The longest time for which an event waits for others, in milliseconds. */
const BATCH_MS = 100;

export interface TailOptions {
  /** The position behind which to begin; `undefined` does not follow. */
  readonly after: Position | undefined;
  readonly filter?: EventFilter;
  /** Called with all events that have arrived within {@link BATCH_MS}. */
  readonly onEvents: (events: readonly OrderEvent[]) => void;
}

export function useTail({ after, filter = {}, onEvents }: TailOptions): TailState {
  const [state, setState] = useState<TailState>({ kind: 'off' });
  const handler = useRef(onEvents);
  handler.current = onEvents;
  useEffect(() => {
    if (after === undefined) {
      setState({ kind: 'off' });
      return;
    }
    const ending = new AbortController();
    let lostAt: number | undefined;
    const { events } = streamClient(() => {
      const gap = lostAt === undefined ? {} : { gapMs: performance.now() - lostAt };
      lostAt = undefined;
      // Each page is an answer of its own.
      setState((before) => (before.kind === 'live' ? before : { ...before, kind: 'live', ...gap }));
    });
    const onInterrupt = () => {
      lostAt ??= performance.now();
      setState({ kind: 'lost' });
    };
    const waiting: OrderEvent[] = [];
    const flush = () => {
      const batch = waiting.splice(0);
      if (!ending.signal.aborted) handler.current(batch);
    };
    let reached = after;
    const onCheckpoint = (position: string) => {
      reached = position;
    };
    const follow: Follow = async (over, signal) => {
      const options = { ...filter, after: reached, over, signal, onInterrupt, onCheckpoint };
      for await (const event of events.follow(options)) {
        if (waiting.length === 0) setTimeout(flush, BATCH_MS);
        waiting.push(event);
      }
    };
    const open = (shown: AbortSignal) => {
      setState({ kind: 'opening' });
      lostAt = undefined;
      followInTurn(navigator.locks, follow, shown).catch((error: unknown) => {
        const problem = problemOf(error, navigator.onLine);
        setState({ kind: 'off', problem, onReopen: () => open(shown) });
      });
    };
    const leave = whileShown(document, open);
    return () => {
      ending.abort();
      leave();
    };
  }, [after, filter.type, filter.commandId]);
  return state;
}
