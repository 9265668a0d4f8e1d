/** The newest events of the log, live. */
import { useState } from 'preact/hooks';
import type { OrderEvent } from '../../client/client.ts';
import { Badge, Link, Time } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { client, place } from '../parts/session.ts';
import { useTail } from '../parts/tail.ts';
import { TailStatus } from './tail-status.tsx';

const SHOWN_EVENTS = 10;

export function Newest() {
  const [arrived, setArrived] = useState<readonly OrderEvent[]>([]);
  const { value, problem, reload } = useLoaded('newest', async (signal) => {
    const { asOf } = await client.summary({}, { signal });
    const query = { after: place(Math.max(0, asOf - SHOWN_EVENTS)), limit: SHOWN_EVENTS };
    const page = await client.events.list(query, { signal }).pages().next();
    const events = page.value?.data ?? [];
    return { events, end: events.at(-1)?.position ?? 0 };
  });
  const tail = useTail({
    after: value && place(value.end),
    onEvents: (come) => setArrived((before) => [...before, ...come].slice(-SHOWN_EVENTS)),
  });
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  const shown = [...value.events, ...arrived].slice(-SHOWN_EVENTS).reverse();
  return (
    <>
      <TailStatus tail={tail} />
      <ul class="newest">
        {shown.map((event) => (
          <li key={event.position}>
            {event.position} <Badge of={event.type} />{' '}
            <Link to={{ page: 'order', id: event.data.orderId }}>{event.data.orderId}</Link>{' '}
            <Time at={event.time} />
          </li>
        ))}
      </ul>
    </>
  );
}
