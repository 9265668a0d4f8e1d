import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { History } from '../app/audit/history.ts';
import type { Prover } from '../app/audit/prover.ts';
import type { Tail } from '../app/audit/tail.ts';
import type { Authenticator } from '../app/authenticator.ts';
import type { CommandProcessor } from '../app/command-processor.ts';
import type { Epochs } from '../app/epochs.ts';
import type { OrderDetails, OrderList, OrderView } from '../app/order-list.ts';
import { StoreUnavailable } from '../app/ports/store.ts';
import type { Trail } from '../app/ports/trail.ts';
import type { Projector } from '../app/projector.ts';
import type { Outcome, Submission } from '../app/submission.ts';
import type { OrderId } from '../domain/order-id.ts';
import { ApiError, orThrow } from './api-error.ts';
import { keyOf } from './authentication.ts';
import type { ListPage } from './list-page.ts';
import { isKnown, PRIVATE, sendJson } from './negotiation.ts';
import type { Operation } from './operation.ts';
import { PlaceOrderBody, readBody, ShipOrderBody } from './request-body.ts';
import {
  ChangeHeaders,
  CreateHeaders,
  idempotencyKeyOf,
  orderTag,
  versionsOf,
} from './request-headers.ts';
import { requestIdOf } from './request-log.ts';
import { OrderPath, readOrderId } from './request-parameters.ts';

/** What the operations work with. */
export interface OrderUseCases {
  readonly epochs: Epochs;
  readonly commands: CommandProcessor;
  readonly list: OrderList<ListPage>;
  readonly projector: Projector;
  readonly trail: Trail;
  readonly authenticator: Pick<Authenticator, 'isStillInForce'>;
  readonly prover: Prover;
  readonly history: History;
  readonly tail: Tail;
}

export type OrderOperation = Operation<OrderUseCases>;

/** How a version shows an order. */
export interface OrderFace {
  readonly schema: z.ZodType;
  toJson(order: OrderDetails): string;
  /** The same for a new order, where that needs nothing that only the log knows. */
  newToJson?(order: OrderView): string;
}

/** Placing, getting, shipping and cancelling are the same in every version but for the Order. */
export function orderOperations({ schema, toJson, newToJson }: OrderFace) {
  /** An order as it is now, everybody's acknowledged commands included. */
  async function shown({ list, projector }: OrderUseCases, orderId: OrderId) {
    await projector.catchUp();
    const order = list.get(orderId);
    if (order === undefined) throw new ApiError('order_not_found');
    return { version: order.version, json: toJson(order) };
  }

  /** An order as it was in the moment in which it was placed, whatever has become of it. */
  async function shownAsPlaced({ list, projector }: OrderUseCases, placed: OrderView) {
    await projector.catchUp();
    const { placedAt } = list.get(placed.id) as OrderDetails;
    const rest = { version: 1, placedAt, shippedAt: undefined, cancelledAt: undefined };
    return toJson({ ...placed, ...rest });
  }

  const placeOrder: OrderOperation = {
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
    body: PlaceOrderBody,
    success: {
      status: 201,
      description: 'The order was placed.',
      schema,
      headers: ['Location', 'ETag', 'Cache-Control', 'Event-Position'],
    },
    refusals: ['idempotency_key_reused', 'outcome_unknown'],
    async handle(useCases, req, res) {
      const { shipDate, ...rest } = readBody(req, PlaceOrderBody);
      const asked = shipDate === undefined ? rest : { ...rest, shipDate };
      const command = { type: 'PlaceNewOrder', ...asked } as const;
      const { orderId: id, position } = await perform(useCases, req, res, command);
      // As it was placed, even if this is the answer to a later retry.
      const placed = { id, ...rest, shipDate, status: 'pending' } as const;
      const json =
        newToJson?.(placed) ?? (await showDone(res, () => shownAsPlaced(useCases, placed)));
      const [location, etag] = [`${req.path}/${id}`, orderTag(useCases.epochs.logName, 1)];
      const own = ['Location', location, 'ETag', etag, 'Event-Position', String(position)];
      sendJson(res, 201, json, own);
    },
  };

  const getOrder: OrderOperation = {
    operationId: 'getOrder',
    method: 'get',
    path: '/store/orders/:orderId',
    scope: 'orders:read',
    tag: 'orders',
    summary: 'Get an order',
    description: 'Returns one order. It shows every command that was answered before.',
    stability: 'beta',
    pathParameters: OrderPath,
    success: {
      status: 200,
      description: 'The order.',
      schema,
      headers: ['ETag', 'Cache-Control'],
      isConditional: true,
    },
    refusals: ['order_not_found'],
    async handle(useCases, req, res) {
      const { version, json } = await shown(useCases, readOrderId(req));
      const etag = orderTag(useCases.epochs.logName, version);
      if (isKnown(req, res, etag)) res.writeHead(304, ['Cache-Control', PRIVATE]).end();
      else sendJson(res, 200, json, ['ETag', etag]);
    },
  };

  const cancelOrder: OrderOperation = {
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
    pathParameters: OrderPath,
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
    async handle(useCases, req, res) {
      const command = { type: 'CancelOrder', orderId: readOrderId(req) } as const;
      const { position } = await perform(useCases, req, res, command);
      res.writeHead(204, ['Event-Position', String(position)]).end();
    },
  };

  const shipOrder: OrderOperation = {
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
    pathParameters: OrderPath,
    headers: ChangeHeaders,
    body: ShipOrderBody,
    success: {
      status: 200,
      description: 'The order has shipped.',
      schema,
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
    async handle(useCases, req, res) {
      const orderId = readOrderId(req);
      const { shipDate } = readBody(req, ShipOrderBody);
      const command = { type: 'ShipOrder', orderId, shipDate } as const;
      const { position } = await perform(useCases, req, res, command);
      const { json } = await showDone(res, () => shown(useCases, orderId));
      // At the address of a shipment this is no representation of what is there: no validator.
      sendJson(res, 200, json, ['Event-Position', String(position)]);
    },
  };

  return { placeOrder, getOrder, cancelOrder, shipOrder };
}

/** Shows what a command has come to. What is done is done, whether or not it can be shown. */
async function showDone<Shown>(res: Response, show: () => Promise<Shown>): Promise<Shown> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    res.locals.cause = error.message;
    throw new ApiError('outcome_unknown');
  }
}

/** Runs a command to its durable end. Throws unless it was accepted. */
async function perform(
  { commands, epochs }: OrderUseCases,
  req: Request,
  res: Response,
  command: Submission['command'],
) {
  const outcome: Outcome = await commands.submit({
    command,
    by: keyOf(res).id,
    commandId: requestIdOf(res),
    idempotencyKey: idempotencyKeyOf(req),
    onlyIf: command.type === 'PlaceNewOrder' ? undefined : versionsOf(req, epochs.logName),
  });
  if ('cause' in outcome) res.locals.cause = outcome.cause;
  return orThrow(outcome);
}
