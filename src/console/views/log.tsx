/** The log: all events by position, and those that arrive while it is looked at. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OrderEvent } from '../../client/client.ts';
import { Button } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { EmptyStore, Loading, ProblemView } from '../parts/problems.tsx';
import { moveTo } from '../parts/router.ts';
import { can, client, place, placeOf } from '../parts/session.ts';
import { useTail } from '../parts/tail.ts';
import { GrownRows, logRows, matchesAll } from '../state/log-rows.ts';
import { positionIn } from '../state/places.ts';
import { type LogRoute, withoutAbsent } from '../state/routes.ts';
import { countText } from '../state/times.ts';
import { EventTable } from './event-table.tsx';
import { LogTools } from './log-tools.tsx';
import { TailStatus } from './tail-status.tsx';

/** The events that are held beside the loaded rows. With more, the list is loaded again. */
const ARRIVED_MAX = 5_000;

export function Log({ to }: { readonly to: LogRoute }) {
  const isAllowed = can('audit:read');
  const [walked, setWalked] = useState<number>();
  const inputs = isAllowed ? `log ${to.type} ${to.commandId} ${to.order} ${to.at}` : undefined;
  const { value, problem, reload } = useLoaded(inputs, async (signal) => {
    setWalked(undefined);
    // Of the position that is shown first, the service says if the log has it, or still has it.
    if (to.at !== undefined) await client.summary({ asOf: placeOf(to.at) }, { signal });
    const { asOf } = await client.summary({}, { signal });
    // The rows outlast the signal: while the list is loaded again, they are still shown and scrolled.
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener('abort', end);
    const walk = { signal: ending.signal, onWalk: setWalked };
    const rows = logRows({ events: client.events, head: asOf, place, ...walk }, to);
    // Only then is it known if there is any row at all.
    await rows.want(0, 1, signal);
    signal.removeEventListener('abort', end);
    return { head: asOf, rows, end };
  });
  if (!isAllowed) return <NeedsScope scope="audit:read" what="the log" />;
  return (
    <>
      <LogTools to={to} />
      {problem !== undefined && <ProblemView problem={problem} onRetry={reload} />}
      {problem === undefined && value === undefined && <Walking at={walked} />}
      {value !== undefined && problem === undefined && (
        <Following
          key={`${inputs} ${value.head}`}
          to={to}
          head={value.head}
          loaded={value.rows}
          onLeave={value.end}
          onReload={reload}
        />
      )}
    </>
  );
}

interface FollowingProps {
  readonly to: LogRoute;
  /** The last position that is loaded; those behind it arrive. */
  readonly head: number;
  readonly loaded: ReturnType<typeof logRows>;
  /** Ends what is loading of them. */
  readonly onLeave: () => void;
  /** Begins again at the present head. */
  readonly onReload: () => void;
}

/** The rows, with those that arrive: they are shown at once, or counted while the list stands still. */
function Following({ to, head, loaded, onLeave, onReload }: FollowingProps) {
  const [arrived, setArrived] = useState<readonly OrderEvent[]>([]);
  const [count, setCount] = useState(0);
  const [isAtTop, setAtTop] = useState(true);
  const isOldest = to.order === 'oldest';
  // Rows that come in above the view would move it.
  const isStill = to.paused === true || (!isOldest && !isAtTop);
  const upTo = useRef(0);
  if (!isStill) upTo.current = count;
  const shown = upTo.current;
  const showAll = () => {
    upTo.current = count;
    setArrived([...arrived]);
  };
  useEffect(() => onLeave, [onLeave]);
  useEffect(() => {
    if (shown > ARRIVED_MAX) onReload();
  }, [shown > ARRIVED_MAX]);
  const tail = useTail({
    after: place(head),
    filter: { type: to.type, commandId: to.commandId },
    onEvents: (come) => {
      setCount((before) => before + come.length);
      setArrived((before) => [...before, ...come].slice(0, ARRIVED_MAX));
    },
  });
  const rows = useMemo(() => {
    const come = arrived.slice(0, shown);
    return new GrownRows(loaded, isOldest ? come : come.reverse(), !isOldest);
  }, [loaded, isOldest, arrived, shown]);
  const start = to.at === undefined ? 0 : positionIn(to.at) - 1;
  return (
    <>
      <FollowTools to={to} held={count - shown} arrived={count} onShow={showAll} />
      <TailStatus tail={tail} />
      {head === 0 && arrived.length === 0 && <EmptyStore />}
      {rows.count > 0 && (
        <EventTable
          rows={rows}
          isNew={({ position }) => position > head}
          startRow={isOldest && matchesAll(to) ? start : 0}
          onScroll={(scrollPx) => setAtTop(scrollPx === 0)}
        />
      )}
      {rows.count === 0 && head > 0 && <p data-state="no_match">No event matches.</p>}
    </>
  );
}

/** The state of a walk through the log that has found nothing yet. */
function Walking({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return <Loading />;
  return (
    <p class="quiet" role="status">
      Looking through the log: at position {countText(at)} …
    </p>
  );
}

interface FollowToolsProps {
  readonly to: LogRoute;
  /** The events that have arrived and are not shown yet. */
  readonly held: number;
  readonly arrived: number;
  readonly onShow: () => void;
}

function FollowTools({ to, held, arrived, onShow }: FollowToolsProps) {
  const isPaused = to.paused === true;
  const toggle = () => {
    if (isPaused) onShow();
    moveTo(withoutAbsent<LogRoute>({ ...to, paused: isPaused ? undefined : true }), true);
  };
  return (
    <div class="tools">
      <button type="button" aria-pressed={isPaused} onClick={toggle}>
        Pause
      </button>
      <Button isOff={held === 0} onClick={onShow}>
        Show {countText(held)} new
      </Button>
      <span class="quiet arrived">{countText(arrived)} came since this list was loaded</span>
    </div>
  );
}
