/**
 * The types of what the client takes and returns. A test compares them with the types that are
 * generated from the API's description.
 */

/** An id of 64 bits. A number is refused: one beyond 2^53 has been rounded before it comes here. */
export type Id = bigint | string;

/** A time: RFC 3339 with any offset, or a Date. */
export type Time = string | { toISOString(): string };

/** A position of the log: a number of events. In a log that was cut, `EPOCH:POSITION`. */
export type Position = number | string;

export type Status = 'pending' | 'shipped' | 'cancelled';

/** The reasons of a cancellation: a closed list, because events hold no personal data. */
export type CancelReason =
  | 'customer_request'
  | 'out_of_stock'
  | 'payment_failed'
  | 'fraud_suspected'
  | 'duplicate'
  | 'other';

/** An order, as version 2 shows it. Ids are decimal strings; times are RFC 3339 in UTC. */
export interface Order extends OrderV1 {
  readonly status: Status;
  readonly placedAt: string;
  readonly shippedAt?: string;
  readonly cancelledAt?: string;
  readonly cancelReason?: CancelReason;
}

/** An order, as version 1 shows it, but with its ids as strings. */
export interface OrderV1 {
  readonly id: string;
  readonly petId: string;
  readonly quantity: number;
  /** The expected date until the order ships, and the actual one afterwards. */
  readonly shipDate?: string;
  readonly complete: boolean;
}

/** An order with the tag of its present version, for `ifMatch`. */
export type Tagged<Order> = Order & { readonly etag: string };

/** A change that an update decides on: one of the two. */
export type Change =
  | { readonly ship: Time; readonly cancel?: undefined }
  | { readonly cancel: true | CancelReason; readonly ship?: undefined };

/** The position of a command's event in the log, or of that of an earlier one which did the same. */
export interface Done {
  readonly position: number;
}

export interface NewOrder {
  readonly petId: Id;
  /** 1 to 2147483647. */
  readonly quantity: number;
  readonly shipDate?: Time | undefined;
}

/** The filters of the list, and its order. Absent filters let every order through. */
export interface ListQuery {
  /** Up to 100 ids. */
  readonly id?: readonly Id[] | undefined;
  /** Orders with this id or a higher one. */
  readonly fromId?: Id | undefined;
  /** Orders with a lower id. */
  readonly toId?: Id | undefined;
  readonly status?: Status | undefined;
  readonly petId?: Id | undefined;
  readonly complete?: boolean | undefined;
  /** Ranges include their `From` and exclude their `To`. */
  readonly shipDateFrom?: Time | undefined;
  readonly shipDateTo?: Time | undefined;
  readonly placedFrom?: Time | undefined;
  readonly placedTo?: Time | undefined;
  /** The list as it was: at a position of the log, or at a time. */
  readonly asOf?: Position | Time | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** The size of the pages, 1 to 1000; default 100. */
  readonly limit?: number | undefined;
  /** The `next` of a page with the same filters: begins after it. */
  readonly after?: string | undefined;
}

export interface OrderPage {
  readonly data: readonly Order[];
  /** The cursor to the next page; null on the last one. */
  readonly next: string | null;
  /** The position of the log as of which the orders are, if `asOf` was given. */
  readonly asOf?: number;
}

/** The numbers of orders, as of the position of the last event that is counted. */
export interface Summary {
  readonly asOf: number;
  readonly lastEventAt?: string;
  readonly orders: Readonly<Record<Status | 'total', number>>;
}

export interface ActivityQuery {
  readonly bucket?: 'minute' | 'hour' | 'day' | undefined;
  readonly from?: Time | undefined;
  readonly to?: Time | undefined;
}

/** The numbers of events in whole minutes, hours or days, in UTC. */
export interface Activity {
  readonly asOf: number;
  readonly bucket: 'minute' | 'hour' | 'day';
  readonly from: string;
  readonly to: string;
  readonly data: readonly {
    readonly start: string;
    readonly placed: number;
    readonly shipped: number;
    readonly cancelled: number;
  }[];
}

/** An API key, as its owner sees it. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly (
    | 'orders:read'
    | 'orders:write'
    | 'orders:cancel'
    | 'audit:read'
    | 'metrics:read'
  )[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly limits?: {
    readonly rate?: { readonly requests: number; readonly seconds: number; readonly burst: number };
    readonly concurrent?: number;
    readonly streams?: number;
  };
}

/** The outcomes of a batch, in the order of its items. */
export interface BatchAnswer {
  readonly results: readonly BatchResult[];
  readonly succeeded: number;
  readonly failed: number;
}

export interface BatchResult {
  /** The id of the order: that of a placed one is new. */
  readonly orderId?: string;
  /** The status that the item would have been answered with alone. */
  readonly status: 201 | 204 | 404 | 409;
  /** The position of its event, or of the one that had done the same before. */
  readonly position?: number;
  readonly code?: 'order_not_found' | 'order_already_shipped' | 'order_cancelled' | 'batch_refused';
  readonly message?: string;
}

/** The data of each type of event. */
interface EventData {
  OrderPlaced: {
    readonly orderId: string;
    readonly petId: string;
    readonly quantity: number;
    readonly shipDate?: string;
  };
  OrderShipped: { readonly orderId: string; readonly shipDate: string };
  OrderCancelled: { readonly orderId: string; readonly reason?: CancelReason };
}

export type EventType = keyof EventData;

/** An event of the log, as a CloudEvent. Its `type` says which `data` it has. */
export type OrderEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    readonly specversion: '1.0';
    readonly id: string;
    readonly source: string;
    readonly type: Each;
    readonly subject: string;
    readonly time: string;
    readonly datacontenttype: 'application/json';
    readonly position: number;
    readonly version: number;
    readonly schemaversion: number;
    readonly by: string;
    readonly keyname?: string;
    readonly commandid: string;
    readonly traceparent?: string;
    readonly metadata?: string;
    readonly data: EventData[Each];
  };
}[Type];

export interface EventPage<Type extends EventType = EventType> {
  readonly data: readonly OrderEvent<Type>[];
  /** The position to continue after; null on the last page, which may be empty. */
  readonly next: string | null;
}

/** The epoch of the log, and the signed statement of each time that it was cut. */
export interface Epochs {
  readonly epoch: string;
  readonly breaks: readonly string[];
}
