/** The pages of the console by their addresses. An address restores the whole view. */
import { EVENT_TYPES } from '../../app/log/recorded-event.ts';
import type { EventType, Status } from '../../client/client.ts';
import { STATUSES } from '../../domain/order-lives.ts';
import { isInstant } from './clock.ts';
import { isId } from './ids.ts';
import { isPosition } from './places.ts';

export { STATUSES };

/** The list of orders. Absent members filter nothing. */
export interface OrdersRoute {
  readonly page: 'orders';
  readonly status?: Status;
  /** A position of the log, or a time. */
  readonly asOf?: string;
  readonly petId?: string;
  readonly fromId?: string;
  readonly toId?: string;
  readonly order?: 'desc';
}

export interface LogRoute {
  readonly page: 'log';
  readonly type?: EventType;
  /** The command, or the request, whose events are shown. */
  readonly commandId?: string;
  readonly order?: 'oldest';
  /** The position that is shown first. */
  readonly at?: string;
  /** The list stands still while new events are counted. */
  readonly paused?: true;
}

export interface OrderRoute {
  readonly page: 'order';
  readonly id: string;
  /** The position as of which the order is shown; the order of now if absent. */
  readonly at?: string;
}

/** A moment of the past; the present without one. */
export interface TravelRoute {
  readonly page: 'travel';
  readonly at?: string;
  /** A time, where no position is given. */
  readonly asOf?: string;
}

export interface ProofRoute {
  readonly page: 'proof';
  /** The position whose receipt is loaded from the service. */
  readonly position?: string;
}

export type Route =
  | ProofRoute
  | { readonly page: 'overview' }
  | { readonly page: 'key' }
  /** An address where there is no page, such as that of an order with an id that none can have. */
  | { readonly page: 'nowhere'; readonly path: string }
  | OrderRoute
  | OrdersRoute
  | LogRoute
  | TravelRoute;

/** The members of a view, of which some may be absent or empty. */
export type Members<View> = {
  readonly [Name in keyof View]: View[Name] | undefined | '';
};

/** The ids of commands, as the API describes them. */
const COMMAND_ID = /^[!-~]{1,100}$/;

/**
 * Returns the page at an address below the console's. A parameter that is malformed is ignored: {@link unusedIn}
 * returns it.
 * @param path For example `orders/42`; empty for the first page.
 */
export function readRoute(path: string, search: string): Route {
  // A slash at the end is as if it were absent.
  const [page, id, ...rest] = path.replace(/\/+$/, '').split('/');
  const given = new URLSearchParams(search);
  if (page === 'orders' && id !== undefined && isId(id) && rest.length === 0) {
    return readOrder(id, given);
  }
  if (id !== undefined) return { page: 'nowhere', path };
  switch (page) {
    case '':
      return { page: 'overview' };
    case 'key':
      return { page };
    case 'orders':
      return readOrders(given);
    case 'travel':
      return readTravel(given);
    case 'proof':
      return readProof(given);
    case 'log':
      return readLog(given);
    default:
      return { page: 'nowhere', path };
  }
}

function readOrder(id: string, given: URLSearchParams): OrderRoute {
  const at = placeIn(given, 'at');
  return { page: 'order', id, ...(at && { at }) };
}

function readTravel(given: URLSearchParams): TravelRoute {
  // The list of orders has a position under the same name as a time.
  const at = placeIn(given, 'at') ?? placeIn(given, 'asOf');
  const asOf = given.get('asOf')?.trim() ?? '';
  return { page: 'travel', ...(at ? { at } : isInstant(asOf) && { asOf }) };
}

function readOrders(given: URLSearchParams): OrdersRoute {
  const status = STATUSES.find((each) => each === given.get('status'));
  const asOf = given.get('asOf')?.trim();
  const [petId, fromId, toId] = ['petId', 'fromId', 'toId'].map((name) => idIn(given, name));
  return {
    page: 'orders',
    ...(status && { status }),
    ...(asOf && { asOf }),
    ...(petId && { petId }),
    ...(fromId && { fromId }),
    ...(toId && { toId }),
    ...(given.get('order') === 'desc' && { order: 'desc' }),
  };
}

function readProof(given: URLSearchParams): ProofRoute {
  const position = given.get('position');
  return { page: 'proof', ...(position && isPosition(position) && { position }) };
}

function readLog(given: URLSearchParams): LogRoute {
  const type = EVENT_TYPES.find((each) => each === given.get('type'));
  const at = given.get('at');
  const commandId = given.get('commandId') ?? '';
  return {
    page: 'log',
    ...(type && { type }),
    ...(COMMAND_ID.test(commandId) && { commandId }),
    ...(given.get('order') === 'oldest' && { order: 'oldest' }),
    ...(at && isPosition(at) && { at }),
    ...(given.has('paused') && { paused: true }),
  };
}

function idIn(given: URLSearchParams, name: string): string | undefined {
  const text = given.get(name);
  return text !== null && isId(text) ? text : undefined;
}

/** Returns a parameter that is a position, or 0 for the moment before the first event. */
function placeIn(given: URLSearchParams, name: string): string | undefined {
  const text = given.get(name)?.trim() ?? '';
  return text === '0' || isPosition(text) ? text : undefined;
}

/** Returns the address of a page below the console's, such as `orders?status=pending`. */
export function writeRoute(route: Route): string {
  switch (route.page) {
    case 'overview':
      return '';
    case 'key':
      return 'key';
    case 'nowhere':
      return route.path;
    case 'order': {
      const { page: _, id, ...parameters } = route;
      return withSearch(`orders/${id}`, parameters);
    }
    case 'orders':
    case 'log':
    case 'travel':
    case 'proof': {
      const { page, ...parameters } = route;
      return withSearch(page, parameters);
    }
  }
}

function withSearch(path: string, parameters: object): string {
  return `${path}${searchOf(parameters)}`;
}

/** Returns parameters as the end of an address: empty, or a question mark and those that are given. */
export function searchOf(parameters: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, value === true ? '' : String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * Returns the parameters of an address that its page does not use, such as `petId=12x`: they are malformed, unknown
 * or repeated. A reader would take the view for the one that the address names.
 */
export function unusedIn(route: Route, search: string): readonly string[] {
  const used = new URLSearchParams(writeRoute(route).split('?')[1]);
  const isUsed = ([name, value]: readonly [string, string]) =>
    value === '' ||
    (name === 'paused' && used.has(name)) ||
    (name === 'order' && value === 'asc') ||
    (route.page === 'travel' && name === 'asOf' && used.get('at') === value.trim()) ||
    used.get(name) === value.trim();
  const unused = [...new URLSearchParams(search)].filter((each) => !isUsed(each));
  return unused.map(([name, value]) => `${name}=${value}`);
}

/** Returns a view without the members that are absent or empty. */
export function withoutAbsent<View extends Route>(view: Members<View>): View {
  const given = Object.entries(view).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as unknown as View;
}

/** Returns the title of a page. Nothing in it is typed by a reader but ids. */
export function titleOf(route: Route): string {
  switch (route.page) {
    case 'overview':
      return 'Overview';
    case 'key':
      return 'Key';
    case 'orders':
      return 'Orders';
    case 'order':
      return `Order ${route.id}`;
    case 'log':
      return 'Log';
    case 'travel':
      return 'Time travel';
    case 'proof':
      return 'Proof';
    case 'nowhere':
      return 'Not found';
  }
}
