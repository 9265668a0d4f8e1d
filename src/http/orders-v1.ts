import type { Response } from 'express';
import type { CommandProcessor } from '../app/command-processor.ts';
import type { OrderList } from '../app/order-list.ts';
import type { Projector } from '../app/projector.ts';
import type { Outcome, Submission } from '../app/submission.ts';
import type { OrderId } from '../domain/order-id.ts';
import { ApiError, orThrow } from './api-error.ts';
import { keyOf } from './authentication.ts';
import type { ListPage } from './list-page.ts';
import { sendList } from './list-response.ts';
import type { Operation } from './operation.ts';
import { orderToJson } from './order-json.ts';
import { PlaceOrderBody, readBody, readOrderId, ShipOrderBody } from './request-body.ts';
import { requestIdOf } from './request-log.ts';

/** What the orders' operations work with. */
export interface OrderUseCases {
  readonly storeId: string;
  readonly commands: CommandProcessor;
  readonly list: OrderList<ListPage>;
  readonly projector: Projector;
}

/** Version 1: listOrders and cancelOrder as the contract has them, and what they need around them. */
export function ordersV1(orders: OrderUseCases): readonly Operation[] {
  const { storeId, commands, list, projector } = orders;

  /** Runs a command to its durable end. Throws unless it was accepted. */
  async function perform(res: Response, command: Submission['command']) {
    const outcome: Outcome = await commands.submit({
      command,
      by: keyOf(res).id,
      commandId: requestIdOf(res),
    });
    if ('cause' in outcome) res.locals.cause = outcome.cause;
    return orThrow(outcome);
  }

  /** Sends an order as it is now, everybody's acknowledged commands included. */
  async function sendOrder(res: Response, orderId: OrderId) {
    await projector.catchUp();
    const order = list.get(orderId);
    if (order === undefined) throw new ApiError('order_not_found');
    res.type('json').send(orderToJson(order));
  }

  return [
    {
      operationId: 'listOrders',
      method: 'get',
      path: '/store/orders',
      scope: 'orders:read',
      async handle(req, res) {
        await projector.catchUp();
        await sendList(req, res, storeId, list.snapshot());
      },
    },
    {
      operationId: 'placeOrder',
      method: 'post',
      path: '/store/orders',
      scope: 'orders:write',
      body: PlaceOrderBody,
      async handle(req, res) {
        const { shipDate, ...rest } = readBody(req, PlaceOrderBody);
        const asked = shipDate === undefined ? rest : { ...rest, shipDate };
        const { orderId: id } = await perform(res, { type: 'PlaceNewOrder', ...asked });
        res.status(201).location(`${req.baseUrl}/store/orders/${id}`);
        res.type('json').send(orderToJson({ id, ...rest, shipDate, status: 'pending' }));
      },
    },
    {
      operationId: 'getOrder',
      method: 'get',
      path: '/store/orders/:orderId',
      scope: 'orders:read',
      handle: (req, res) => sendOrder(res, readOrderId(req)),
    },
    {
      operationId: 'cancelOrder',
      method: 'delete',
      path: '/store/orders/:orderId',
      scope: 'orders:cancel',
      async handle(req, res) {
        await perform(res, { type: 'CancelOrder', orderId: readOrderId(req) });
        res.status(204).end();
      },
    },
    {
      operationId: 'shipOrder',
      method: 'put',
      path: '/store/orders/:orderId/shipment',
      scope: 'orders:write',
      body: ShipOrderBody,
      async handle(req, res) {
        const orderId = readOrderId(req);
        const { shipDate } = readBody(req, ShipOrderBody);
        await perform(res, { type: 'ShipOrder', orderId, shipDate });
        await sendOrder(res, orderId);
      },
    },
  ];
}
