import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { exactJson } from '../../kit/history/exact-json.ts';
import { changingAnswers, changingRequests, type Exchange } from '../faults.ts';
import type { Mutant } from '../mutated.ts';

/** Servers with a fault: the real application, with one change between it and its clients. */

export interface Fault extends Mutant {
  /** The number of orders that shows it, if it takes many. */
  readonly orders?: number;
  /** It shows after a time, or in one answer of many: which check meets it first depends on the machine. */
  readonly comesByChance?: true;
}

/** The times of what happened to an order, in milliseconds. */
export interface Seen {
  readonly placedAt: number;
  shippedAt?: number;
  cancelledAt?: number;
}

type Orders = ReadonlyMap<string, Seen>;

/** An answer, with what had happened to its order before. */
export interface Watched extends Exchange {
  /** The order's id in the path, or in the answer to a placement. */
  readonly id: string;
  readonly before: Readonly<Seen> | undefined;
  /** True if another command about the order was under way meanwhile, or another placement. */
  readonly isRace: boolean;
  readonly isList: boolean;
}

/** An application whose answers are changed, with knowledge of its orders. */
export function watching(
  app: RequestListener,
  change: (exchange: Watched, orders: Orders) => void | Promise<void>,
): RequestListener {
  const orders = new Map<string, Seen>();
  const marks = new WeakMap<IncomingMessage, { key: string; isRace: boolean }>();
  const underWay = new Map<string, Set<{ isRace: boolean }>>();
  const answering = changingAnswers(app, (exchange) => {
    const { request, method, path, status } = exchange;
    const mark = marks.get(request) as { key: string; isRace: boolean };
    underWay.get(mark.key)?.delete(mark);
    const id = idIn(method === 'POST' ? exchange.body : path);
    const seen = orders.get(id);
    const before = seen && { ...seen };
    const now = performance.now();
    if (method === 'POST' && status === 201) orders.set(id, { placedAt: now });
    if (seen && method === 'PUT' && status === 200) seen.shippedAt ??= now;
    if (seen && method === 'DELETE' && status === 204) seen.cancelledAt ??= now;
    const isList = method === 'GET' && path.endsWith('/store/orders') && status === 200;
    const watched = { id, before, isRace: mark.isRace, isList };
    return change(Object.assign(exchange, watched), orders);
  });
  return (req, res) => {
    const { method, url = '' } = req;
    const key = method === 'GET' ? `get ${url}` : `of ${idIn(url)}`;
    const others = underWay.get(key) ?? new Set();
    underWay.set(key, others);
    const mark = { key, isRace: others.size > 0 && method !== 'GET' };
    for (const other of others) other.isRace = true;
    others.add(mark);
    marks.set(req, mark);
    answering(req, res);
  };
}

function idIn(text: string): string {
  return /(?:"id":|orders\/)(-?\d+)/.exec(text)?.[1] ?? '';
}

/** The milliseconds since something, or -1 if it did not happen. */
export function since(time: number | undefined): number {
  return time === undefined ? -1 : performance.now() - time;
}

export type Row = Record<string, unknown> & { readonly id: bigint };

/** An application whose lists have other rows. */
export function withRows(
  app: RequestListener,
  change: (rows: readonly Row[], orders: Orders) => readonly unknown[],
): RequestListener {
  return watching(app, (exchange, orders) => {
    if (exchange.isList) exchange.body = textOf(change(exactJson(exchange.body) as Row[], orders));
  });
}

/** An application whose lists have other orders, one by one; `undefined` omits one. */
export function withEachRow(
  app: RequestListener,
  change: (row: Row, seen: Seen | undefined) => Record<string, unknown> | undefined,
): RequestListener {
  return withRows(app, (rows, orders) => {
    return rows.flatMap((row) => change(row, orders.get(`${row.id}`)) ?? []);
  });
}

function textOf(value: unknown): string {
  const marked = JSON.stringify(value, (_key, each) => {
    return typeof each === 'bigint' ? `int ${each}` : each;
  });
  return marked.replaceAll(/"int (-?\d+)"/g, '$1');
}

/** An application whose answers to cancellations are changed. */
export function cancelling(
  app: RequestListener,
  change: (exchange: Watched) => void,
): RequestListener {
  return watching(app, (exchange) => {
    if (exchange.method === 'DELETE' && exchange.status !== 401) change(exchange);
  });
}

/** Makes an answer an error. */
export function fail(exchange: Exchange, status: number, code: string): void {
  exchange.status = status;
  exchange.body = `{"code":"${code}","message":"It is so.","status":${status}}`;
  exchange.headers['content-type'] = 'application/json';
}

/** Makes an answer one without a body. */
export function bare(exchange: Exchange, status: number): void {
  exchange.status = status;
  exchange.body = '';
}

/** An application that takes more requests for requests with its key. */
export function admitting(
  methods: readonly string[],
  isAdmitted: (authorization: string | undefined, key: string) => boolean,
): NonNullable<Mutant['http']> {
  return (app, key) =>
    changingRequests(app, ({ method = '', headers }) => {
      if (methods.includes(method) && isAdmitted(headers.authorization, key)) {
        headers.authorization = `Bearer ${key}`;
      }
    });
}

/** An application that changes the ids of cancellations before it reads them. */
export function reading(toId: (text: string) => string): NonNullable<Mutant['http']> {
  return (app) =>
    changingRequests(app, (req) => {
      const [, path, text] = /^(.*\/orders\/)([^/]+)$/.exec(req.url ?? '') ?? [];
      if (req.method === 'DELETE' && text !== undefined) req.url = `${path}${toId(text)}`;
    });
}

/** Resolves with the list that an application answers now. */
export function listOf(app: RequestListener, { request }: Exchange): Promise<readonly Row[]> {
  return new Promise((resolve) => {
    const req = new IncomingMessage(new Socket());
    const { headers, rawHeaders, url, httpVersion, httpVersionMajor, httpVersionMinor } = request;
    const version = { httpVersion, httpVersionMajor, httpVersionMinor };
    Object.assign(req, { method: 'GET', url, rawHeaders, ...version });
    req.headers = headers;
    req.push(null);
    const reading = changingAnswers(app, ({ body }) => resolve(exactJson(body) as Row[]));
    reading(req, new ServerResponse(req));
  });
}
