import { orderToJson } from '../app/order-json.ts';
import { isPetKnown } from '../app/order-query.ts';
import { OrdersV1, OrderV1, PetAnswer } from './answer-schemas.ts';
import { ApiError } from './api-error.ts';
import { listEvents, listOrderEvents } from './event-operations.ts';
import { sendList } from './list-response.ts';
import { PRIVATE } from './negotiation.ts';
import { type OrderOperation, orderOperations } from './order-operations.ts';
import { PROOF_OPERATIONS } from './proof-operations.ts';
import { PetPath, readPetId } from './request-parameters.ts';

const { placeOrder, getOrder, cancelOrder, shipOrder } = orderOperations({
  schema: OrderV1,
  toJson: orderToJson,
  newToJson: orderToJson,
});

const listOrders: OrderOperation = {
  operationId: 'listOrders',
  method: 'get',
  path: '/store/orders',
  scope: 'orders:read',
  tag: 'orders',
  summary: 'List all orders',
  description:
    'Returns all orders placed in the store, by ascending id: shipped and cancelled ones too. There ' +
    'are no filters and no pages; version 2 has both. The list shows every command that was ' +
    'answered before.',
  isTryItHidden: true,
  success: {
    status: 200,
    description: 'Every order ever placed.',
    schema: OrdersV1,
    headers: ['ETag', 'Cache-Control', 'Vary'],
    isConditional: true,
  },
  refusals: [],
  async handle({ epochs, list, projector, commands }, req, res) {
    await projector.catchUp();
    await sendList(req, res, epochs.logName, list.snapshot(), () => commands.giveWay());
  },
};

const getPet: OrderOperation = {
  operationId: 'getPet',
  method: 'get',
  path: '/pets/:petId',
  scope: 'orders:read',
  tag: 'pets',
  summary: 'Get a pet',
  description:
    'Returns a pet that any order names. This service knows orders: of a pet it knows the id alone.',
  deprecation: {
    since: '2026-11-21',
    sunset: '2027-12-31',
    instead: 'List the orders that name the pet with version 2: GET /v2/store/orders?petId=ID.',
    explainedAt: '/changelog',
  },
  pathParameters: PetPath,
  success: {
    status: 200,
    description: 'An order names this pet.',
    schema: PetAnswer,
    headers: ['ETag', 'Cache-Control'],
    isConditional: true,
  },
  refusals: ['not_found', 'gone'],
  async handle({ epochs, list, projector }, req, res) {
    const petId = readPetId(req);
    await projector.catchUp();
    if (!isPetKnown(list, petId)) throw new ApiError('not_found', 'No order names this pet.');
    // Whatever happens to its orders, there is never more to say of a pet.
    res.setHeader('ETag', `"${epochs.logName}"`);
    res.setHeader('Cache-Control', PRIVATE);
    // This answers 304 to whoever has it already.
    res.type('json').send(`{"id":${petId}}`);
  },
};

/** Version 1: listOrders and cancelOrder as the contract has them, and what they need around them. */
export const V1: readonly OrderOperation[] = [
  listOrders,
  placeOrder,
  getOrder,
  cancelOrder,
  shipOrder,
  getPet,
  listOrderEvents,
  listEvents,
  ...PROOF_OPERATIONS,
];
