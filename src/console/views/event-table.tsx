/** Events as a table. */
import type { OrderEvent } from '../../client/client.ts';
import { Badge, Link, Time } from '../parts/controls.tsx';
import { type TableProps, VirtualTable } from '../parts/virtual-table.tsx';

const COLUMNS = ['Position', 'Time', 'Event', 'Order', 'By'];

type EventTableProps = Pick<
  TableProps<OrderEvent>,
  'rows' | 'isNew' | 'startRow' | 'onScroll' | 'isFirst'
>;

export function EventTable(props: EventTableProps) {
  return <VirtualTable {...props} kind="log" label="Events" columns={COLUMNS} cells={cellsOf} />;
}

function cellsOf({ position, time, type, data, keyname, by }: OrderEvent) {
  return [
    String(position),
    <Time key="time" at={time} />,
    <Badge key="type" of={type} />,
    <Link key="order" to={{ page: 'order', id: data.orderId }}>
      {data.orderId}
    </Link>,
    <bdi key="by">{keyname ?? by}</bdi>,
  ];
}
