/** Placing, getting, cancelling and shipping an order: the same in every version but for the Order. */
import type { z } from 'zod';
import {
  NOT_ENDED,
  type OrderDetails,
  type OrderList,
  type OrderView,
} from '../../app/state/order-list.ts';
import { isKnown, PRIVATE, sendJson } from '../answers/negotiation.ts';
import { type PlaceOrderBody, type PlaceOrderBodyV2, ShipOrderBody } from '../requests/body.ts';
import { ChangeHeaders, CreateHeaders, orderTag } from '../requests/headers.ts';
import type { OrderPath } from '../requests/parameters.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';
import { listBehind, type OrderServices, orderIn, perform } from './perform.ts';

/** The form in which a version of the API takes and shows orders. */
export interface OrderFormat {
  readonly schema: z.ZodType;
  // Their values are the same in each version.
  readonly pathParameters: typeof OrderPath;
  readonly body: typeof PlaceOrderBody | typeof PlaceOrderBodyV2;
  toJson(order: OrderDetails): string;
  /** Returns the JSON of a new order; absent if that needs something that is only in the log. */
  newToJson?(order: OrderView): string;
}

/** Returns the operations of a version that shows orders in this format. */
export function orderOperations(format: OrderFormat): readonly Operation<OrderServices>[] {
  const { pathParameters, body } = format;
  return [
    operation({ ...showing(format, PLACE_ORDER), body }, placeOrder, format),
    operation({ ...showing(format, GET_ORDER), pathParameters }, getOrder, format),
    operation({ ...CANCEL_ORDER, pathParameters }, cancelOrder),
    operation({ ...showing(format, SHIP_ORDER), pathParameters }, shipOrder, format),
  ];
}

function showing<Its extends Description>({ schema }: OrderFormat, description: Its): Its {
  return { ...description, success: { ...description.success, schema } };
}

export type OrderContext<Its extends Description> = ContextOf<
  Its & Pick<OrderFormat, 'pathParameters'>
>;
const PLACE_ORDER = {
  operationId: 'placeOrder',
  method: 'post',
  path: '/store/orders',
  scope: 'orders:write',
  tag: 'orders',
  summary: 'Place an order',
  description:
    'Places an order. The service gives it the next id. To send the same request again places ' +
    'another order, unless both have the same `Idempotency-Key`.',
  stability: 'beta',
  headers: CreateHeaders,
  success: {
    status: 201,
    description: 'The order was placed.',
    headers: ['Location', 'ETag', 'Cache-Control', 'Event-Position'],
  },
  refusals: ['idempotency_key_reused', 'outcome_unknown'],
} as const satisfies Description;

async function placeOrder(
  services: OrderServices,
  context: ContextOf<typeof PLACE_ORDER & Pick<OrderFormat, 'body'>>,
  { toJson, newToJson }: OrderFormat,
): Promise<void> {
  const { shipDate, ...rest } = context.body;
  const asked = shipDate === undefined ? rest : { ...rest, shipDate };
  const command = { type: 'PlaceNewOrder', ...asked } as const;
  const { orderId: id, position } = await perform(services, context, command);
  // As it was placed, even if this is the answer to a later retry.
  const placed = { id, ...rest, shipDate, status: 'pending' } as const;
  const json =
    newToJson?.(placed) ?? toJson(orderAsPlaced(await listBehind(services, context), placed));
  const [location, etag] = [`${context.req.path}/${id}`, orderTag(services.epochs.logName, 1)];
  const own = ['Location', location, 'ETag', etag, 'Event-Position', String(position)];
  sendJson(context.res, 201, json, own);
}

/** Returns an order as it was in the moment in which it was placed, whatever happened to it since. */
function orderAsPlaced(list: OrderList<unknown>, placed: OrderView): OrderDetails {
  const { placedAt } = orderIn(list, placed.id);
  return { ...placed, ...NOT_ENDED, placedAt };
}

const GET_ORDER = {
  operationId: 'getOrder',
  method: 'get',
  path: '/store/orders/:orderId',
  scope: 'orders:read',
  tag: 'orders',
  summary: 'Get an order',
  description: 'Returns one order. It shows every command that was answered before.',
  stability: 'beta',
  success: {
    status: 200,
    description: 'The order.',
    headers: ['ETag', 'Cache-Control'],
    isConditional: true,
  },
  refusals: ['order_not_found'],
} as const satisfies Description;

async function getOrder(
  services: OrderServices,
  { req, res, path }: OrderContext<typeof GET_ORDER>,
  { toJson }: OrderFormat,
): Promise<void> {
  const order = orderIn(await services.readModel.current(req.context), path.orderId);
  const etag = orderTag(services.epochs.logName, order.version);
  if (isKnown(req, res, etag)) res.writeHead(304, ['Cache-Control', PRIVATE]).end();
  else sendJson(res, 200, toJson(order), ['ETag', etag]);
}

export const CANCEL_ORDER = {
  operationId: 'cancelOrder',
  method: 'delete',
  path: '/store/orders/:orderId',
  scope: 'orders:cancel',
  tag: 'orders',
  summary: 'Cancel an order',
  description:
    'Cancels a pending order. An order that has shipped cannot be cancelled: shipping cannot be ' +
    'reversed. To cancel a cancelled order is fine and changes nothing, whatever `If-Match` says, ' +
    'so the same request can safely be sent again.',
  headers: ChangeHeaders,
  success: {
    status: 204,
    description: 'Order cancelled successfully.',
    headers: ['Event-Position'],
  },
  refusals: [
    'order_not_found',
    'order_already_shipped',
    'precondition_failed',
    'idempotency_key_reused',
    'outcome_unknown',
  ],
} as const satisfies Description;

async function cancelOrder(
  services: OrderServices,
  context: OrderContext<typeof CANCEL_ORDER>,
): Promise<void> {
  const { orderId } = context.path;
  const { position } = await perform(services, context, { type: 'CancelOrder', orderId });
  context.res.writeHead(204, ['Event-Position', String(position)]).end();
}

const SHIP_ORDER = {
  operationId: 'shipOrder',
  method: 'put',
  path: '/store/orders/:orderId/shipment',
  scope: 'orders:write',
  tag: 'orders',
  summary: 'Ship an order',
  description:
    'Reports that a pending order has shipped, and when. To report the same shipment again is ' +
    'fine and changes nothing, so the same request can safely be sent again; to report another ' +
    'date is refused.',
  stability: 'beta',
  headers: ChangeHeaders,
  body: ShipOrderBody,
  success: {
    status: 200,
    description: 'The order has shipped.',
    headers: ['Cache-Control', 'Event-Position'],
  },
  refusals: [
    'order_not_found',
    'order_already_shipped',
    'order_cancelled',
    'precondition_failed',
    'idempotency_key_reused',
    'outcome_unknown',
  ],
} as const satisfies Description;

async function shipOrder(
  services: OrderServices,
  context: OrderContext<typeof SHIP_ORDER>,
  { toJson }: OrderFormat,
): Promise<void> {
  const { orderId } = context.path;
  const { shipDate } = context.body;
  const { position } = await perform(services, context, { type: 'ShipOrder', orderId, shipDate });
  const order = orderIn(await listBehind(services, context), orderId);
  // At the address of a shipment this is no representation of what is there: no validator.
  sendJson(context.res, 200, toJson(order), ['Event-Position', String(position)]);
}
