/** Version 2 of the API: its table of operations, and its list with filters and pages. */
import { z } from 'zod';
import type { Epochs } from '../../app/log/epochs.ts';
import { orderToJsonV2 } from '../../app/read/order-json.ts';
import { findOrders } from '../../app/read/order-query.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import type { CommandProcessor } from '../../app/write/command-processor.ts';
import { STATUSES } from '../../domain/order-lives.ts';
import { CSV, CSV_UTF_8, OrdersCsv, sendCsv } from '../answers/csv-list.ts';
import { isNotModified, JSON_UTF_8, PRIVATE, prefers } from '../answers/negotiation.ts';
import { sendPage } from '../answers/page.ts';
import { OrderPageV2, OrderV2 } from '../answers/schemas.ts';
import { ApiError } from '../api-error.ts';
import { PlaceOrderBodyV2 } from '../requests/body.ts';
import {
  type Asked,
  CURSOR,
  CURSOR_LENGTHS,
  type PlaceInList,
  readCursor,
} from '../requests/cursor.ts';
import { limitOf, may, NoQuery, OrderPathV2 } from '../requests/parameters.ts';
import {
  booleanText,
  boundText,
  momentText,
  orderIdsText,
  orderIdTextV2,
  petIdTextV2,
  wordText,
} from '../requests/values.ts';
import { momentOf, positionOfMoment } from './as-of.ts';
import { BATCH_OPERATIONS, type BatchServices } from './batches.ts';
import { bounded, type ReadServices } from './bounded-read.ts';
import { cancellation } from './cancellations.ts';
import { type EventServices, eventOperations } from './events.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';
import { type OrderFormat, orderOperations } from './orders.ts';
import type { OrderServices } from './perform.ts';
import { type ProofServices, proofOperations } from './proofs.ts';
import { STATISTICS_OPERATIONS, type StatisticsServices } from './statistics.ts';

const NO_CURSOR =
  'must be the `next` of a page with the same filters, as it was, and of the log as it has been since ' +
  'it was last cut: begin again without it';
const cursor = z
  .string({ error: 'must be given once' })
  .regex(CURSOR, NO_CURSOR)
  .min(CURSOR_LENGTHS[0], NO_CURSOR)
  .max(CURSOR_LENGTHS[1], NO_CURSOR);

const ListQuery = z.strictObject({
  id: may(
    orderIdsText,
    'The orders with these ids, as far as there are any: up to 100, with commas between.',
  ),
  fromId: may(orderIdTextV2, 'Orders with this id or a higher one.'),
  toId: may(orderIdTextV2, 'Orders with a lower id.'),
  status: may(wordText(STATUSES), 'Orders of this status.'),
  petId: may(petIdTextV2, 'Orders of this animal.'),
  complete: may(booleanText, 'Orders that have shipped, or that have not.'),
  shipDateFrom: may(boundText, 'Orders with a ship date at this time or later.'),
  shipDateTo: may(boundText, 'Orders with a ship date before this time.'),
  placedFrom: may(boundText, 'Orders placed at this time or later.'),
  placedTo: may(boundText, 'Orders placed before this time.'),
  asOf: may(
    momentText,
    'The list as it was: after so many events of the log, which is the position in the `ETag` of a ' +
      'list or in an `Event-Position`, or at a time, with all that was recorded by then. A moment ' +
      'that has not come is a 400 as well.',
  ),
  order: may(
    wordText(['asc', 'desc']),
    'By ascending id, which is the default, or by descending id.',
  ),
  limit: limitOf('orders'),
  after: may(cursor, 'The `next` of the page before, with the same filters.'),
});

const LIST_ORDERS = {
  operationId: 'listOrders',
  method: 'get',
  path: '/store/orders',
  scope: 'orders:read',
  tag: 'orders',
  summary: 'List orders',
  description:
    'Returns the orders that pass all filters, by id, a page at a time. Ranges include ' +
    'their `From` and exclude their `To`; an order without a ship date is in no range of ship ' +
    'dates, and a range that ends before it begins is empty. A parameter that is unknown, ' +
    'malformed or given twice is a 400 `invalid_request` that names it.\n\n' +
    'Follow `next`, or the `Link` with `rel="next"`, until there is none. Whatever happens between ' +
    'two pages, no order comes twice, and none is left out that was there, and passed the ' +
    'filters, all the time. A cursor stays valid for ever, but with its own filters only; `limit` ' +
    'may change.\n\n' +
    'To `Accept: text/csv` it answers with all orders that pass, without pages and as of one position, ' +
    'as CSV (RFC 4180) with a header. `limit` is for pages alone.\n\n' +
    'With `asOf`, filters and orders are those of that moment. The answer then says in `asOf` which ' +
    'position it was, and the pages of one walk are all of the same. What is asked for by a position ' +
    'is answered the same for ever.',
  isTryItHidden: true,
  query: ListQuery,
  success: {
    status: 200,
    description: 'A page of orders.',
    schema: OrderPageV2,
    alternative: { contentType: CSV, schema: OrdersCsv },
    headers: ['ETag', 'Cache-Control', 'Vary', 'Link'],
    isConditional: true,
  },
  refusals: [],
} as const satisfies Description;

interface ListServices {
  readonly epochs: Epochs;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
  readonly commands: Pick<CommandProcessor, 'giveWay'>;
}

async function listOrders(
  { epochs, readModel, commands }: ListServices,
  { req, res, query, permit }: ContextOf<typeof LIST_ORDERS>,
): Promise<void> {
  const { limit, after, asOf: moment, id: ids, order: given, ...filter } = query;
  // A cursor belongs to a query: with `asc` it is the same as without.
  const order = given === 'desc' ? given : undefined;
  const asked = { ...filter, ids, order, asOf: momentOf(moment, epochs), log: logOf(epochs) };
  const begin = after === undefined ? undefined : placeOf(after, asked);
  const list = await readModel.current(req.context);
  // On later pages of a walk, that of the first page.
  const asOf = asked.asOf && positionOfMoment(list, asked.asOf, begin?.asOf);
  const position = asOf ?? list.position;
  // The same query at the same position gives the same page: a client that has it needs no query.
  const isCsv = prefers(req, CSV_UTF_8, [JSON_UTF_8]);
  res.vary('Accept');
  const tag = `${epochs.logName}-${list.stateAt(position)}${isCsv ? '-csv' : ''}`;
  if (isNotModified(req, res, tag, PRIVATE)) return;
  if (isCsv) {
    const csv = { list, query: asked, after: begin?.id, position };
    const giveWay = () => commands.giveWay();
    await sendCsv(req, res, csv, { giveWay, made: () => permit?.release() });
    return;
  }
  const page = findOrders(list, asked, begin?.id, limit, position);
  await sendPage(req, res, page, asked, asOf);
}

/** Returns the epoch for cursors. In its first epoch a log has cursors without one. */
function logOf({ number, tag }: Epochs): string | undefined {
  return number === 0 ? undefined : tag;
}

function placeOf(cursor: string, asked: Asked): PlaceInList {
  const place = readCursor(cursor, asked);
  if (place === undefined) throw new ApiError('invalid_request', `after: ${NO_CURSOR}`);
  return place;
}

export type V2Services = ListServices &
  ReadServices &
  OrderServices &
  BatchServices &
  StatisticsServices &
  EventServices &
  ProofServices;

const pathParameters = OrderPathV2;
const FORMAT: OrderFormat = {
  schema: OrderV2,
  pathParameters,
  body: PlaceOrderBodyV2,
  toJson: orderToJsonV2,
};

/**
 * Version 2: the operations of version 1, a list with filters and pages, and numbers. All of it is beta,
 * and what is experimental in version 1 is that here, too.
 */
export const V2: readonly Operation<V2Services>[] = [
  operation(LIST_ORDERS, bounded(listOrders)),
  ...orderOperations(FORMAT),
  cancellation(FORMAT),
  ...BATCH_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...eventOperations(pathParameters),
  ...proofOperations(pathParameters),
  ...KEY_OPERATIONS,
].map((described) => ({
  query: NoQuery,
  ...described,
  stability: described.stability ?? 'beta',
}));
