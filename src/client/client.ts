/**
 * The client of the API, `store-orders/client`: see docs/client.md. It uses `fetch` and nothing else, so
 * it runs in Node.js, browsers, workers, Deno and Bun.
 */
import { isActivityOf, isAsOf, isBatchOf, isCosigned, isPageOf, type PageBefore } from './asked.ts';
import type { Answer } from './attempt.ts';
import { Events } from './events.ts';
import type {
  CallOptions,
  CancelOptions,
  ClientOptions,
  CommandOptions,
  ProofOptions,
} from './options.ts';
import { Paged } from './paged.ts';
import { proofRequest, Receipt } from './receipt.ts';
import type {
  Activity,
  ActivityQuery,
  BatchAnswer,
  Change,
  Done,
  Epochs,
  Id,
  Key,
  ListQuery,
  NewOrder,
  Order,
  OrderPage,
  OrderV1,
  Position,
  Summary,
  Time,
} from './shapes.ts';
import { SingleOrders } from './single-orders.ts';
import { type Request, Transport } from './transport.ts';
import { update } from './update.ts';
import {
  checkpointIn,
  conditionOf,
  doneIn,
  type Is,
  idText,
  isActivity,
  isBatch,
  isEpochs,
  isKey,
  isOrderPage,
  isOrders,
  isSummary,
  jsonOf,
  newOrderJson,
  orderIn,
  queryOf,
  requireAsked,
  withIds,
} from './values.ts';

export { type ClientCode, type ErrorCode, type ServerCode, StoreOrdersError } from './error.ts';
export type { EventQuery, Events, FollowOptions } from './events.ts';
export type * from './options.ts';
export type { Paged } from './paged.ts';
export type { Receipt } from './receipt.ts';
export type { ProvenEvent, Verdict } from './receipt-verifier.ts';
export type * from './shapes.ts';

const ORDERS = '/v2/store/orders';

export interface BatchOptions extends CommandOptions {
  /** All items or none: if one is refused, the code is `batch_refused`, and the error has the results. */
  readonly atomic?: boolean | undefined;
}

/** Version 2 of the API of a service, with one API key. */
export class StoreOrders extends SingleOrders<Order> {
  readonly #transport: Transport;
  /** The events of the log, for keys with the scope `audit:read`. */
  readonly events: Events;
  /** The contract's version 1, with exact ids. */
  readonly v1: OrdersV1;

  /** Throws `invalid_request` if the address is none. */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport, 2);
    this.#transport = transport;
    this.events = new Events(transport);
    this.v1 = new OrdersV1(transport);
  }

  /** Returns the orders that pass all filters, by id: one by one, or by its `pages()`. */
  list(query: ListQuery = {}, options?: CallOptions): Paged<Order, OrderPage> {
    const none = { data: [], next: query.after, asOf: query.asOf };
    return new Paged((before: PageBefore = none) => {
      const isNext = (page: OrderPage) => isPageOf(page, query, before);
      return this.#get(ORDERS, { ...query, after: before.next }, isOrderPage, options, isNext);
    });
  }

  /** Cancels an order. To cancel it again changes nothing, unless with another reason. */
  override async cancel(id: Id, options: CancelOptions = {}): Promise<Done> {
    const { reason, ifMatch } = options;
    if (reason === undefined) return super.cancel(id, options);
    const path = `${ORDERS}/${idText(id)}/cancellation`;
    const request = { method: 'PUT', path, headers: conditionOf(ifMatch) };
    const body = JSON.stringify({ reason });
    const answer = await this.#transport.send({ ...request, body }, options);
    orderIn<Order>(answer, { id: idText(id) });
    return doneIn(answer);
  }

  /**
   * Changes an order by a decision on its present state: the decision is taken again if somebody else
   * has changed the order in between. Returns the order after the change, or as it is if
   * the decision is `undefined`.
   */
  async update(
    id: Id,
    decide: (order: Order) => Change | undefined | Promise<Change | undefined>,
    options?: CallOptions,
  ): Promise<Order> {
    return update(this, idText(id), decide, this.#transport.within(options));
  }

  /** Cancels up to 500 orders in one request. Each has its own outcome, unless `atomic` is true. */
  async batchCancel(
    orderIds: readonly Id[],
    options: BatchOptions & Pick<CancelOptions, 'reason'> = {},
  ): Promise<BatchAnswer> {
    const { reason, atomic } = options;
    const body = JSON.stringify({ orderIds: orderIds.map(idText), reason, atomic });
    const request = { method: 'POST', path: `${ORDERS}:batchCancel`, body };
    return this.#batch(request, orderIds, options);
  }

  /** Places up to 500 orders in one request. Each has its own outcome, unless `atomic` is true. */
  async batchPlace(orders: readonly NewOrder[], options: BatchOptions = {}): Promise<BatchAnswer> {
    const atomic = options.atomic === undefined ? '' : `,"atomic":${options.atomic}`;
    const body = `{"orders":[${orders.map((order) => newOrderJson(order, 2)).join()}]${atomic}}`;
    const request = { method: 'POST', path: `${ORDERS}:batchPlace`, body };
    return this.#batch(request, Array(orders.length).fill(undefined), options);
  }

  /** Returns the numbers of orders by status, now or as of a position or time. */
  summary(
    query: { readonly asOf?: Position | Time | undefined } = {},
    options?: CallOptions,
  ): Promise<Summary> {
    const isOfMoment = (summary: Summary) => isAsOf(summary, query);
    return this.#get('/v2/store/summary', query, isSummary, options, isOfMoment);
  }

  /** Returns the numbers of events in each hour or day. */
  activity(query: ActivityQuery = {}, options?: CallOptions): Promise<Activity> {
    const isOfQuery = (activity: Activity) => isActivityOf(activity, query);
    return this.#get('/v2/store/activity', query, isActivity, options, isOfQuery);
  }

  /** Returns the API key of the client, as far as its owner may know it. */
  whoAmI(options?: CallOptions): Promise<Key> {
    return this.#get('/v2/key', {}, isKey, options);
  }

  /** Returns the receipt of an order's cancellation, or with a position that of any event. */
  receipt(of: Id | { readonly position: Position }, options?: ProofOptions): Receipt {
    return new Receipt(this.#transport, of, options);
  }

  /** Returns a signed checkpoint of the log, as a text. */
  async checkpoint(options?: ProofOptions): Promise<string> {
    const answer = await this.request(proofRequest('/v2/store/checkpoint', options), options);
    const checkpoint = checkpointIn(answer);
    requireAsked(answer, !options?.witnessed || isCosigned(checkpoint));
    return checkpoint;
  }

  /** Returns the epoch of the log, and the signed statement of each time that it was cut. */
  epochs(options?: CallOptions): Promise<Epochs> {
    return this.#get('/v2/store/epochs', {}, isEpochs, options);
  }

  /** Sends any request, with the retries of all others: for operations without a method of their own. */
  request(request: Request, options?: CommandOptions): Promise<Answer> {
    return this.#transport.send(request, options);
  }

  async #get<Value>(
    path: string,
    query: object,
    isValue: Is,
    options?: CallOptions,
    isAsked?: (value: Value) => boolean,
  ): Promise<Value> {
    const request = { method: 'GET', path, query: queryOf(query) };
    return jsonOf(await this.#transport.send(request, options), isValue, isAsked);
  }

  /** @param items The ids of the orders; undefined for each new one. */
  async #batch(
    request: Request,
    items: readonly (Id | undefined)[],
    options: CommandOptions,
  ): Promise<BatchAnswer> {
    const isOfItems = (answer: BatchAnswer) => isBatchOf(answer, items);
    return jsonOf(await this.#transport.send(request, options), isBatch, isOfItems);
  }
}

/** A little less than V8 can hold in one text, 2^29 - 24: about 4 million orders. */
const MAX_LIST_CHARACTERS = 2 ** 29 - 2 ** 20;

/** The operations of version 1, whose list is one answer. */
class OrdersV1 extends SingleOrders<OrderV1> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport, 1);
    this.#transport = transport;
  }

  /**
   * Returns every order ever placed, by ascending id. Of more than about 4 million, the code is
   * `unexpected_response`: use the list of version 2, which comes in pages.
   */
  async list(options?: CallOptions): Promise<readonly OrderV1[]> {
    const request = { method: 'GET', path: '/v1/store/orders', maxCharacters: MAX_LIST_CHARACTERS };
    const answer = await this.#transport.send(request, options);
    return jsonOf<readonly OrderV1[]>(answer, isOrders).map(withIds);
  }
}
