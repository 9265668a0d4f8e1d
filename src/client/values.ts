/** Writes values as the API reads them, and reads its answers. */
import type { Answer } from './attempt.ts';
import { StoreOrdersError } from './error.ts';
import { readExactly } from './exact-json.ts';
import type { Done, Id, NewOrder, OrderV1, Tagged, Time } from './shapes.ts';

const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

/** Returns the decimal text of an id. Throws `invalid_request` unless it is a bigint or such a text. */
export function idText(id: Id): string {
  const text = typeof id === 'number' ? '' : String(id);
  if (DECIMAL.test(text)) return text;
  const hint = 'an id must be a bigint or a decimal string: a number beyond 2^53 would be rounded';
  throw new StoreOrdersError('invalid_request', hint);
}

/** Returns the text of a time. Throws `invalid_request` for a Date that is not valid. */
export function timeText(time: Time): string {
  if (typeof time === 'string') return time;
  try {
    return time.toISOString();
  } catch (cause) {
    throw new StoreOrdersError('invalid_request', 'a time must be a valid Date, or a text', {
      cause,
    });
  }
}

/** Returns the parameters of a query as texts. */
export function queryOf(query: object): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, textOf(name, value)]));
}

function textOf(name: string, value: unknown): string {
  if (/^(?:id|fromId|toId|petId)$/.test(name))
    return [value]
      .flat()
      .map((id) => idText(id as Id))
      .join();
  return typeof value === 'object' ? timeText(value as Time) : String(value);
}

/** Returns the JSON of a new order. In version 1 ids are numbers, which JSON.stringify would round. */
export function newOrderJson(order: NewOrder, version: 1 | 2): string {
  const { petId, shipDate } = order;
  const id = idText(petId);
  const date = shipDate === undefined ? undefined : timeText(shipDate);
  const json = JSON.stringify({ ...order, petId: id, shipDate: date });
  return version === 2 ? json : json.replace(`"petId":"${id}"`, `"petId":${id}`);
}

/** Returns the order in an answer, with its ids as strings. */
export function orderIn<Order extends OrderV1>(answer: Pick<Answer, 'text' | 'status'>): Order {
  return withIds(jsonOf(answer));
}

export function withIds<Order extends OrderV1>(order: Order): Order {
  return { ...order, id: String(order.id), petId: String(order.petId) };
}

export function taggedOrderIn<Order extends OrderV1>(answer: Answer): Tagged<Order> {
  return { ...orderIn<Order>(answer), etag: answer.headers.get('ETag') ?? '' };
}

export function doneIn({ headers }: Answer): Done {
  return { position: Number(headers.get('Event-Position')) };
}

/** Returns the JSON of an answer. Throws `unexpected_response` if it is none. */
export function jsonOf<Value>({ text, status }: Pick<Answer, 'text' | 'status'>): Value {
  try {
    return readExactly(text) as Value;
  } catch (cause) {
    const message = `${status} without JSON, which is no answer of this API`;
    throw new StoreOrdersError('unexpected_response', message, { status, cause });
  }
}
