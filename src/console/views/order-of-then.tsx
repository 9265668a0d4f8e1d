/** One order as of a position of the past. Nothing can be changed there. */
import { Copy } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf } from '../parts/router.ts';
import { can, client, placeOf } from '../parts/session.ts';
import { stepsOf, stepsUpTo } from '../state/history.ts';
import { positionIn } from '../state/places.ts';
import { OrderState } from './order-state.tsx';
import { PastBand } from './past-band.tsx';
import { Timeline } from './timeline.tsx';

interface ThenProps {
  readonly id: string;
  readonly at: string;
}

export function OrderOfThen({ id, at }: ThenProps) {
  const { value, problem, reload } = useLoaded(`order ${id} ${at}`, async (signal) => {
    const asOf = placeOf(at);
    const [summary, { value: page }, events] = await Promise.all([
      client.summary({ asOf }, { signal }),
      client
        .list({ id: [id], asOf }, { signal })
        .pages()
        .next(),
      can('audit:read') ? client.events.of(id, { signal }) : undefined,
    ]);
    return { summary, order: page?.data[0], steps: events && stepsOf(events) };
  });
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  const { summary, order, steps } = value;
  const then = steps && stepsUpTo(steps, positionIn(at));
  const later = steps && then && steps.length - then.length;
  return (
    <>
      <PastBand position={summary.asOf} at={summary.lastEventAt} now={{ page: 'order', id }} />
      <div class="tools">
        <Copy text={() => addressOf({ page: 'order', id, at })}>Copy link</Copy>
      </div>
      {order === undefined ? (
        <p data-state="not_placed">The order had not been placed by then.</p>
      ) : (
        <OrderState order={order} />
      )}
      <h2>Timeline up to then</h2>
      {then === undefined && <NeedsScope scope="audit:read" what="who did it, and when" />}
      {then !== undefined && then.length > 0 && <Timeline steps={then} />}
      {later !== undefined && (
        <p class="quiet" data-later={later}>
          {later === 0 ? 'Nothing has happened to it since then.' : `Events since then: ${later}.`}
        </p>
      )}
    </>
  );
}
