/** The log: all events by position, and those that arrive while it is looked at. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OrderEvent } from '../../client/client.ts';
import { Badge, Chips, Copy, Link, Time } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { EmptyStore, Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf, moveTo, SERVICE } from '../parts/router.ts';
import { can, client } from '../parts/session.ts';
import { useTail } from '../parts/tail.ts';
import { VirtualTable } from '../parts/virtual-table.tsx';
import { curlOf } from '../state/curl.ts';
import { GrownRows, logRows } from '../state/log-rows.ts';
import { EVENT_TYPES, type LogRoute, type Members, withoutAbsent } from '../state/routes.ts';
import { countText } from '../state/times.ts';
import { TailStatus } from './tail-status.tsx';

/** The events that are held beside the loaded rows. With more, the list is loaded again. */
const ARRIVED_MAX = 5_000;

const COLUMNS = ['Position', 'Time', 'Event', 'Order', 'By'];

export function Log({ to }: { readonly to: LogRoute }) {
  const isAllowed = can('audit:read');
  const inputs = isAllowed ? `log ${to.type} ${to.order}` : undefined;
  const { value, problem, reload } = useLoaded(inputs, async (signal) => {
    const { asOf } = await client.summary({}, { signal });
    const rows = logRows(client.events, asOf, to);
    // Only then is it known if there is any row at all.
    await rows.want(0, 1);
    return { head: asOf, rows };
  });
  if (!isAllowed) return <NeedsScope scope="audit:read" what="The log" />;
  return (
    <>
      <LogTools to={to} />
      {problem !== undefined && <ProblemView problem={problem} onRetry={reload} />}
      {problem === undefined && value === undefined && <Loading />}
      {value !== undefined && problem === undefined && (
        <Following
          key={`${inputs} ${value.head}`}
          to={to}
          head={value.head}
          loaded={value.rows}
          onReload={reload}
        />
      )}
    </>
  );
}

function LogTools({ to }: { readonly to: LogRoute }) {
  const isOldest = to.order === 'oldest';
  const { type } = to;
  const choose = (chosen: Partial<Members<LogRoute>>) => {
    moveTo(withoutAbsent<LogRoute>({ ...to, at: undefined, ...chosen }));
  };
  const search = type === undefined ? '' : `?type=${type}`;
  return (
    <div class="tools">
      <Chips
        label="Type of event"
        chosen={type}
        onChoose={(chosen) => choose({ type: chosen })}
        values={[[undefined, 'all'], ...EVENT_TYPES.map((each) => [each, each] as const)]}
      />
      <button
        type="button"
        aria-pressed={isOldest}
        onClick={() => choose({ order: isOldest ? undefined : 'oldest' })}
      >
        Oldest first
      </button>
      <Copy text={() => addressOf(to)}>Copy link</Copy>
      <Copy text={() => curlOf(`${SERVICE}v2/store/events${search}`)}>Copy as curl</Copy>
    </div>
  );
}

interface FollowingProps {
  readonly to: LogRoute;
  /** The last position that is loaded; those behind it arrive. */
  readonly head: number;
  readonly loaded: ReturnType<typeof logRows>;
  /** Begins again at the present head. */
  readonly onReload: () => void;
}

/** The rows, with those that arrive: they are shown at once, or counted while the list stands still. */
function Following({ to, head, loaded, onReload }: FollowingProps) {
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
  useEffect(() => {
    if (shown > ARRIVED_MAX) onReload();
  }, [shown > ARRIVED_MAX]);
  const tail = useTail({
    after: head,
    type: to.type,
    onEvents: (come) => {
      setCount((before) => before + come.length);
      setArrived((before) => [...before, ...come].slice(0, ARRIVED_MAX));
    },
  });
  const rows = useMemo(() => {
    const come = arrived.slice(0, shown);
    return new GrownRows(loaded, isOldest ? come : come.reverse(), !isOldest);
  }, [loaded, isOldest, arrived, shown]);
  const start = to.at === undefined ? 0 : Number(to.at) - 1;
  return (
    <>
      <FollowTools to={to} held={count - shown} arrived={count} onShow={showAll} />
      <TailStatus tail={tail} />
      {head === 0 && arrived.length === 0 && <EmptyStore />}
      {rows.count > 0 && (
        <VirtualTable
          kind="log"
          label="Events"
          columns={COLUMNS}
          rows={rows}
          cells={cellsOf}
          isNew={({ position }) => position > head}
          startRow={isOldest && to.type === undefined ? start : 0}
          onScroll={(scrollPx) => setAtTop(scrollPx === 0)}
        />
      )}
      {rows.count === 0 && head > 0 && <p data-state="no_match">No event is of this type.</p>}
    </>
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
      <button type="button" disabled={held === 0} onClick={onShow}>
        Show {countText(held)} new
      </button>
      <span class="quiet arrived">{countText(arrived)} came since this page was opened</span>
    </div>
  );
}

function cellsOf({ position, time, type, data, keyname, by }: OrderEvent) {
  return [
    String(position),
    <Time key="time" at={time} />,
    <Badge key="type" of={type} />,
    <Link key="order" to={{ page: 'order', id: data.orderId }}>
      {data.orderId}
    </Link>,
    keyname ?? by,
  ];
}
