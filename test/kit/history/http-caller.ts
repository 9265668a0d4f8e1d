import { exactJson } from './exact-json.ts';
import type { Answer, Reason, Request, Row } from './history.ts';
import { type Reply, type Unanswered, Wire } from './wire.ts';

/** Sends a request to a server and returns the reply. */
export interface Caller {
  /**
   * @param cutAfter The milliseconds after which the connection is cut, unless a response has
   * arrived.
   */
  call(request: Request, cutAfter?: number): Promise<Answer>;
}

/** Calls a server over HTTP like any client, by the contract only. */
export class HttpCaller implements Caller {
  readonly #baseUrl: () => string;
  readonly #key: string;
  readonly #wire = new Wire();

  /** @param baseUrl Called for each request, because a server may restart at another address. */
  constructor(baseUrl: () => string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** @param more Additional headers of the request. */
  async call(
    request: Request,
    cutAfter?: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const reply = await this.#send(request, cutAfter, more);
    return typeof reply === 'string' ? { kind: reply } : read(request, reply);
  }

  /** Closes the persistent connections. */
  close(): void {
    this.#wire.close();
  }

  /** Resolves with the reply or, without one, whether the server may have received the request. */
  async #send(
    request: Request,
    cutAfter: number | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<Reply | 'unknown' | 'untouched'> {
    const { path, ...message } = messageFor(request);
    const json = message.body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = { Authorization: `Bearer ${this.#key}`, ...json, ...more };
    const url = `${this.#baseUrl()}/store/orders${path}`;
    const cut = cutAfter === undefined ? {} : { cutAfter };
    try {
      return await this.#wire.send({ ...message, url, headers, ...cut });
    } catch (error) {
      return (error as Unanswered).code === 'ECONNREFUSED' ? 'untouched' : 'unknown';
    }
  }
}

interface Asking {
  readonly method: string;
  /** Below that of the list. */
  readonly path: string;
  readonly body?: string;
}

/** Returns a request as version 1 of the contract has it. */
export function messageFor(request: Request): Asking {
  switch (request.kind) {
    case 'place': {
      const { id, petId, quantity, shipDate } = request;
      const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
      const chosen = id === undefined ? '' : `"id":${id},`;
      const body = `{${chosen}"petId":${petId},"quantity":${quantity}${date}}`;
      return { method: 'POST', path: '', body };
    }
    case 'ship': {
      const body = `{"shipDate":"${request.shipDate}"}`;
      return { method: 'PUT', path: `/${request.id}/shipment`, body };
    }
    case 'cancel':
      return { method: 'DELETE', path: `/${request.id}` };
    case 'get':
      return { method: 'GET', path: `/${request.id}` };
    case 'list':
      return { method: 'GET', path: '' };
  }
}

function read(request: Request, reply: Reply): Answer {
  try {
    return readExpected(request, reply) ?? unexpected(reply);
  } catch {
    return unexpected(reply);
  }
}

function unexpected({ status, text }: Reply): Answer {
  return { kind: 'unexpected', words: `${status} ${text.slice(0, 200)}` };
}

/** Of a service or a proxy whose answer is not known. A 500 is a fault of the service. */
const IN_DOUBT = [502, 503, 504];

const SUCCESS = { place: 201, ship: 200, cancel: 204, get: 200, list: 200 } as const;

function readExpected(request: Request, { status, text }: Reply): Answer | undefined {
  if (status === SUCCESS[request.kind]) return readSuccess(request, text);
  if (status === 404) return refused(request, 'order_not_found');
  if (status === 409) return refused(request, conflictIn(request, text));
  // Only service_unavailable guarantees that nothing was done.
  if (status === 503 && codeIn(text) === 'service_unavailable') return { kind: 'untouched' };
  return IN_DOUBT.includes(status) ? { kind: 'unknown' } : undefined;
}

function readSuccess(request: Request, text: string): Answer {
  if (request.kind === 'cancel') return { kind: 'accepted', id: request.id };
  const body = exactJson(text);
  if (request.kind === 'list') return { kind: 'listed', orders: (body as unknown[]).map(rowOf) };
  const order = rowOf(body);
  if (request.kind === 'get') return { kind: 'shown', order };
  return { kind: 'accepted', id: order.id, order };
}

function refused({ kind }: Request, reason: Reason): Answer | undefined {
  return kind === 'list' ? undefined : { kind: 'refused', reason };
}

// A cancellation has one reason to conflict, and the contract does not define the body.
function conflictIn({ kind }: Request, text: string): Reason {
  const code = kind === 'cancel' ? 'order_already_shipped' : codeIn(text);
  switch (code) {
    case 'order_exists':
    case 'order_already_shipped':
    case 'order_cancelled':
      return code;
    default:
      throw new Error(`no such conflict: ${code}`);
  }
}

function codeIn(text: string): unknown {
  try {
    return JSON.parse(text).code;
  } catch {
    return undefined;
  }
}

/** Throws if the value is not an order. */
function rowOf(value: unknown): Row {
  const { id, petId, quantity, shipDate, complete } = value as Record<string, unknown>;
  if (typeof id !== 'bigint' || typeof petId !== 'bigint' || typeof quantity !== 'bigint') {
    throw new TypeError('an order has three numbers');
  }
  return {
    id,
    petId,
    quantity: Number(quantity),
    ...(shipDate === undefined ? {} : { shipDate: new Date(String(shipDate)).toISOString() }),
    complete: complete === true,
  };
}
