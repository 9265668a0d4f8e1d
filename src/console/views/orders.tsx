/** The list of orders: filters in the address, as of any moment, and a download of all that match. */
import { useState } from 'preact/hooks';
import type { Order, Summary } from '../../client/client.ts';
import { Chips, Copy, Download, Link } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { EmptyStore, Loading, ProblemView } from '../parts/problems.tsx';
import { addressOf, moveTo, SERVICE } from '../parts/router.ts';
import { client, fileAt, momentOf } from '../parts/session.ts';
import { curlOf } from '../state/curl.ts';
import {
  type Members,
  type OrdersRoute,
  STATUSES,
  searchOf,
  withoutAbsent,
} from '../state/routes.ts';
import type { PagedRows } from '../state/rows.ts';
import { countText } from '../state/times.ts';
import { OrderFilters } from './order-filters.tsx';
import { OrderTable, orderRows } from './order-table.tsx';

export function Orders({ to }: { readonly to: OrdersRoute }) {
  const query = queryOf(to);
  const inputs = JSON.stringify(query);
  const first = useLoaded(inputs, async (signal) => {
    const { asOf } = query;
    // One walk through the pages for each view of the list.
    const rows = orderRows(query);
    const [summary] = await Promise.all([
      client.summary({ asOf }, { signal }),
      rows.want(0, 1, signal),
    ]);
    return { summary, rows };
  });
  // Renders again when more of the list is known, which its number is taken from.
  const [, setKnown] = useState(0);
  const choose = (chosen: Partial<Members<OrdersRoute>>) =>
    moveTo(withoutAbsent<OrdersRoute>({ ...to, ...chosen }));
  const isAnything = first.value === undefined || first.value.summary.orders.total > 0;
  return (
    <>
      <div class="tools">
        <Chips
          label="Status"
          chosen={to.status}
          onChoose={(status) => choose({ status })}
          values={[[undefined, 'all'], ...STATUSES.map((each) => [each, each] as const)]}
        />
        <OrderFilters to={to} onChoose={choose} />
      </div>
      {first.problem !== undefined && (
        <ProblemView problem={first.problem} onRetry={first.reload}>
          {to.asOf !== undefined && <Now to={to} />}
        </ProblemView>
      )}
      {first.problem === undefined && first.value === undefined && <Loading />}
      {first.value !== undefined && first.problem === undefined && (
        <>
          <Tools to={to} {...first.value} onReload={first.reload} />
          {!isAnything && to.asOf === undefined && <EmptyStore />}
          <List
            key={first.value.rows}
            rows={first.value.rows}
            at={to.asOf && String(first.value.summary.asOf)}
            onKnown={setKnown}
          />
        </>
      )}
    </>
  );
}

interface ListProps {
  readonly rows: PagedRows<Order>;
  readonly at: string | undefined;
  readonly onKnown: (count: number) => void;
}

function List({ rows, at, onKnown }: ListProps) {
  if (rows.isComplete && rows.count === 0) {
    return (
      <div class="state" data-state="no_match">
        <h2>No order matches</h2>
        <Link to={{ page: 'orders' }}>Show all orders</Link>
      </div>
    );
  }
  return <OrderTable rows={rows} at={at} onLoad={() => onKnown(rows.count)} />;
}

function Now({ to }: { readonly to: OrdersRoute }) {
  const { asOf: _, ...now } = to;
  return (
    <p>
      <Link to={now}>Show the orders of now</Link>
    </p>
  );
}

interface ToolsProps {
  readonly to: OrdersRoute;
  readonly rows: PagedRows<Order>;
  readonly summary: Summary;
  readonly onReload: () => void;
}

/** The number of orders, and the ways to take the list elsewhere. */
function Tools({ to, rows, summary, onReload }: ToolsProps) {
  const request = requestOf(to);
  const name = `orders${to.status === undefined ? '' : `-${to.status}`}.csv`;
  return (
    <div class="tools">
      <p role="status" class="count">
        {countOf(to, rows, summary)}
        {to.asOf !== undefined && <b> as of position {summary.asOf}</b>}
      </p>
      <button type="button" onClick={onReload}>
        Reload
      </button>
      <Download file={() => fileAt(request, 'text/csv')} name={name}>
        Download CSV
      </Download>
      <Copy text={() => addressOf(to)}>Copy link</Copy>
      <Copy text={() => curlOf(`${SERVICE}${request}`)}>Copy as curl</Copy>
    </div>
  );
}

/**
 * Returns the number of orders that match, as far as it is known without a walk through all pages. Orders may change
 * between the pages: once the last one is there, the number is that of the list.
 */
function countOf(to: OrdersRoute, rows: PagedRows<Order>, { orders }: Summary): string {
  if (rows.isComplete) return `${countText(rows.count)} orders`;
  const isFiltered = [to.petId, to.fromId, to.toId].some((id) => id !== undefined);
  if (!isFiltered) return `${countText(orders[to.status ?? 'total'])} orders`;
  return `${countText(rows.count - 1)} orders and more`;
}

/** Returns the request for all orders of a view, below the service's address. */
function requestOf(to: OrdersRoute): string {
  return `v2/store/orders${searchOf(queryOf(to))}`;
}

/** Returns the filters of a view as requests have them. */
function queryOf({ page: _, asOf, ...filters }: OrdersRoute) {
  return { ...filters, ...(asOf !== undefined && { asOf: momentOf(asOf) }) };
}
