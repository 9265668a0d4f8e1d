/** The properties of an order. */
import type { Order } from '../../client/client.ts';
import { Badge, Time } from '../parts/controls.tsx';

export function OrderState({ order }: { readonly order: Order }) {
  const { id, status, petId, quantity, shipDate, placedAt, shippedAt, cancelledAt } = order;
  return (
    <dl class="facts">
      <dt>Order</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>Status</dt>
      <dd>
        <Badge of={status} />
      </dd>
      <dt>Pet</dt>
      <dd>
        <code>{petId}</code>
      </dd>
      <dt>Quantity</dt>
      <dd>{quantity}</dd>
      <dt>Placed</dt>
      <dd>
        <Time at={placedAt} />
      </dd>
      <Dated term={shippedAt !== undefined ? 'Ship date' : 'Expected ship date'} at={shipDate} />
      <Dated term="Reported as shipped" at={shippedAt} />
      <Dated term="Cancelled" at={cancelledAt} />
      {order.cancelReason !== undefined && (
        <>
          <dt>Reason</dt>
          <dd>{order.cancelReason}</dd>
        </>
      )}
    </dl>
  );
}

function Dated({ term, at }: { readonly term: string; readonly at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <>
      <dt>{term}</dt>
      <dd>
        <Time at={at} />
      </dd>
    </>
  );
}
