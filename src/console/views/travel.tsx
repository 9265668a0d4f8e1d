/** Time travel: the orders as of any moment of the log, beside those of now. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { EVENT_TYPES } from '../../app/log/recorded-event.ts';
import type { EventType, Summary } from '../../client/client.ts';
import { Chips, Copy } from '../parts/controls.tsx';
import { instantNow } from '../parts/device.ts';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { EmptyStore, Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf } from '../parts/router.ts';
import { can, client, place, placeOf } from '../parts/session.ts';
import { logRows } from '../state/log-rows.ts';
import { STATUSES, type TravelRoute } from '../state/routes.ts';
import { countText } from '../state/times.ts';
import { barsOf, bucketsSince, endOf, eventsBetween } from '../state/travel.ts';
import { EventTable } from './event-table.tsx';
import { OrderTable, orderRows } from './order-table.tsx';
import { PastBand } from './past-band.tsx';
import { TravelControls } from './travel-controls.tsx';

export function Travel({ to }: { readonly to: TravelRoute }) {
  const whole = useLoaded('travel', loadWhole);
  const { at, asOf } = to;
  const moment = at === undefined ? asOf : placeOf(at);
  const both = useLoaded(whole.value && `travel ${moment}`, async (signal) => {
    const then = await client.summary({ asOf: moment }, { signal });
    // The store may have grown since the page was opened, and now is never before then.
    return { then, now: moment === undefined ? then : await client.summary({}, { signal }) };
  });
  const { then } = both.value ?? {};
  const now = useNow(both.value?.now, whole.value?.now);
  const isGrown = Number(now?.asOf) > Number(whole.value?.now.asOf);
  useEffect(() => {
    if (isGrown) whole.reload();
  }, [isGrown]);
  const reload = () => {
    whole.reload();
    both.reload();
  };
  const problem = both.problem ?? whole.problem;
  if (whole.value === undefined || now === undefined) {
    return problem === undefined ? <Loading /> : <ProblemView problem={problem} onRetry={reload} />;
  }
  const { bars } = whole.value;
  if (now.asOf === 0) return <EmptyStore />;
  return (
    <>
      {then !== undefined && moment !== undefined && (
        <PastBand position={then.asOf} at={then.lastEventAt} now={{ page: 'travel' }} />
      )}
      <TravelControls
        {...{ to, now, bars, then }}
        isLoading={both.problem === undefined && then === undefined}
      />
      <div class="tools">
        <button type="button" onClick={reload}>
          Reload
        </button>
        <Copy text={() => addressOf(to)}>Copy link</Copy>
      </div>
      {problem !== undefined && <ProblemView problem={problem} onRetry={reload} />}
      {both.problem === undefined && then === undefined && <Loading />}
      {then !== undefined && both.problem === undefined && (
        <ThenAndNow key={then.asOf} then={then} now={now} />
      )}
    </>
  );
}

/** Returns the numbers of now: those beside the moment, or the newest ones known while that is loaded. */
function useNow(beside: Summary | undefined, whole: Summary | undefined): Summary | undefined {
  const known = useRef<Summary | undefined>(undefined);
  const isNewer = Number(whole?.asOf) > Number(known.current?.asOf ?? -1);
  known.current = beside ?? (isNewer ? whole : known.current);
  return known.current;
}

/** Loads the numbers of now, and the events of every day since the first one. */
async function loadWhole(signal: AbortSignal) {
  const now = await client.summary({}, { signal });
  if (now.asOf === 0) return { now, bars: [] };
  const { lastEventAt: firstAt = instantNow() } = await client.summary(
    { asOf: place(1) },
    { signal },
  );
  // Without an end, the range ends there as well.
  const end = endOf(now, instantNow());
  const activity = await client.activity(bucketsSince(firstAt, end), { signal });
  return { now, bars: barsOf(activity) };
}

interface ThenProps {
  readonly then: Summary;
  readonly now: Summary;
}

function ThenAndNow({ then, now }: ThenProps) {
  const isPast = then.asOf < now.asOf;
  const rows = useMemo(() => orderRows({ asOf: place(then.asOf) }), [then.asOf]);
  return (
    <>
      <Numbers then={then} now={now} />
      <h2>Orders as of position {countText(then.asOf)}</h2>
      {then.orders.total === 0 ? (
        <p data-state="no_orders">No order had been placed by then.</p>
      ) : (
        <OrderTable rows={rows} at={isPast ? String(then.asOf) : undefined} />
      )}
      <h2>Since then</h2>
      {can('audit:read') ? (
        <Since then={then} now={now} />
      ) : (
        <NeedsScope scope="audit:read" what="the list of the events since then" />
      )}
    </>
  );
}

/** The numbers of both moments, side by side. */
function Numbers({ then, now }: ThenProps) {
  const row = (name: string, before: number, after: number) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      {[before, after, after - before].map((value, column) => (
        <td key={column}>
          {column === 2 && value > 0 ? `+${countText(value)}` : countText(value)}
        </td>
      ))}
    </tr>
  );
  return (
    <table class="plain" aria-label="Then and now">
      <thead>
        <tr>
          <th scope="col">Orders</th>
          <th scope="col">Then</th>
          <th scope="col">Now</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {STATUSES.map((of) => row(of, then.orders[of], now.orders[of]))}
        {row('all', then.orders.total, now.orders.total)}
      </tbody>
    </table>
  );
}

/** The events between both moments, the oldest first; they are loaded as they come into view. */
function Since({ then, now }: ThenProps) {
  const [type, setType] = useState<EventType>();
  const rows = useMemo(() => {
    const part = { events: client.events, after: then.asOf, head: now.asOf, place };
    return logRows(part, { type, order: 'oldest' });
  }, [then.asOf, now.asOf, type]);
  const countOf = (of: EventType) => eventsBetween(then, now, of);
  const texts = EVENT_TYPES.map((each) => [each, `${countText(countOf(each))} ${each}`] as const);
  const all = `all ${countText(now.asOf - then.asOf)}`;
  const isNone = (type === undefined ? now.asOf - then.asOf : countOf(type)) === 0;
  return (
    <>
      <div class="tools" data-since="">
        <Chips
          label="Events since then"
          chosen={type}
          onChoose={setType}
          values={[[undefined, all], ...texts]}
        />
      </div>
      {isNone ? (
        <p data-state="no_events">None.</p>
      ) : (
        <EventTable key={`${type}`} rows={rows} isFirst={false} />
      )}
    </>
  );
}
