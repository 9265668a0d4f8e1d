/** Orders as a table, as of now or of a position. */
import type { ListQuery, Order } from '../../client/client.ts';
import { Badge, Link, Time } from '../parts/controls.tsx';
import { client } from '../parts/session.ts';
import { VirtualTable } from '../parts/virtual-table.tsx';
import { PagedRows } from '../state/rows.ts';

const PAGE_ORDERS = 500;
const COLUMNS = ['Order', 'Status', 'Pet', 'Quantity', 'Placed', 'Ship date'];

/** Returns the orders that pass some filters, which are loaded as they come into view. */
export function orderRows(query: ListQuery): PagedRows<Order> {
  return new PagedRows<Order>(async (after) => {
    const list = client.list({ ...query, after, limit: PAGE_ORDERS });
    const { value } = await list.pages().next();
    return value ?? { data: [], next: null };
  });
}

interface TableProps {
  readonly rows: PagedRows<Order>;
  /** The position as of which the orders are; absent for the orders of now. */
  readonly at?: string | undefined;
  readonly onLoad?: (() => void) | undefined;
}

export function OrderTable({ rows, at, onLoad }: TableProps) {
  const cells = ({ id, status, petId, quantity, placedAt, shipDate }: Order) => [
    <Link key="id" to={{ page: 'order', id, ...(at !== undefined && { at }) }}>
      {id}
    </Link>,
    <Badge key="status" of={status} />,
    petId,
    String(quantity),
    <Time key="placed" at={placedAt} />,
    shipDate === undefined ? '' : <Time key="date" at={shipDate} />,
  ];
  const named = { kind: 'orders', label: 'Orders', columns: COLUMNS };
  return <VirtualTable {...named} {...{ rows, cells, onLoad }} />;
}
