import type { Answer, History, Operation, Request, Row } from '../history/history.ts';
import type { Caller } from '../history/http-caller.ts';
import { Violation } from '../target.ts';
import { ANSWERED } from '../targets/api-client.ts';
import type { OrdersApi } from '../targets/orders-api.ts';
import type { Order } from '../vocabulary.ts';

/** Histories of concurrent requests to a server that others may use, too. */

/** Calls a server through its operations or an adapter. */
export class TrialCaller implements Caller {
  readonly #api: OrdersApi;
  readonly #listsOnly: boolean;
  #failure: unknown;

  /** @param listsOnly True if a single order is looked up in the list. */
  constructor(api: OrdersApi, listsOnly: boolean) {
    this.#api = api;
    this.#listsOnly = listsOnly;
  }

  /** True once a request was not answered: then no further one is sent. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Throws the first error that is no answer of the server. */
  throwFailure(): void {
    if (this.hasFailed) throw this.#failure;
  }

  async call(request: Request): Promise<Answer> {
    if (this.hasFailed) return { kind: 'untouched' };
    try {
      return await this.#answer(request);
    } catch (error) {
      const isUnexpected = error instanceof Violation && error.rule !== ANSWERED;
      if (isUnexpected) return { kind: 'unexpected', words: error.message };
      const isRefused = this.#api.adapter.ship !== undefined && request.kind === 'ship';
      if (!isRefused) this.#failure ??= error;
      return { kind: 'unknown' };
    }
  }

  async #answer(request: Request): Promise<Answer> {
    switch (request.kind) {
      case 'place': {
        const { kind: _, id: __, ...placing } = request;
        const { id, order } = await this.#api.place(placing);
        return { kind: 'accepted', id, ...(order && { order }) };
      }
      case 'ship':
        return answerOf(request.id, await this.#api.ship(request.id, request.shipDate));
      case 'cancel':
        return answerOf(request.id, await this.#api.cancel(request.id));
      case 'get': {
        const order = await this.#get(request.id);
        return order ? { kind: 'shown', order } : { kind: 'refused', reason: 'order_not_found' };
      }
      case 'list':
        return { kind: 'listed', orders: await this.#api.list() };
    }
  }

  async #get(id: bigint): Promise<Order | undefined> {
    if (!this.#listsOnly) return this.#api.get(id);
    return (await this.#api.list()).find((order) => order.id === id);
  }
}

function answerOf(id: bigint, told: Awaited<ReturnType<OrdersApi['ship']>>): Answer {
  if (typeof told === 'string') return { kind: 'refused', reason: told };
  return { kind: 'accepted', id, ...(told && { order: told }) };
}

/** Returns a history without the orders of others: those from before, and those of other animals. */
export function ownHistory(
  history: History,
  before: ReadonlySet<bigint>,
  firstPet: bigint,
): History {
  const given = new Set(
    history.flatMap(({ request, answer }) => {
      return request.kind === 'place' && answer.kind === 'accepted' ? [answer.id] : [];
    }),
  );
  const lastPet = firstPet + BigInt(history.length);
  const isOwn = ({ id, petId }: Row) =>
    given.has(id) || (!before.has(id) && petId >= firstPet && petId <= lastPet);
  return history.map((operation) => {
    const { answer } = operation;
    if (answer.kind !== 'listed') return operation;
    return { ...operation, answer: { ...answer, orders: answer.orders.filter(isOwn) } };
  });
}

/**
 * Returns a history without everything that the contract leaves open: ship dates, refusals of
 * shipments, and refusals of cancellations of an order that was cancelled before or meanwhile.
 * @param shipsCancelled True if the server ships cancelled orders: then orders are left out that
 * were cancelled and shipped.
 */
export function contractHistory(all: History, shipsCancelled: boolean): History {
  const history = shipsCancelled ? withoutTwoEnds(all) : all;
  const cancelled = new Map<bigint, number>();
  for (const { request, answer, invoked } of history) {
    if (request.kind !== 'cancel' || answer.kind !== 'accepted') continue;
    cancelled.set(request.id, Math.min(invoked, cancelled.get(request.id) ?? invoked));
  }
  const isOpen = ({ request, answer, returned }: Operation) => {
    if (answer.kind !== 'refused') return false;
    if (request.kind === 'ship') return true;
    return request.kind === 'cancel' && returned > (cancelled.get(request.id) ?? Infinity);
  };
  return history.map((operation): Operation => {
    if (isOpen(operation)) return { ...operation, answer: { kind: 'untouched' } };
    return {
      ...operation,
      request: undated(operation.request),
      answer: undatedAnswer(operation.answer),
    };
  });
}

function withoutTwoEnds(history: History): History {
  const idsOf = (kind: Request['kind']) => {
    return history.flatMap(({ request, answer }) => {
      return request.kind === kind && answer.kind === 'accepted' ? [answer.id] : [];
    });
  };
  const cancelled = new Set(idsOf('cancel'));
  const left = new Set(idsOf('ship').filter((id) => cancelled.has(id)));
  return history.flatMap((operation): readonly Operation[] => {
    const { request, answer } = operation;
    const id = answer.kind === 'accepted' ? answer.id : 'id' in request ? request.id : undefined;
    if (id !== undefined && left.has(id)) return [];
    if (answer.kind !== 'listed') return [operation];
    const orders = answer.orders.filter((order) => !left.has(order.id));
    return [{ ...operation, answer: { ...answer, orders } }];
  });
}

function undated(request: Request): Request {
  if (request.kind !== 'place') return request;
  const { shipDate: _, ...rest } = request;
  return rest;
}

// The one date of all shipments: it is compared with itself.
function undatedAnswer(answer: Answer): Answer {
  const dated = ({ shipDate: _, ...row }: Row): Row => {
    return row.complete ? { ...row, shipDate: CONTRACT_DATE } : row;
  };
  switch (answer.kind) {
    case 'listed':
      return { ...answer, orders: answer.orders.map(dated) };
    case 'shown':
      return { ...answer, order: dated(answer.order) };
    case 'accepted':
      return { kind: 'accepted', id: answer.id };
    default:
      return answer;
  }
}

/** The date of all shipments of a history by the contract alone. */
export const CONTRACT_DATE = '2026-01-01T00:00:00.000Z';
