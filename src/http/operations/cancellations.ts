/** The cancellation of an order with a reason, which version 2 has beside that without one. */
import { sendJson } from '../answers/negotiation.ts';
import { CancelOrderBody } from '../requests/body.ts';
import { type Description, type Operation, operation } from './operation.ts';
import { CANCEL_ORDER, type OrderContext, type OrderFormat } from './orders.ts';
import { listBehind, type OrderServices, orderIn, perform } from './perform.ts';

const CANCEL_WITH_REASON = {
  ...CANCEL_ORDER,
  operationId: 'cancelOrderWithReason',
  method: 'put',
  path: '/store/orders/:orderId/cancellation',
  summary: 'Cancel an order, and say why',
  description:
    'Cancels a pending order for a reason, which is recorded for good. The reasons are a closed list. ' +
    'To cancel it again for the same reason is fine and changes nothing, whatever `If-Match` says, so ' +
    'the same request can safely be sent again. Another reason for an order that is cancelled, or one ' +
    'that was not given at the time, would rewrite what is recorded: 409 `order_cancelled`.',
  stability: 'beta',
  body: CancelOrderBody,
  success: {
    status: 200,
    description: 'The order is cancelled.',
    headers: ['Cache-Control', 'Event-Position'],
  },
  refusals: [...CANCEL_ORDER.refusals, 'order_cancelled'],
} as const satisfies Description;

async function cancelWithReason(
  services: OrderServices,
  context: OrderContext<typeof CANCEL_WITH_REASON>,
  { toJson }: OrderFormat,
): Promise<void> {
  const { orderId } = context.path;
  const { reason } = context.body;
  const { position } = await perform(services, context, { type: 'CancelOrder', orderId, reason });
  const order = orderIn(await listBehind(services, context), orderId);
  // At the address of a cancellation this is no representation of what is there: no validator.
  sendJson(context.res, 200, toJson(order), ['Event-Position', String(position)]);
}

/** Returns the operation for a version that shows orders, and takes their ids, in this format. */
export function cancellation(format: OrderFormat): Operation<OrderServices> {
  const { pathParameters, schema } = format;
  const success = { ...CANCEL_WITH_REASON.success, schema };
  return operation({ ...CANCEL_WITH_REASON, pathParameters, success }, cancelWithReason, format);
}
