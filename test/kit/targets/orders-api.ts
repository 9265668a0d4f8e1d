import { wrongWithError, wrongWithOrder } from '../oracle/shapes.ts';
import { Violation } from '../target.ts';
import type { Order, Rejection } from '../vocabulary.ts';
import { type Answer, type ApiClient, exactJson } from './api-client.ts';

/** Functions that place and ship orders on a server without this service's operations for it. */
export interface Adapter {
  /** Places an order and returns its id. */
  place?(order: Placing, server: Server): Promise<bigint | number | string>;
  /** Ships a pending order. */
  ship?(
    order: { readonly orderId: bigint; readonly shipDate: string },
    server: Server,
  ): Promise<void>;
}

export interface Server {
  readonly baseUrl: string;
  readonly key: string;
}

export type Placing = Omit<Order, 'id' | 'complete'>;

/** The rules for every response, by their names in reports. */
export const ANSWER_RULES = {
  list: 'the list is a 200 with an array of orders',
  errors: 'every error is an Error object, with the status of its answer',
  cancelled: 'a cancellation is a 204 without a body',
  placed: 'a new order is a 201 with the order',
  shipped: 'a shipment is a 200 with the order',
  got: 'one order is a 200 with the order',
} as const;

/** The operations of version 1: sends requests, and checks the shape of every response. */
export class OrdersApi {
  readonly client: ApiClient;
  readonly adapter: Adapter;
  readonly #key: string;

  constructor(client: ApiClient, key: string, adapter: Adapter = {}) {
    this.client = client;
    this.adapter = adapter;
    this.#key = key;
  }

  async list(): Promise<readonly Order[]> {
    const answer = await this.client.ask('GET', '/store/orders');
    const list = answer.status === 200 ? exactJson(answer.text) : undefined;
    if (!Array.isArray(list)) throw new Violation(ANSWER_RULES.list, told(answer));
    return list.map((order) => orderOf(order, ANSWER_RULES.list));
  }

  async get(id: bigint): Promise<Order | undefined> {
    const answer = await this.client.ask('GET', `/store/orders/${id}`);
    if (answer.status === 404) return void checkError(answer, 404, 'order_not_found');
    return this.#orderIn(answer, 200, ANSWER_RULES.got);
  }

  /** Places an order. Returns its id, and the order if the server returns it. */
  async place(placing: Placing): Promise<{ readonly id: bigint; readonly order?: Order }> {
    if (this.adapter.place !== undefined) {
      return { id: BigInt(await this.adapter.place(placing, this.#server)) };
    }
    const { petId, quantity, shipDate } = placing;
    const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
    const body = `{"petId":${petId},"quantity":${quantity}${date}}`;
    const answer = await this.client.ask('POST', '/store/orders', { body });
    const order = this.#orderIn(answer, 201, ANSWER_RULES.placed);
    return { id: order.id, order };
  }

  /** Ships an order. Returns the order if the server returns it, or the refusal. */
  async ship(orderId: bigint, shipDate: string): Promise<Order | Rejection | undefined> {
    if (this.adapter.ship !== undefined) {
      await this.adapter.ship({ orderId, shipDate }, this.#server);
      return undefined;
    }
    const path = `/store/orders/${orderId}/shipment`;
    const answer = await this.client.ask('PUT', path, { body: `{"shipDate":"${shipDate}"}` });
    if (answer.status === 404) return checkError(answer, 404, 'order_not_found');
    if (answer.status === 409) {
      return checkError(answer, 409, 'order_already_shipped', 'order_cancelled');
    }
    return this.#orderIn(answer, 200, ANSWER_RULES.shipped);
  }

  /** Cancels an order. Returns the refusal, if it is refused. */
  async cancel(orderId: bigint): Promise<Rejection | undefined> {
    const answer = await this.client.ask('DELETE', `/store/orders/${orderId}`);
    if (answer.status === 204 && answer.text === '') return undefined;
    if (answer.status === 404) return checkError(answer, 404, 'order_not_found');
    // The contract does not define the body of a 409.
    if (answer.status === 409) return 'order_already_shipped';
    throw new Violation(ANSWER_RULES.cancelled, told(answer));
  }

  get #server(): Server {
    return { baseUrl: this.client.baseUrl, key: this.#key };
  }

  #orderIn(answer: Answer, status: number, rule: string): Order {
    if (answer.status !== status) throw new Violation(rule, told(answer));
    return orderOf(exactJson(answer.text), rule);
  }
}

/** Checks a response against the Error of its status. Returns its code, one of those given. */
export function checkError<Code extends string>(
  answer: Answer,
  status: number,
  ...codes: readonly Code[]
): Code {
  const error = exactJson(answer.text);
  const wrong =
    answer.status === status ? wrongWithError(error, status) : `the status is not ${status}`;
  if (wrong !== undefined) throw new Violation(ANSWER_RULES.errors, `${wrong}: ${told(answer)}`);
  if (!/^application\/json\b/i.test(answer.headers.get('content-type') ?? '')) {
    throw new Violation(ANSWER_RULES.errors, `the content type is not JSON: ${told(answer)}`);
  }
  const { code } = error as { code: string };
  // The contract leaves codes open: another server's may differ if only one is possible.
  const [only, ...others] = codes;
  if (others.length === 0) return only as Code;
  return (
    codes.find((each) => each === code) ?? fail(`the code is none of ${codes.join(', ')}`, answer)
  );
}

function fail(what: string, answer: Answer): never {
  throw new Violation(ANSWER_RULES.errors, `${what}: ${told(answer)}`);
}

/** Returns a response in one line. */
export function told({ status, text }: Answer): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return `${status} ${shown === '' ? 'without a body' : shown}`;
}

function orderOf(value: unknown, rule: string): Order {
  const wrong = wrongWithOrder(value);
  if (wrong !== undefined) throw new Violation(rule, `${wrong}: ${shown(value)}`);
  const { shipDate, quantity, ...rest } = value as Order;
  const date = shipDate === undefined ? {} : { shipDate: new Date(shipDate).toISOString() };
  return { ...rest, quantity: Number(quantity), ...date };
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each));
}
