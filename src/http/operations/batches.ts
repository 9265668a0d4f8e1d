/** Placing and cancelling many orders in one request, which version 2 has. */
import type { KeyLimiter } from '../../app/keys/key-limiter.ts';
import type { Submission } from '../../app/log/submission.ts';
import { BatchAnswer } from '../answers/batch-schemas.ts';
import { sendJson } from '../answers/negotiation.ts';
import { ApiError, ERRORS } from '../api-error.ts';
import { BatchCancelBody, BatchPlaceBody } from '../requests/body.ts';
import { CreateHeaders } from '../requests/headers.ts';
import { LONGEST_BODY_BYTES } from '../requests/intake.ts';
import { requireItemsWithinRate } from '../requests/key-limits.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';
import { type Changing, type OrderServices, performGroup, type Settled } from './perform.ts';

export interface BatchServices extends Pick<OrderServices, 'commands'> {
  readonly limiter: KeyLimiter;
}

const HOW =
  'Items are decided one after the other, with nothing between, as if they had been sent alone, and are ' +
  'recorded together. The answer has the result of each, in the order of the request. A malformed item ' +
  'is a 400, and then nothing is done.\n\n' +
  'With `"atomic": true`, all items are done or none: if any is refused, it is a 409 `batch_refused`, ' +
  'with the result of each beside the Error.\n\n' +
  'An `Idempotency-Key` names the whole. Each item counts for the rate of the key.';

const shared = {
  method: 'post',
  tag: 'orders',
  stability: 'beta',
  headers: CreateHeaders,
  success: {
    status: 200,
    description: 'The items were decided.',
    schema: BatchAnswer,
    headers: ['Cache-Control', 'LastEventPosition'],
  },
  refusals: ['batch_refused', 'idempotency_key_reused', 'outcome_unknown'],
} as const;

const BATCH_CANCEL = {
  ...shared,
  operationId: 'batchCancelOrders',
  path: '/store/orders:batchCancel',
  scope: 'orders:cancel',
  summary: 'Cancel many orders',
  description: `Cancels up to 500 orders, for one reason or for none. ${HOW}`,
  body: BatchCancelBody,
} as const satisfies Description;

async function batchCancel(
  services: BatchServices,
  context: ContextOf<typeof BATCH_CANCEL>,
): Promise<void> {
  const { orderIds, reason, atomic = false } = context.body;
  const why = reason === undefined ? {} : { reason };
  const commands = orderIds.map((orderId) => ({ type: 'CancelOrder', orderId, ...why }) as const);
  const outcomes = await settled(services, context, commands, atomic);
  const items = outcomes.map((outcome, index) => itemOf(outcome, 204, orderIds[index]));
  answer(context, items, atomic);
}

const BATCH_PLACE = {
  ...shared,
  operationId: 'batchPlaceOrders',
  path: '/store/orders:batchPlace',
  scope: 'orders:write',
  summary: 'Place many orders',
  description:
    'Places up to 500 orders. Their ids ascend in the order of the request, as long as there are ids ' +
    `above the highest: an import can bring an order with the last one, 9223372036854775807. ${HOW}`,
  body: BatchPlaceBody,
  maxBodyBytes: LONGEST_BODY_BYTES,
} as const satisfies Description;

async function batchPlace(
  services: BatchServices,
  context: ContextOf<typeof BATCH_PLACE>,
): Promise<void> {
  const { orders, atomic = false } = context.body;
  const commands = orders.map(({ shipDate, ...rest }) => {
    const date = shipDate === undefined ? {} : { shipDate };
    return { type: 'PlaceNewOrder', ...rest, ...date } as const;
  });
  const outcomes = await settled(services, context, commands, atomic);
  answer(
    context,
    outcomes.map((outcome) => itemOf(outcome, 201)),
    atomic,
  );
}

async function settled(
  services: BatchServices,
  context: Changing,
  commands: readonly Submission['command'][],
  isAtomic: boolean,
): Promise<readonly Settled[]> {
  requireItemsWithinRate(services.limiter, context.key, context.res, commands.length);
  return performGroup(services, context, commands, isAtomic);
}

/** The result of an item. JSON leaves out members that are undefined. */
interface Item {
  readonly orderId?: string | undefined;
  readonly status: number;
  readonly position?: number;
  readonly code?: string;
  readonly message?: string;
}

/** @param id The id that was asked for; undefined for an order to be placed. */
function itemOf(outcome: Settled, done: 201 | 204, id?: bigint): Item {
  if (outcome.kind === 'accepted') {
    const { orderId, position } = outcome;
    return { orderId: String(orderId), status: done, position };
  }
  const { reason: code } = outcome;
  const [status, message] = ERRORS[code];
  return { orderId: id === undefined ? undefined : String(id), status, code, message };
}

/** Sends the results of a batch. Throws a 409 with them if it is atomic and was refused. */
function answer({ res }: Changing, results: readonly Item[], isAtomic: boolean): void {
  const failed = results.filter(({ code }) => code !== undefined).length;
  const body = { results, succeeded: results.length - failed, failed };
  if (isAtomic && failed > 0) throw new BatchRefused(body);
  const last = results.reduce((highest, { position = 0 }) => Math.max(highest, position), 0);
  const own = last === 0 ? [] : ['Event-Position', String(last)];
  sendJson(res, 200, JSON.stringify(body), own);
}

interface Body {
  readonly results: readonly Item[];
}

/** The refusal of an atomic batch: an Error, with the result of each item beside it. */
class BatchRefused extends ApiError {
  readonly #body: Body;

  constructor(body: Body) {
    const { results } = body;
    const isAtFault = ({ code }: Item) => code !== 'batch_refused';
    const first = results.findIndex(isAtFault);
    const { orderId, code } = results[first] as Item;
    const count = results.filter(isAtFault).length;
    super(
      'batch_refused',
      `Nothing was changed: ${count} of ${results.length} items were refused. The first is item ` +
        `${first + 1}${orderId === undefined ? '' : `, order ${orderId}`}: ${code}.`,
    );
    this.#body = body;
  }

  override toBody(): string {
    return `${super.toBody().slice(0, -1)},${JSON.stringify(this.#body).slice(1)}`;
  }
}

export const BATCH_OPERATIONS: readonly Operation<BatchServices>[] = [
  operation(BATCH_CANCEL, batchCancel),
  operation(BATCH_PLACE, batchPlace),
];
