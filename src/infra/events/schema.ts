/**
 * The schemas of events' stored texts, of every schema version that was ever written. Only this
 * file uses @effect/schema, which is frozen at 0.75 and has moved into `effect`: that move will
 * change this file alone. Loading it takes about 250 ms, so the codec loads it only for a text that
 * the fast path does not read.
 */

import { Schema as S } from '@effect/schema';
import { Either } from 'effect';
import { type Instant, parseInstant } from '../../domain/instant.ts';
import { CANCEL_REASONS, MAX_QUANTITY, type OrderEvent } from '../../domain/order.ts';
import { parseInt64 } from '../../domain/order-id.ts';

const Int64Text = S.String.pipe(
  S.filter((text) => parseInt64(text) !== undefined, { message: () => 'not an int64' }),
);
const Int64 = S.transform(Int64Text, S.BigIntFromSelf, {
  strict: true,
  decode: (text) => BigInt(text),
  encode: (id) => String(id),
});
const InstantText = S.String.pipe(
  S.filter((text) => parseInstant(text) === text, { message: () => 'not a UTC date-time' }),
);
const Quantity = S.Int.pipe(S.between(1, MAX_QUANTITY));

/** Version 1 wrote petId as a JSON number, exact only up to 2^53, and an absent date as null. */
const OrderPlaced1 = S.Struct({
  orderId: Int64Text,
  petId: S.Int.pipe(S.between(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  quantity: Quantity,
  shipDate: S.NullOr(InstantText),
});
const OrderPlaced2 = S.Struct({
  orderId: Int64,
  petId: Int64,
  quantity: Quantity,
  shipDate: S.optionalWith(InstantText, { exact: true }),
});
const OrderShipped1 = S.Struct({ orderId: Int64, shipDate: InstantText });
const OrderCancelled1 = S.Struct({ orderId: Int64 });
const OrderCancelled2 = S.Struct({ orderId: Int64, reason: S.Literal(...CANCEL_REASONS) });

/** Upcasts data of version 1 to version 2; the text in the log does not change. */
function placedFrom1To2({ petId, shipDate, ...rest }: typeof OrderPlaced1.Type) {
  return { ...rest, petId: String(petId), ...(shipDate === null ? {} : { shipDate }) };
}

const strict = { onExcessProperty: 'error', errors: 'all' } as const;
const readPlaced1 = S.decodeUnknownEither(OrderPlaced1, strict);
const readPlaced2 = S.decodeUnknownEither(OrderPlaced2, strict);
const readShipped1 = S.decodeUnknownEither(OrderShipped1, strict);
const readCancelled1 = S.decodeUnknownEither(OrderCancelled1, strict);
const readCancelled2 = S.decodeUnknownEither(OrderCancelled2, strict);
const readMetadata = S.decodeUnknownEither(
  S.Struct({ at: InstantText, by: S.String, commandId: S.String }),
  strict,
);

type Reading<Value> = Either.Either<Value, { readonly message: string }>;

/** The readers of each type, one for each of its schema versions: the first is of version 1. */
const READERS: Record<OrderEvent['type'], ReadonlyArray<(data: unknown) => Reading<object>>> = {
  OrderPlaced: [
    (data) => Either.flatMap(readPlaced1(data), (v1) => readPlaced2(placedFrom1To2(v1))),
    readPlaced2,
  ],
  OrderShipped: [readShipped1],
  // Of a cancellation without a reason, version 1 is the form of today.
  OrderCancelled: [readCancelled1, readCancelled2],
};

/**
 * In a sound log, a type or a version that is not listed here is of a newer version of the service, such as
 * an instance that was updated first: to restore a backup would lose its events.
 */
const OF_NEWER = '(a newer version of store-orders may have written it)';

/** Reads an event of any known type and version. Throws an Error that says what is wrong. */
export function readEvent(type: string, schemaVersion: number, data: string): OrderEvent {
  const readers = Object.hasOwn(READERS, type) ? READERS[type as OrderEvent['type']] : undefined;
  if (readers === undefined)
    throw new Error(`unknown event type ${JSON.stringify(type)} ${OF_NEWER}`);
  const reader = readers[schemaVersion - 1];
  if (reader === undefined)
    throw new Error(`unknown schema version ${schemaVersion} of ${type} ${OF_NEWER}`);
  return { type, ...orThrow(reader(JSON.parse(data))) } as unknown as OrderEvent;
}

/** Reads an event's metadata. Throws an Error that says what is wrong. */
export function readMetadataText(text: string): {
  readonly at: Instant;
  readonly by: string;
  readonly commandId: string;
} {
  return orThrow(readMetadata(JSON.parse(text))) as ReturnType<typeof readMetadataText>;
}

function orThrow<Value>(reading: Reading<Value>): Value {
  if (Either.isLeft(reading)) throw new Error(reading.left.message.replaceAll(/\s+/g, ' '));
  return reading.right;
}
