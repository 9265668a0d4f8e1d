/** Version 1 of the API: its table of operations, and those of this version alone. */
import type { Epochs } from '../../app/log/epochs.ts';
import { orderToJson } from '../../app/read/order-json.ts';
import { isPetKnown } from '../../app/read/order-query.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import type { CommandProcessor } from '../../app/write/command-processor.ts';
import { sendList } from '../answers/list.ts';
import type { ListChunk } from '../answers/list-chunk.ts';
import type { ListMemory } from '../answers/list-memory.ts';
import type { ListVersions } from '../answers/list-versions.ts';
import { PRIVATE } from '../answers/negotiation.ts';
import { OrdersV1, OrderV1, PetAnswer } from '../answers/schemas.ts';
import { ApiError } from '../api-error.ts';
import { PlaceOrderBody } from '../requests/body.ts';
import { OrderPath, PetPath } from '../requests/parameters.ts';
import { bounded, type ReadServices } from './bounded-read.ts';
import { type EventServices, eventOperations } from './events.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';
import { orderOperations } from './orders.ts';
import type { OrderServices } from './perform.ts';
import { type ProofServices, proofOperations } from './proofs.ts';

const LIST_ORDERS = {
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
} as const satisfies Description;

interface ListServices {
  readonly epochs: Pick<Epochs, 'logName'>;
  readonly readModel: Pick<ReadModel<ListChunk>, 'current'>;
  readonly commands: Pick<CommandProcessor, 'giveWay'>;
  readonly listMemory: Pick<ListMemory, 'turns' | 'bound'>;
  readonly versions: ListVersions<ListChunk>;
}

async function listOrders(
  { epochs, readModel, commands, listMemory, versions }: ListServices,
  { req, res, permit }: ContextOf<typeof LIST_ORDERS>,
): Promise<void> {
  const list = await readModel.current(req.context);
  const newest = await list.encodedInTurns(listMemory.turns());
  listMemory.bound(newest);
  await sendList(req, res, epochs.logName, newest, {
    giveWay: () => commands.giveWay(),
    made: () => permit?.release(),
    versions,
  });
}

const GET_PET = {
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
} as const satisfies Description;

interface PetServices {
  readonly epochs: Pick<Epochs, 'logName'>;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
}

async function getPet(
  { epochs, readModel }: PetServices,
  { req, res, path }: ContextOf<typeof GET_PET>,
): Promise<void> {
  const isKnown = isPetKnown(await readModel.current(req.context), path.petId);
  if (!isKnown) throw new ApiError('not_found', 'No order names this pet.');
  // A pet is represented by its id alone, so the response never changes.
  res.setHeader('ETag', `"${epochs.logName}"`);
  res.setHeader('Cache-Control', PRIVATE);
  // Express answers 304 if the client has it already.
  res.type('json').send(`{"id":${path.petId}}`);
}

export type V1Services = ListServices &
  ReadServices &
  OrderServices &
  PetServices &
  EventServices &
  ProofServices;

/** Version 1: listOrders and cancelOrder of the contract, and the operations around them. */
export const V1: readonly Operation<V1Services>[] = [
  operation(LIST_ORDERS, bounded(listOrders)),
  ...orderOperations({
    schema: OrderV1,
    pathParameters: OrderPath,
    body: PlaceOrderBody,
    toJson: orderToJson,
    newToJson: orderToJson,
  }),
  operation(GET_PET, bounded(getPet)),
  ...eventOperations(OrderPath),
  ...proofOperations(OrderPath),
];
