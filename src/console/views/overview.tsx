/** The overview: the numbers of orders and events, the head of the log, and whether all is well. */
import type { Activity, Summary } from '../../client/client.ts';
import { Link, Time } from '../parts/controls.tsx';
import { instantNow } from '../parts/device.ts';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { EmptyStore, Loading, ProblemView, Retry } from '../parts/problems.tsx';
import { can, client, openClient } from '../parts/session.ts';
import { COUNTS, eventsIn, perMinute, readCheckpoint } from '../state/figures.ts';
import { healthOf, publicKeyOf } from '../state/open-answers.ts';
import { STATUSES } from '../state/routes.ts';
import { countText } from '../state/times.ts';
import { Age } from './age.tsx';
import { Newest } from './newest.tsx';

/** The interval at which the numbers are loaded again, in milliseconds. */
const EVERY_MS = 10_000;

export function Overview() {
  const { value, problem, reload } = useLoaded('overview', loadNumbers, EVERY_MS);
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} onRetry={reload} />}
      {value === undefined && problem === undefined && <Loading />}
      {value?.summary.orders.total === 0 && <EmptyStore />}
      {value !== undefined && <Numbers {...value} />}
      <h2>Health</h2>
      <HealthTile />
      <h2>Newest events</h2>
      {can('audit:read') ? (
        <Newest />
      ) : (
        <NeedsScope scope="audit:read" what="the newest events and the checkpoint" />
      )}
    </>
  );
}

async function loadNumbers(signal: AbortSignal) {
  const [summary, hours, minutes] = await Promise.all([
    client.summary({}, { signal }),
    client.activity({ bucket: 'hour' }, { signal }),
    client.activity({ bucket: 'minute' }, { signal }),
  ]);
  return { summary, hours, minutes };
}

interface NumbersProps {
  readonly summary: Summary;
  readonly hours: Activity;
  readonly minutes: Activity;
}

function Numbers({ summary, hours, minutes }: NumbersProps) {
  const { asOf, lastEventAt, orders } = summary;
  return (
    <>
      <ul class="tiles" aria-label="Numbers">
        {STATUSES.map((status) => (
          <li class="tile" key={status}>
            <p class="figure">{countText(orders[status])}</p>
            <Link to={{ page: 'orders', status }}>{status}</Link>
          </li>
        ))}
        <li class="tile">
          <p class="figure">{countText(orders.total)}</p>
          <Link to={{ page: 'orders' }}>orders</Link>
        </li>
        <li class="tile" data-figure="head">
          <p class="figure">{countText(asOf)}</p>
          <p>head of the log</p>
          {lastEventAt !== undefined && (
            <p class="quiet">
              <Age at={lastEventAt} />
            </p>
          )}
        </li>
        {can('audit:read') && <CheckpointTile head={asOf} />}
      </ul>
      <ActivityChart hours={hours} minutes={minutes} />
    </>
  );
}

/** Events in each of the last 24 hours, as bars and as a table for whoever sees none. */
function ActivityChart({ hours: { data }, minutes }: Omit<NumbersProps, 'summary'>) {
  const sums = data.map(eventsIn);
  const most = Math.max(1, ...sums);
  const rates = perMinute(minutes.data);
  return (
    <>
      <h2>Events in the last 24 hours</h2>
      <p data-figure="rate">
        <b>{countText(rates.last)}</b> in the last whole minute, <b>{rates.mean}</b> a minute over
        the last hour
      </p>
      <svg
        class="chart"
        viewBox={`0 0 ${sums.length} 1`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {sums.map((sum, hour) => (
          <rect
            key={data[hour]?.start}
            x={hour + 0.1}
            y={1 - sum / most}
            width={0.8}
            height={sum / most}
          />
        ))}
      </svg>
      <details>
        <summary>The numbers of each hour</summary>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Hour</th>
              {COUNTS.map(([name, title]) => (
                <th scope="col" key={name}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((bucket) => (
              <tr key={bucket.start}>
                <td>
                  <Time at={bucket.start} />
                </td>
                {COUNTS.map(([name]) => (
                  <td key={name}>{bucket[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** The newest checkpoint, and its age. It is signed again only when the log has grown. */
function CheckpointTile({ head }: { readonly head: number }) {
  const { value, problem, reload } = useLoaded(`checkpoint ${head}`, async (signal) => {
    const [note, key] = await Promise.all([
      client.checkpoint({ signal }),
      publicKeyOf(openClient, signal),
    ]);
    return { ...readCheckpoint(note, key), at: instantNow() };
  });
  return (
    <li class="tile" data-figure="checkpoint">
      <p class="figure">{value === undefined ? '…' : countText(value.size)}</p>
      <p>events in the last checkpoint</p>
      {problem !== undefined && (
        <div class="quiet">
          <p>{problem.message}</p>
          <Retry problem={problem} onRetry={reload} />
        </div>
      )}
      <p class="quiet">
        {value !== undefined && (
          <>
            root <code>{value.root.slice(0, 8)}…</code>, <Age at={value.at} />
          </>
        )}
      </p>
    </li>
  );
}

/** The readiness of the service. */
function HealthTile() {
  const { value } = useLoaded('health', (signal) => healthOf(openClient, signal), EVERY_MS);
  if (value === undefined) return <Loading />;
  const { state, message } = value;
  return (
    <p data-figure="health">
      <b>{state}</b>
      {message === '' ? '.' : `: ${message}`}
    </p>
  );
}
