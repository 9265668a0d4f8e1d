import fc, { Arbitrary, Value as Drawn, type Random, Stream, type Value } from 'fast-check';
import { CLOSE_DATES, FEW_DATES, plainerPlacings } from './shrinking.ts';
import {
  type Command,
  MAX_INT64,
  MAX_QUANTITY,
  MIN_INT64,
  type Order,
  type OrderEvent,
} from './vocabulary.ts';

/**
 * Arbitraries for properties. Boundary values are drawn far more often than by chance, because that
 * is where defects are.
 */

/** Draws plain objects: with a null prototype they would differ from parsed JSON. */
export function record<Shape>(
  shape: {
    [Key in keyof Shape]: Arbitrary<Shape[Key]>;
  },
): Arbitrary<Shape> {
  return fc.record(shape, { noNullPrototype: true }) as Arbitrary<Shape>;
}

/** Draws values as one arbitrary does, and shrinks them as another: an edge would shrink to other edges only. */
function shrunkAs<Item>(drawn: Arbitrary<Item>, plain: Arbitrary<Item>): Arbitrary<Item> {
  return new (class extends Arbitrary<Item> {
    override generate(random: Random, biasFactor: number | undefined): Value<Item> {
      return new Drawn(drawn.generate(random, biasFactor).value, undefined);
    }

    override canShrinkWithoutContext(value: unknown): value is Item {
      return plain.canShrinkWithoutContext(value);
    }

    override shrink(value: Item, context: unknown): Stream<Value<Item>> {
      return plain.shrink(value, context);
    }
  })();
}

/** The powers of two beyond which 32 bits and a JavaScript number lose information, with their neighbours. */
const POWER_EDGES = [2n ** 31n, 2n ** 53n].flatMap((edge) => {
  const near = [edge - 1n, edge, edge + 1n];
  return [...near, ...near.map((each) => -each)];
});

/** The values at which a JavaScript number, 32 bits or a sign would lose information. */
export const INT64_EDGES: readonly bigint[] = [
  ...[0n, 1n, -1n, ...POWER_EDGES, 2n ** 32n],
  ...[MIN_INT64, MIN_INT64 + 1n, MAX_INT64 - 1n, MAX_INT64],
];

const ANY_INT64 = fc.bigInt({ min: MIN_INT64, max: MAX_INT64 });

/** Any int64; half of them from the edges or near zero. */
export const int64s: Arbitrary<bigint> = shrunkAs(
  fc.oneof(
    { weight: 2, arbitrary: ANY_INT64 },
    fc.bigInt({ min: -3n, max: 9n }),
    fc.constantFrom(...INT64_EDGES),
  ),
  ANY_INT64,
);

/** Ids from a small set, so that commands and events concern the same orders; the plainest first. */
export const fewIds: Arbitrary<bigint> = fc.constantFrom(
  ...[0n, 1n, 2n, -1n, MAX_INT64 - 1n, MAX_INT64, MIN_INT64],
);

const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_9999_ENDS = Date.parse('9999-12-31T23:59:59.999Z');

/** The first second that a signed and an unsigned number of 32 bits cannot count. */
const [BEYOND_INT32, BEYOND_UINT32] = [2 ** 31 * 1_000, 2 ** 32 * 1_000] as const;

/** The ends of the range, and the moments that careless calendars and clocks get wrong. */
const TIME_EDGES = [
  ...[YEAR_0, -1, 0, 1, YEAR_9999_ENDS],
  ...[BEYOND_INT32 - 1, BEYOND_INT32, BEYOND_UINT32],
] as const;

const LEAP_DAYS = ['2000-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'].map(Date.parse);

/** Milliseconds since 1970, in the years 0 to 9999. */
export const times: Arbitrary<number> = shrunkAs(
  fc.oneof(
    fc.integer({ min: YEAR_0, max: YEAR_9999_ENDS }),
    fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00.000Z') }),
    fc.constantFrom(...TIME_EDGES),
    fc.constantFrom(...LEAP_DAYS),
  ),
  fc.integer({ min: YEAR_0, max: YEAR_9999_ENDS }),
);
export const instants: Arbitrary<string> = times.map((time) => new Date(time).toISOString());

export { CLOSE_DATES, FEW_DATES };

/** Any date; half of them are one of two, or close to the first one. */
const shipDates: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FEW_DATES) },
  { weight: 1, arbitrary: fc.constantFrom(...CLOSE_DATES) },
  { weight: 4, arbitrary: instants },
);

/** The powers of two at which 8, 16 or 24 bits end, with their neighbours. */
const QUANTITY_EDGES = [2 ** 8, 2 ** 15, 2 ** 16, 2 ** 24].flatMap((edge) => {
  return [edge - 1, edge, edge + 1];
});

const ANY_QUANTITY = fc.integer({ min: 1, max: MAX_QUANTITY });

/** Any quantity; most of them from an edge, or a multiple of 65,536 or 1,000. */
export const quantities: Arbitrary<number> = shrunkAs(
  fc.oneof(
    { weight: 2, arbitrary: ANY_QUANTITY },
    { weight: 2, arbitrary: fc.constantFrom(1, MAX_QUANTITY - 1, MAX_QUANTITY) },
    fc.constantFrom(...QUANTITY_EDGES),
    multiplesOf(2 ** 16),
    multiplesOf(1_000),
  ),
  ANY_QUANTITY,
);

function multiplesOf(unit: number): Arbitrary<number> {
  return fc.integer({ min: 1, max: Math.floor(MAX_QUANTITY / unit) }).map((times) => times * unit);
}

const dateOrNone = fc.oneof(
  { withCrossShrink: true },
  fc.constant({}),
  shipDates.map((shipDate) => ({ shipDate })),
);

type Placing = Pick<Order, 'petId' | 'quantity' | 'shipDate'>;

/** The data of placing an order, without its id. */
export const placings: Arbitrary<Placing> = fc
  .tuple(record({ petId: int64s, quantity: quantities }), dateOrNone)
  .map(([numbers, date]) => ({ ...numbers, ...date }));

/** The same, shrunk to the plainest values that fail. */
export const plainPlacings: Arbitrary<Placing> = new (class extends Arbitrary<Placing> {
  override generate(random: Random, biasFactor: number | undefined): Value<Placing> {
    return new Drawn(placings.generate(random, biasFactor).value, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Placing {
    return placings.canShrinkWithoutContext(value);
  }

  override shrink(placing: Placing): Stream<Value<Placing>> {
    return new Stream(plainerPlacings(placing)).map((plainer) => new Drawn(plainer, undefined));
  }
})();

/** The data of shipping an order. */
export const shippings: Arbitrary<{ readonly shipDate: string }> = record({ shipDate: shipDates });

/** Any order that version 1 can show. */
export const orders: Arbitrary<Order> = fc
  .tuple(int64s, placings, fc.option(shipDates, { nil: undefined }))
  .map(([id, placed, shipped]) =>
    shipped === undefined
      ? { id, ...placed, complete: false }
      : { id, ...placed, shipDate: shipped, complete: true },
  );

/** The members of events and commands that tell them apart. */
interface Told {
  readonly type: string;
  readonly orderId: bigint;
}

/** The data of each type, beside the order. A new type does not compile before it is drawn. */
type DataOf<Any extends Told> = {
  readonly [Type in Any['type']]: Arbitrary<Omit<Extract<Any, { type: Type }>, keyof Told>>;
};

/**
 * Draws any event of the orders with these ids.
 * @param reasons The reasons that a cancellation may have; none by default.
 */
export function eventsOf(
  ids: Arbitrary<bigint>,
  reasons: readonly string[] = [],
): Arbitrary<OrderEvent> {
  return anyOf<OrderEvent>(ids, {
    OrderPlaced: placings,
    OrderShipped: shippings,
    OrderCancelled: reasonsOf(reasons),
  });
}

/**
 * Draws any command to the orders with these ids.
 * @param reasons The reasons that may be given for a cancellation; none by default.
 */
export function commandsTo(
  ids: Arbitrary<bigint>,
  reasons: readonly string[] = [],
): Arbitrary<Command> {
  return anyOf<Command>(ids, {
    PlaceOrder: placings,
    ShipOrder: shippings,
    CancelOrder: reasonsOf(reasons),
  });
}

function anyOf<Any extends Told>(ids: Arbitrary<bigint>, dataOf: DataOf<Any>): Arbitrary<Any> {
  const all = Object.entries<Arbitrary<object>>(dataOf).map(([type, data]) => {
    return fc.tuple(ids, data).map(([orderId, rest]) => ({ type, orderId, ...rest }));
  });
  return fc.oneof(...all) as unknown as Arbitrary<Any>;
}

function reasonsOf(reasons: readonly string[]): Arbitrary<{ readonly reason?: string }> {
  return fc.constantFrom({}, ...reasons.map((reason) => ({ reason })));
}
