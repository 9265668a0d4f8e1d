/** One order: its state, its history, and a careful way to cancel it. */
import { useState } from 'preact/hooks';
import { Copy, Download } from '../parts/controls.tsx';
import { type Loaded, useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf, SERVICE } from '../parts/router.ts';
import { can, client } from '../parts/session.ts';
import { type Sent, sentIn } from '../state/answers.ts';
import { curlOf } from '../state/curl.ts';
import { type Step, stepsOf } from '../state/history.ts';
import type { OrderRoute } from '../state/routes.ts';
import { CancelOrder } from './cancel-order.tsx';
import { Neighbours } from './neighbours.tsx';
import { OrderOfThen } from './order-of-then.tsx';
import { OrderState } from './order-state.tsx';
import { Timeline } from './timeline.tsx';

export function OrderPage({ to: { id, at } }: { readonly to: OrderRoute }) {
  return at === undefined ? <OrderOfNow id={id} /> : <OrderOfThen id={id} at={at} />;
}

function OrderOfNow({ id }: { readonly id: string }) {
  // After an attempt to change the order, what was loaded before it is not shown any more.
  const [attempts, setAttempts] = useState(0);
  const [outcome, setOutcome] = useState('');
  const { value, problem, reload } = useLoaded(`order ${id} ${attempts}`, async (signal) => {
    const path = `/${pathOf(id)}`;
    return sentIn(await client.request({ method: 'GET', path }, { signal }), id);
  });
  const inputs = can('audit:read') ? `events ${id} ${attempts}` : undefined;
  const events = useLoaded(inputs, async (signal) =>
    stepsOf(await client.events.of(id, { signal })),
  );
  const reloadAll = () => {
    reload();
    events.reload();
  };
  const attempted = (said: string) => {
    setOutcome(said);
    setAttempts(attempts + 1);
  };
  return (
    <>
      <p class="outcome" role="status">
        {outcome}
      </p>
      {problem !== undefined && <ProblemView problem={problem} onRetry={reloadAll} />}
      {problem === undefined && value === undefined && <Loading />}
      {problem === undefined && value !== undefined && (
        <>
          <Tools sent={value} onReload={reloadAll} />
          <OrderState order={value.order} />
          <CancelOrder sent={value} onBegin={setOutcome} onEnd={attempted} />
          <History events={events} />
        </>
      )}
    </>
  );
}

/** Returns the address of an order, below the service's. */
function pathOf(id: string): string {
  return `v2/store/orders/${id}`;
}

interface ToolsProps {
  readonly sent: Sent;
  readonly onReload: () => void;
}

function Tools({ sent: { order, text }, onReload }: ToolsProps) {
  const { id, status } = order;
  // To the byte as it was sent.
  const receipt = async () => {
    const sent = await client.receipt(id).text();
    return new Blob([sent], { type: 'application/json' });
  };
  return (
    <div class="tools">
      <Neighbours id={id} />
      <button type="button" onClick={onReload}>
        Reload
      </button>
      <Copy text={() => addressOf({ page: 'order', id })}>Copy link</Copy>
      <Copy text={() => curlOf(`${SERVICE}${pathOf(id)}`)}>Copy as curl</Copy>
      <Copy text={() => text}>Copy raw JSON</Copy>
      {status === 'cancelled' && can('audit:read') && (
        <Download file={receipt} name={`receipt-${id}.json`}>
          Download receipt
        </Download>
      )}
    </div>
  );
}

function History({ events }: { readonly events: Loaded<readonly Step[]> }) {
  return (
    <>
      <h2>Timeline</h2>
      {!can('audit:read') && <NeedsScope scope="audit:read" what="who did it, and when" />}
      {events.problem !== undefined && (
        <ProblemView problem={events.problem} onRetry={events.reload} />
      )}
      {events.value !== undefined && <Timeline steps={events.value} />}
    </>
  );
}
