/** Writes values as the API reads them, and reads its answers. */
import type { Answer } from './attempt.ts';
import { StoreOrdersError } from './error.ts';
import { readExactly } from './exact-json.ts';
import { given } from './given.ts';
import type {
  Activity,
  Done,
  Id,
  NewOrder,
  OrderEvent,
  OrderV1,
  Summary,
  Tagged,
  Time,
} from './shapes.ts';

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

/**
 * Returns the header for a change of the version with this tag. Throws `invalid_request` for a tag that no version
 * has: `If-Match` compares strongly (RFC 9110, section 13.1.1).
 */
export function conditionOf(ifMatch: string | undefined): Readonly<Record<string, string>> {
  if (ifMatch === undefined) return {};
  if (ifMatch.trim() !== '' && !/^\s*W\//.test(ifMatch)) return { 'If-Match': ifMatch };
  const [kind, did] = ifMatch.trim() === '' ? ['empty', 'removed'] : ['weak', 'weakened'];
  const message = `ifMatch: the tag is ${kind}, and matches no order: a proxy has ${did} the ETag, as by compression`;
  throw new StoreOrdersError('invalid_request', message);
}

/** Returns the parameters of a query as texts. */
export function queryOf(query: object): Record<string, string> {
  const texts = Object.entries(given(query)).map(([name, value]) => [
    name,
    parameterText(name, value),
  ]);
  return Object.fromEntries(texts);
}

function parameterText(name: string, value: unknown): string {
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

/**
 * Returns the order in an answer, with its ids as strings. Throws `unexpected_response` if it is another one than the
 * one with these members.
 */
export function orderIn<Order extends OrderV1>(answer: Answer, asked: Partial<OrderV1>): Order {
  const order = withIds<Order>(jsonOf(answer, isOrder));
  requireAsked(answer, isLike(order, asked));
  return order;
}

/** The end of a log's name where a position was given twice: the epoch of the event. */
const EPOCH_AT_END = /\.(\d+\.[\da-f]{8})$/;

/** Returns the name of the log that an event is in, which is the same in all epochs. */
export function logOf({ source }: Pick<OrderEvent, 'source'>): string {
  return source.replace(EPOCH_AT_END, '');
}

/** Returns the position of an event as `after` takes it: `EPOCH:POSITION` where it was given twice. */
export function placeOf({ position, source }: Pick<OrderEvent, 'position' | 'source'>): string {
  const [, epoch] = EPOCH_AT_END.exec(source) ?? [];
  return epoch === undefined ? `${position}` : `${epoch}:${position}`;
}

export function withIds<Order extends OrderV1>(order: Order): Order {
  return { ...order, id: String(order.id), petId: String(order.petId) };
}

/** Returns the order in an answer, as {@link orderIn} does, with the tag of its version. */
export function taggedOrderIn<Order extends OrderV1>(
  answer: Answer,
  asked: Partial<OrderV1>,
): Tagged<Order> {
  return { ...orderIn<Order>(answer, asked), etag: answer.headers.get('ETag') ?? '' };
}

/** Returns what a command has done. Throws `unexpected_response` if the answer does not say it. */
export function doneIn(answer: Answer): Done {
  const position = answer.headers.get('Event-Position') ?? '';
  if (!DECIMAL.test(position)) throw unexpected(answer, 'without Event-Position');
  return { position: Number(position) };
}

/**
 * Returns the JSON of an answer. Throws `unexpected_response` if it is none, or of another form: proxies
 * and pages to log in answer with JSON of their own, some with status 200.
 */
export function jsonOf<Value>(
  answer: Readable,
  isValue: Is,
  isAsked: (value: Value) => boolean = () => true,
): Value {
  let value: unknown;
  try {
    value = readExactly(answer.text);
  } catch (cause) {
    throw unexpected(answer, 'without JSON', cause);
  }
  if (!isValue(value)) throw unexpected(answer, 'with other JSON');
  requireAsked(answer, isAsked(value as Value));
  return value as Value;
}

/** Returns true for a value that has the given members, except for those that are undefined. */
export function isLike(value: object, members: object): boolean {
  const own: Readonly<Record<string, unknown>> = { ...value };
  return Object.entries(members).every(([name, member]) => {
    return member === undefined || own[name] === member;
  });
}

/** Throws `unexpected_response` for an answer to another request. */
export function requireAsked(answer: Readable, isAsked: boolean): void {
  if (!isAsked) throw unexpected(answer, 'with the answer to another request');
}

/** An origin, a size, a root and whatever else, and behind a blank line the first signature. */
const CHECKPOINT = /^.+\n\d+\n(?:.+\n)+\n— \S+ \S+\n/;

/** Returns the checkpoint in an answer, as it is. Throws `unexpected_response` if it has not the form of one. */
export function checkpointIn(answer: Answer): string {
  if (!CHECKPOINT.test(answer.text)) throw unexpected(answer, 'without a checkpoint');
  return answer.text;
}

type Readable = Pick<Answer, 'text' | 'status'> & Partial<Answer>;

function unexpected(answer: Readable, what: string, cause?: unknown): StoreOrdersError {
  const { status, headers, attempts, idempotencyKey } = answer;
  const requestId = headers?.get('X-Request-Id') ?? undefined;
  const message = `${status} ${what}, which is no answer of this API`;
  const details = { status, requestId, attempts, idempotencyKey, cause };
  return new StoreOrdersError('unexpected_response', message, details);
}

/** A form of JSON, as far as the client and its users rely on it. */
export type Is = (value: unknown) => boolean;

const isOf =
  (type: string): Is =>
  (value) =>
    typeof value === type && value !== null;
const isText = isOf('string');
/** A position, a number of something, or a status. */
const isCount: Is = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** A number beyond 2^53 was rounded on the way: {@link readExactly} makes texts of the integers of the service. */
const isId: Is = (value) =>
  isText(value) ? DECIMAL.test(String(value)) : Number.isSafeInteger(value);
const isCursor: Is = (value) => value === null || isText(value);
function has(members: Readonly<Record<string, Is>>): Is {
  const all = Object.entries(members);
  return (value) => all.every(([name, isMember]) => isMember(Object(value)[name]));
}
const each =
  (isItem: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(isItem);

const isOrder = has({
  id: isId,
  petId: isId,
  quantity: isCount,
  complete: isOf('boolean'),
});
export const isOrders = each(isOrder);
export const isOrderPage = has({ data: isOrders, next: isCursor });
export const isEvent = has({
  id: isText,
  source: isText,
  type: isText,
  position: isCount,
  data: isOf('object'),
});
export const isEvents = each(isEvent);
export const isResults = each(has({ status: isCount }));
export const isBatch = has({
  results: isResults,
  succeeded: isCount,
  failed: isCount,
});
export const isSummary = has({
  asOf: isCount,
  lastEventAt: (value) => value === undefined || isText(value),
  orders: has({
    pending: isCount,
    shipped: isCount,
    cancelled: isCount,
    total: isCount,
  } satisfies Record<keyof Summary['orders'], Is>),
});
export const isActivity = has({
  asOf: isCount,
  data: each(
    has({
      start: isText,
      placed: isCount,
      shipped: isCount,
      cancelled: isCount,
    } satisfies Record<keyof Activity['data'][number], Is>),
  ),
});
export const isKey = has({ id: isText, name: isText, scopes: each(isText) });
export const isEpochs = has({ epoch: isText, breaks: each(isText) });
export const isReceipt = has({
  format: isText,
  record: isText,
  proof: each(isText),
  checkpoint: isText,
});
