import fc, { Arbitrary, type Random, Stream, Value } from 'fast-check';
import { requireCounts } from '../numbers.ts';
import { type StepLanguage, simplerSteps } from './simpler.ts';
import { PLAIN_STREAMS, STREAM_NAMES, type StoreOperation } from './store-operations.ts';

/** Programs for event stores, drawn at random. */

/** An operation as it is drawn: without its stream. */
type Streamless<Event> = Record<string, unknown> & Pick<StoreOperation<Event>, 'do'>;

/** One program of so many is long: it appends many events under many ids, most of them to one stream. */
const LONG_EVERY = 8;
const LONG_STREAMS = [0, 0, 0, 1];
/** The most events of an append, in a long program and in another one. */
const [LONG_EVENTS, FEW_EVENTS] = [8, 3] as const;

/** One of so many other programs has streams whose names are alike. */
const ALIKE_EVERY = 4;
const PLAIN = [0, 1, 2];
const ALIKE = [0, ...[...STREAM_NAMES.keys()].slice(PLAIN_STREAMS)];

/**
 * The most operations of a program of which values are shrunk, too: in a longer one, it is their number that
 * matters, and each try takes long.
 */
const MAX_PLAIN_STEPS = 6;

/** Versions that are wrong: overtaken, or a mistake; the last one is 0 for any stream. */
const FAR = Number.MAX_SAFE_INTEGER;
const WRONG = [-1, -1, -1, 1, 2, 1_000, FAR, -FAR];

/** Draws programs, which shrink to the fewest operations first, then the fewest streams, then plain values. */
export class StorePrograms<Event> extends Arbitrary<readonly StoreOperation<Event>[]> {
  readonly #maxSteps: number;
  readonly #few: Arbitrary<Streamless<Event>>;
  readonly #long: Arbitrary<Streamless<Event>>;

  constructor(event: Arbitrary<Event>, maxSteps = 20) {
    super();
    requireCounts({ maxSteps });
    this.#maxSteps = maxSteps;
    this.#few = operations(event, FEW_EVENTS, [...Array<0>(12).fill(0), ...WRONG], 1);
    this.#long = operations(event, LONG_EVENTS, [...Array<0>(24).fill(0), ...WRONG], 4);
  }

  override generate(random: Random, bias: number | undefined) {
    const isLong = random.nextInt(1, LONG_EVERY) === 1;
    const streams = random.nextInt(1, ALIKE_EVERY) === 1 ? ALIKE : PLAIN;
    const least = isLong ? Math.ceil(this.#maxSteps * 0.9) : 1;
    const length = random.nextInt(least, this.#maxSteps);
    const from = isLong ? this.#long : this.#few;
    const ops = Array.from({ length }, () => {
      const drawn = from.generate(random, isLong ? undefined : bias);
      return operation(from, drawn, pick(random, isLong ? LONG_STREAMS : streams));
    });
    return new Value(ops, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is readonly StoreOperation<Event>[] {
    return Array.isArray(value);
  }

  override shrink(ops: readonly StoreOperation<Event>[]) {
    const language =
      ops.length > MAX_PLAIN_STEPS ? { ...OPERATIONS, plainer: () => [] } : OPERATIONS;
    const simpler = new Stream(simplerSteps<StoreOperation<Event>>(language, ops));
    return simpler.map((fewer) => new Value(fewer, undefined));
  }
}

/**
 * @param offs What is added to the right version, the plainest first.
 * @param appends The weight of appends, in units of 6.
 */
function operations<Event>(
  event: Arbitrary<Event>,
  maxEvents: number,
  offs: readonly number[],
  appends: number,
): Arbitrary<Streamless<Event>> {
  // The sizes are fixed, as another one may be set for all of fast-check.
  const events = fc.array(event, { minLength: 1, maxLength: maxEvents, size: 'max' });
  const several = fc.array(events, { minLength: 2, maxLength: 4, size: 'max' });
  const [off, which] = [fc.constantFrom(...offs), fc.nat()];
  const beside = fc.option(events, { nil: undefined });
  const each = <Kind extends string>(kind: Kind, members: Record<string, Arbitrary<unknown>>) =>
    fc.record({ do: fc.constant(kind), ...members }, { noNullPrototype: true });
  return fc.oneof(
    { weight: 6 * appends, arbitrary: each('append', { off, events }) },
    { weight: 2, arbitrary: each('race', { several, beside }) },
    { weight: 2, arbitrary: each('repeat', { which }) },
    { weight: 2, arbitrary: each('retry', { which, events }) },
    { weight: 1, arbitrary: each('reopen', {}) },
  ) as Arbitrary<Streamless<Event>>;
}

/** The operations as fast-check drew them, and from what: it shrinks these only. */
const drawnAs = new WeakMap<object, readonly [Arbitrary<unknown>, Value<unknown>]>();

function operation<Event>(
  from: Arbitrary<Streamless<Event>>,
  drawn: Value<Streamless<Event>>,
  stream: number,
): StoreOperation<Event> {
  const { value } = drawn;
  const hasStream = value.do === 'append' || value.do === 'race';
  const op = (hasStream ? { ...value, stream } : { ...value }) as StoreOperation<Event>;
  drawnAs.set(op, [from, drawn]);
  return op;
}

/**
 * Yields the same operation with fewer events, down to a few, and with equal ones. fast-check would try each value
 * of each of many events, which takes long and shows nothing.
 */
function* withFewerEvents<Op extends StoreOperation<never>>(
  op: Op & { readonly events: readonly unknown[] },
): IterableIterator<Op> {
  const { events } = op;
  for (let fewer = events.length >> 1; fewer >= 1; fewer >>= 1) {
    yield { ...op, events: events.slice(fewer) };
  }
  if (events.some((event) => event !== events[0]))
    yield { ...op, events: events.map(() => events[0]) };
}

/** The operations on stores, as shrinking sees them. */
const OPERATIONS: StepLanguage<StoreOperation<never>> = {
  nameOf: (op) => ('stream' in op ? op.stream : undefined),
  renamed: (op, stream) => {
    const [from, drawn] = drawnAs.get(op) ?? [];
    if (from === undefined || drawn === undefined) return { ...op, stream } as typeof op;
    return operation(from as never, drawn as never, stream);
  },
  *plainer(op) {
    if ('events' in op && op.events.length > FEW_EVENTS) {
      yield* withFewerEvents(op);
      return;
    }
    const [from, drawn] = drawnAs.get(op) ?? [];
    if (from === undefined || drawn === undefined) return;
    const stream = 'stream' in op ? op.stream : 0;
    for (const value of from.shrink(drawn.value_, drawn.context)) {
      yield operation(from as never, value as never, stream);
    }
  },
};

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.nextInt(0, items.length - 1)] as Item;
}
