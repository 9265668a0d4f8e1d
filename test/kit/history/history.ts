/**
 * What concurrent clients asked of a server, what they were told, and when. A history says nothing
 * of how the server works; what it must look like is judged in ../linearizability.
 */

/** An order as a server shows it. Ids are bigints, because they have 64 bits. */
export interface Row {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  /** As `Date.prototype.toISOString` writes it, whichever offset the server prefers. */
  readonly shipDate?: string;
  readonly complete: boolean;
  /** Only from servers that tell it. Without it, a cancelled order looks like a pending one. */
  readonly status?: 'pending' | 'shipped' | 'cancelled';
}

/**
 * A request to place an order. Where the server chooses the ids, no two such requests of a history
 * may name the same pet: it is how an order is recognised whose placing was never answered.
 */
export interface Place {
  readonly kind: 'place';
  /** The id, where the client chooses it. */
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
  /** A command's: what was asked for is so. With the order, where the server showed it. */
  | { readonly kind: 'accepted'; readonly id: bigint; readonly order?: Row }
  /** A get's. */
  | { readonly kind: 'shown'; readonly order: Row }
  /** A list's. */
  | { readonly kind: 'listed'; readonly orders: readonly Row[] }
  /** The order's state forbids it, or there is no such order. */
  | { readonly kind: 'refused'; readonly reason: Reason }
  /** Certainly nothing was done, whatever the state: the server was too busy, or out of reach. */
  | { readonly kind: 'untouched' }
  /** It may have been done, may still be done at any later time, or never. */
  | { readonly kind: 'unknown' }
  /** What no server should ever answer to this request, in words. */
  | { readonly kind: 'unexpected'; readonly words: string };

/** One request with its answer. Times are nanoseconds, or mere numbers of events, of one clock. */
export interface Operation {
  readonly client: number;
  readonly request: Request;
  readonly answer: Answer;
  /** When it was asked: not after the server could first have seen it. */
  readonly invoked: number;
  /** When it was answered: not before the server answered. Infinity where the answer is unknown. */
  readonly returned: number;
}

export type History = readonly Operation[];
