/**
 * Histories: the requests of concurrent clients, with their responses and times. A history is
 * independent of the server's implementation; ../linearizability checks it.
 */

/** An order as a server shows it. Ids are bigints, because they have 64 bits. */
export interface Row {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  /** In the form of `Date.prototype.toISOString`, whatever offset the server uses. */
  readonly shipDate?: string;
  readonly complete: boolean;
  /**
   * Absent if the order was read over HTTP: the contract does not define a status, and a server may have
   * one in words of its own. Without it, cancelled and pending orders look alike.
   */
  readonly status?: 'pending' | 'shipped' | 'cancelled';
}

/**
 * A request to place an order. If the server chooses ids, no two such requests of a history may
 * name the same pet: the pet identifies an order whose placement got no response.
 */
export interface Place {
  readonly kind: 'place';
  /** The id, if the client chooses it. */
  readonly id?: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly shipDate?: string;
}

export interface Ship {
  readonly kind: 'ship';
  readonly id: bigint;
  readonly shipDate: string;
}

export interface Cancel {
  readonly kind: 'cancel';
  readonly id: bigint;
}

export interface Get {
  readonly kind: 'get';
  readonly id: bigint;
}

interface List {
  readonly kind: 'list';
}

export type Request = Place | Ship | Cancel | Get | List;

export type Reason =
  | 'order_exists'
  | 'order_not_found'
  | 'order_already_shipped'
  | 'order_cancelled';

export type Answer =
  /** Of a command: it succeeded. With the order, if the server returned it. */
  | { readonly kind: 'accepted'; readonly id: bigint; readonly order?: Row }
  /** Of a get. */
  | { readonly kind: 'shown'; readonly order: Row }
  /** Of a list. */
  | { readonly kind: 'listed'; readonly orders: readonly Row[] }
  /** The order's state forbids the command, or the order does not exist. */
  | { readonly kind: 'refused'; readonly reason: Reason }
  /** Certainly nothing was done: the server was overloaded or unreachable. */
  | { readonly kind: 'untouched' }
  /** Unknown: it may have been done, may be done at any later time, or never. */
  | { readonly kind: 'unknown' }
  /** A response that no server should ever send to this request, in words. */
  | { readonly kind: 'unexpected'; readonly words: string };

/** A request with its response. Times are nanoseconds or logical, of a single clock. */
export interface Operation {
  readonly client: number;
  readonly request: Request;
  readonly answer: Answer;
  /** The time of the request: not after the server could first have received it. */
  readonly invoked: number;
  /** The time of the response: not before the server sent it. Infinity if there is none. */
  readonly returned: number;
}

export type History = readonly Operation[];
