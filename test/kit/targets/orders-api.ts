import { apart, asText } from '../aggregate/text.ts';
import { orLate } from '../aggregate/time-limit.ts';
import { brokenBy } from '../aggregate/violation.ts';
import { exactJson } from '../history/exact-json.ts';
import { wrongWithError, wrongWithOrder } from '../oracle/shapes.ts';
import { Violation } from '../target.ts';
import { MAX_INT64, MIN_INT64, type Order, type Rejection } from '../vocabulary.ts';
import {
  type Answer,
  type ApiClient,
  type Asked,
  CannotCheck,
  idIn,
  TIMEOUT_MS,
} from './api-client.ts';
import { ORDER } from './trace.ts';

/**
 * Functions that place and ship orders on a server without this service's operations for it. They
 * throw, or reject, if the server does not do it.
 */
export interface Adapter {
  /** Places an order and returns its id. A number must be safe (Number.isSafeInteger). */
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
  given: 'a new order is answered with its id',
  shipped: 'a shipment is a 200 with the order',
  got: 'one order is a 200 with the order',
} as const;

export interface OrdersApiOptions {
  readonly adapter?: Adapter;
  /**
   * True to accept every answer of placeOrder and shipOrder that means the same: the contract does
   * not define these operations. Orders may also lack `complete` while they are not: it requires no property.
   */
  readonly isLenient?: boolean;
  /** Told of every order that was placed or shipped. */
  readonly ledger?: Ledger;
}

/** The part of a ledger that the operations write to. */
interface Ledger {
  place(order: Order): void;
  ship(id: bigint, shipDate: string): void;
  open(id: bigint): void;
}

/** The operations of version 1: sends requests, and checks the shape of every response. */
export class OrdersApi {
  readonly client: ApiClient;
  readonly adapter: Adapter;
  readonly isLenient: boolean;
  readonly #key: string;
  readonly #ledger: Ledger | undefined;

  constructor(client: ApiClient, key: string, options: OrdersApiOptions = {}) {
    this.client = client;
    this.adapter = options.adapter ?? {};
    this.isLenient = options.isLenient ?? false;
    this.#key = key;
    this.#ledger = options.ledger;
  }

  async list(): Promise<readonly Order[]> {
    return listIn(await this.client.ask('GET', '/store/orders'), this.isLenient);
  }

  async get(id: bigint): Promise<Order | undefined> {
    const answer = await this.client.ask('GET', `/store/orders/${id}`);
    if (answer.status === 404) return void checkError(answer, 404, 'order_not_found');
    return this.#orderIn(answer, 200, ANSWER_RULES.got);
  }

  /** Places an order. Returns its id, and the order if the server returns it. */
  async place(placing: Placing): Promise<{ readonly id: bigint; readonly order?: Order }> {
    if (this.adapter.place !== undefined) {
      const id = await this.#adapted('place', placing).then(idOf);
      this.client.trace.noteGiven(bodyOf(placing), id);
      this.#ledger?.place({ ...placing, id, complete: false });
      return { id };
    }
    const answer = await this.askToPlace(placing);
    if (this.isLenient) {
      const id = isSuccess(answer) ? idIn(answer) : undefined;
      if (id === undefined) throw new Violation(ANSWER_RULES.given, told(answer));
      return { id };
    }
    const order = this.#orderIn(answer, 201, ANSWER_RULES.placed);
    return { id: order.id, order };
  }

  /**
   * Sends the request of placeOrder, and returns its answer unchecked.
   * @param asked The same order in another form.
   */
  async askToPlace(placing: Placing, asked: Asked = { body: bodyOf(placing) }): Promise<Answer> {
    const answer = await this.client.ask('POST', '/store/orders', asked);
    const id = isSuccess(answer) ? idIn(answer) : undefined;
    if (id !== undefined) this.#ledger?.place({ ...placing, id, complete: false });
    return answer;
  }

  /** Ships an order. Returns the order if the server returns it, or the refusal. */
  async ship(orderId: bigint, shipDate: string): Promise<Order | Rejection | undefined> {
    if (this.adapter.ship !== undefined) {
      this.client.trace.note(`# Ship order ${ORDER} on ${shipDate} with your adapter.`, orderId);
      await this.#adapted('ship', { orderId, shipDate }).catch((error) => {
        this.#ledger?.open(orderId);
        throw error;
      });
      this.#ledger?.ship(orderId, shipDate);
      return undefined;
    }
    const answer = await this.askToShip(orderId, shipDate);
    if (answer.status === 404) return checkError(answer, 404, 'order_not_found');
    if (answer.status === 409) {
      if (this.isLenient) return 'order_already_shipped';
      return checkError(answer, 409, 'order_already_shipped', 'order_cancelled');
    }
    if (this.isLenient && isSuccess(answer)) return undefined;
    return this.#orderIn(answer, 200, ANSWER_RULES.shipped);
  }

  /**
   * Sends the request of shipOrder, and returns its answer unchecked.
   * @param body The same date in another form.
   */
  async askToShip(
    orderId: bigint,
    shipDate: string,
    headers = {},
    body = `{"shipDate":"${shipDate}"}`,
  ): Promise<Answer> {
    const asked = { body, headers };
    try {
      const answer = await this.client.ask('PUT', `/store/orders/${orderId}/shipment`, asked);
      if (isSuccess(answer)) this.#ledger?.ship(orderId, shipDate);
      else if (answer.status >= 500) this.#ledger?.open(orderId);
      return answer;
    } catch (error) {
      this.#ledger?.open(orderId);
      throw error;
    }
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

  /** Calls a function of the adapter. Its failure is none of the server, so no rule is broken. */
  async #adapted<Name extends keyof Adapter>(name: Name, order: Adapted<Name>): Promise<unknown> {
    const call = this.adapter[name] as (order: Adapted<Name>, server: Server) => unknown;
    const server = { baseUrl: this.client.baseUrl, key: this.#key };
    const called = async () => call.call(this.adapter, order, server);
    const late = () => new Error(`it has no answer within ${TIMEOUT_MS} ms`);
    try {
      return await this.client.answerTo(`the adapter's ${name}`, () => {
        return orLate(called(), TIMEOUT_MS, late);
      });
    } catch (error) {
      throw new CannotCheck(`the adapter's ${name} failed: ${brokenBy(error).detail}`);
    }
  }

  #orderIn(answer: Answer, status: number, rule: string): Order {
    if (answer.status !== status) throw new Violation(rule, told(answer));
    return orderOf(exactJson(answer.text), rule, this.isLenient);
  }
}

type Adapted<Name extends keyof Adapter> = Parameters<Required<Adapter>[Name]>[0];

/** Returns the id that an adapter's place has returned. */
function idOf(returned: unknown): bigint {
  const isId =
    typeof returned === 'bigint' ||
    Number.isSafeInteger(returned) ||
    (typeof returned === 'string' && /^-?[0-9]{1,19}$/.test(returned));
  const id = isId ? BigInt(returned as bigint | number | string) : undefined;
  if (id !== undefined && id >= MIN_INT64 && id <= MAX_INT64) return id;
  throw new CannotCheck(
    `the adapter's place returned ${asText(returned)}, and should return the id of the order: ` +
      'a bigint, a string of digits, or a safe integer',
  );
}

/** Returns the orders in a list; throws a Violation if it is none. */
export function listIn(answer: Answer, isLenient = false): readonly Order[] {
  const list = answer.status === 200 ? exactJson(answer.text) : undefined;
  if (!Array.isArray(list)) throw new Violation(ANSWER_RULES.list, told(answer));
  return list.map((order) => orderOf(order, ANSWER_RULES.list, isLenient));
}

/** Returns the body of a request that places an order. */
export function bodyOf({ petId, quantity, shipDate }: Placing): string {
  const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
  return `{"petId":${petId},"quantity":${quantity}${date}}`;
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Matches JSON in UTF-8, its only charset (RFC 8259, section 8.1). */
const JSON_TYPE = /^application\/json *(?:;(?!.*charset *= *(?!(?:utf-8|"utf-8") *(?:;|$)))|$)/i;

/** Throws a Violation unless a response is JSON by its content type. */
export function checkJson(answer: Answer, rule: string): void {
  const type = answer.header('content-type');
  if (JSON_TYPE.test(type)) return;
  throw new Violation(rule, `the content type is ${type || 'absent'}, not JSON: ${told(answer)}`);
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
  checkJson(answer, ANSWER_RULES.errors);
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

/** The longest part of a body that is shown, and the part of it before a difference, in characters. */
const [SHOWN, SHOWN_BEFORE] = [200, 40] as const;

/** Returns a response in one line. */
export function told(answer: Answer): string {
  return withPart(answer, 0, partFrom(0, answer));
}

/** Returns two responses in one line each, in a form in which they differ if their statuses or bodies do. */
export function toldApart(one: Answer, other: Answer): readonly [one: string, other: string] {
  let at = 0;
  while (at < one.text.length && one.text[at] === other.text[at]) at += 1;
  const from = one.text === other.text || at < SHOWN - SHOWN_BEFORE ? 0 : at - SHOWN_BEFORE;
  const [first, second] = apart(partFrom(from, one), partFrom(from, other));
  return [withPart(one, from, first), withPart(other, from, second)];
}

function partFrom(from: number, { text }: Answer): string {
  return text.slice(from, from + SHOWN);
}

function withPart({ status, text }: Answer, from: number, part: string): string {
  if (text === '') return `${status} without a body`;
  const shown = part.trim() === '' ? JSON.stringify(part) : part;
  return `${status} ${from > 0 ? '…' : ''}${shown}${text.length > from + SHOWN ? '…' : ''}`;
}

function orderOf(value: unknown, rule: string, isLenient: boolean): Order {
  const wrong = wrongWithOrder(value);
  if (wrong !== undefined) throw new Violation(rule, `${wrong}: ${shown(value)}`);
  // An order may have more properties, such as a status in words of its server's own.
  const { id, petId, quantity, shipDate, complete: stated } = value as Order;
  // Many encoders leave out what is false.
  const complete = isLenient ? (stated ?? false) : stated;
  const date = shipDate === undefined ? {} : { shipDate: new Date(shipDate).toISOString() };
  return { id, petId, quantity: Number(quantity), ...date, complete };
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each));
}
