/** One order: its state, its history, and a careful way to cancel it. */
import type { Order, StoreOrders } from '../../client/client.ts';
import { Copy, save } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf, SERVICE } from '../parts/router.ts';
import { can, client } from '../parts/session.ts';
import { curlOf } from '../state/curl.ts';
import { stepsOf } from '../state/history.ts';
import type { OrderRoute } from '../state/routes.ts';
import { CancelOrder } from './cancel-order.tsx';
import { Neighbours } from './neighbours.tsx';
import { OrderOfThen } from './order-of-then.tsx';
import { OrderState } from './order-state.tsx';
import { Timeline } from './timeline.tsx';

/** An order as the service sent it. */
export interface Sent {
  readonly order: Order;
  readonly etag: string;
  readonly text: string;
}

type Answer = Awaited<ReturnType<StoreOrders['request']>>;

export function OrderPage({ to: { id, at } }: { readonly to: OrderRoute }) {
  return at === undefined ? <OrderOfNow id={id} /> : <OrderOfThen id={id} at={at} />;
}

function OrderOfNow({ id }: { readonly id: string }) {
  const path = `v2/store/orders/${id}`;
  const { value, problem, reload } = useLoaded(`order ${id}`, async (signal) =>
    sentIn(await client.request({ method: 'GET', path: `/${path}` }, { signal })),
  );
  const events = useLoaded(can('audit:read') ? `events ${id}` : undefined, async (signal) =>
    stepsOf(await client.events.of(id, { signal })),
  );
  const reloadAll = () => {
    reload();
    events.reload();
  };
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={reloadAll} />;
  if (value === undefined) return <Loading />;
  const { order, text } = value;
  return (
    <>
      <div class="tools">
        <Neighbours id={id} />
        <button type="button" onClick={reloadAll}>
          Reload
        </button>
        <Copy text={() => addressOf({ page: 'order', id })}>Copy link</Copy>
        <Copy text={() => curlOf(`${SERVICE}${path}`)}>Copy as curl</Copy>
        <Copy text={() => text}>Copy raw JSON</Copy>
        {order.status === 'cancelled' && can('audit:read') && <ReceiptButton id={id} />}
      </div>
      <OrderState order={order} />
      <CancelOrder sent={value} onFresh={reloadAll} />
      <h2>Timeline</h2>
      {!can('audit:read') && <NeedsScope scope="audit:read" what="Who did it, and when" />}
      {events.problem !== undefined && (
        <ProblemView problem={events.problem} onRetry={events.reload} />
      )}
      {events.value !== undefined && <Timeline steps={events.value} />}
    </>
  );
}

function sentIn({ text, headers }: Answer): Sent {
  // Ids of version 2 are strings: nothing in it is rounded.
  return { order: JSON.parse(text) as Order, etag: headers.get('ETag') ?? '', text };
}

/** Downloads the receipt of the cancellation, to the byte as it was sent. */
function ReceiptButton({ id }: { readonly id: string }) {
  const download = async () => {
    const text = await client.receipt(id).text();
    save(new Blob([text], { type: 'application/json' }), `receipt-${id}.json`);
  };
  return (
    <button type="button" onClick={download}>
      Download receipt
    </button>
  );
}
