import fc, { Arbitrary, type Random, Stream, Value } from 'fast-check';
import { CLOSE_DATES, FEW_DATES, INT64_EDGES, instants, quantities } from './arbitraries.ts';
import { requireCounts } from './numbers.ts';
import type { ConcurrentProgram, Name, Program, Step } from './program.ts';
import { simplerBundles, simplerPrograms } from './shrinking.ts';
import { MAX_INT64, MIN_INT64 } from './vocabulary.ts';

export interface ProgramOptions {
  /** The maximum number of steps of a program; default 20. */
  readonly maxSteps?: number;
  /**
   * The maximum number of orders in a program. By default it is 3, so that steps conflict, and in one of
   * eight programs 12: these place all of their orders first.
   */
  readonly maxOrders?: number;
  /** The kinds of steps; default all but restarts, which may take long. */
  readonly does?: readonly Step['do'][];
}

const FEW_ORDERS = 3;
const MANY_ORDERS = 12;

const ALL_BUT_RESTARTS = ['place', 'ship', 'cancel', 'get', 'list'] as const;

/** The relative frequency of each kind of step. */
const WEIGHTS: Readonly<Record<Step['do'], number>> = {
  place: 8,
  ship: 6,
  cancel: 6,
  get: 2,
  list: 2,
  restart: 1,
};

/** Draws programs of one client, which shrink to the shortest program that still fails. */
export function programs(options: ProgramOptions = {}): Arbitrary<Program> {
  return new Programs(options);
}

/** Draws programs of several concurrent clients. */
export function concurrentPrograms({
  maxClients = 3,
  maxSteps = 5,
  maxOrders = FEW_ORDERS,
  ...options
}: ProgramOptions & { readonly maxClients?: number } = {}): Arbitrary<ConcurrentProgram> {
  requireCounts({ maxClients });
  const one = new Programs({ ...options, maxSteps, maxOrders });
  return fc.array(one, { minLength: 1, maxLength: maxClients, size: 'max' }).map((several) => ({
    // The ids of the client that names most orders cover those of all clients.
    ids: several.reduce((a, b) => (b.ids.length > a.ids.length ? b : a)).ids,
    clients: several.map(({ steps }) => steps),
  }));
}

/**
 * Draws concurrent programs, which shrink to one if one is enough, and that one to its shortest.
 */
export function bundles(
  together: number,
  options: ProgramOptions = {},
): Arbitrary<readonly Program[]> {
  return new Bundles(new Programs(options), together);
}

class Bundles extends Arbitrary<readonly Program[]> {
  readonly #program: Arbitrary<Program>;
  readonly #together: number;

  constructor(program: Arbitrary<Program>, together: number) {
    super();
    requireCounts({ together });
    this.#program = program;
    this.#together = together;
  }

  override generate(random: Random): Value<readonly Program[]> {
    const program = () => this.#program.generate(random, undefined).value;
    return new Value(Array.from({ length: this.#together }, program), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is readonly Program[] {
    return (
      Array.isArray(value) && value.every((each) => this.#program.canShrinkWithoutContext(each))
    );
  }

  override shrink(bundle: readonly Program[]): Stream<Value<readonly Program[]>> {
    return new Stream(simplerBundles(bundle)).map((simpler) => new Value(simpler, undefined));
  }
}

/**
 * A hand-written arbitrary instead of a combination of fast-check's: it draws a program in a tenth
 * of the time, and shrinks it as a program.
 */
class Programs extends Arbitrary<Program> {
  readonly #maxSteps: number;
  readonly #maxOrders: number;
  /** The number of orders of a program that places all of them first; 0 for none of these. */
  readonly #many: number;
  readonly #does: readonly Step['do'][];

  constructor({ maxSteps = 20, maxOrders, does = ALL_BUT_RESTARTS }: ProgramOptions) {
    super();
    this.#maxSteps = maxSteps;
    this.#maxOrders = maxOrders ?? FEW_ORDERS;
    const counts = { maxSteps, maxOrders: this.#maxOrders };
    requireCounts({ ...counts, 'the number of kinds in does': does.length });
    const isFree = maxOrders === undefined && does.includes('place');
    this.#many = isFree ? Math.min(MANY_ORDERS, maxSteps) : 0;
    this.#does = does.flatMap((each) => Array<Step['do']>(WEIGHTS[each]).fill(each));
  }

  override generate(random: Random): Value<Program> {
    const hasMany = this.#many > FEW_ORDERS && random.nextInt(0, 7) === 0;
    const orders = hasMany
      ? random.nextInt(FEW_ORDERS + 1, this.#many)
      : random.nextInt(1, this.#maxOrders);
    const length = random.nextInt(hasMany ? orders : 1, this.#maxSteps);
    const ids: bigint[] = [];
    while (ids.length < orders) {
      const id = int64From(random);
      if (!ids.includes(id)) ids.push(id);
    }
    const steps: Step[] = hasMany ? ids.map((_, order) => placement(random, order)) : [];
    while (steps.length < length) steps.push(this.#step(random, orders));
    return new Value({ ids, steps }, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Program {
    return typeof value === 'object' && value !== null && 'steps' in value && 'ids' in value;
  }

  override shrink(program: Program): Stream<Value<Program>> {
    return new Stream(simplerPrograms(program)).map((simpler) => new Value(simpler, undefined));
  }

  #step(random: Random, orders: number): Step {
    const what = pick(random, this.#does);
    if (what === 'list' || what === 'restart') return { do: what };
    const order = random.nextInt(0, orders - 1);
    switch (what) {
      case 'place':
        return placement(random, order);
      case 'ship':
        return { do: what, order, shipDate: dateFrom(random) };
      default:
        return { do: what, order };
    }
  }
}

function placement(random: Random, order: Name): Step {
  const petId = int64From(random);
  const quantity = quantityFrom(random);
  const placed = { do: 'place', order, petId, quantity } as const;
  return random.nextInt(0, 1) === 0 ? placed : { ...placed, shipDate: dateFrom(random) };
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.nextInt(0, items.length - 1)] as Item;
}

function int64From(random: Random): bigint {
  const kind = random.nextInt(0, 3);
  if (kind === 0) return pick(random, INT64_EDGES);
  if (kind === 1) return random.nextBigInt(MIN_INT64, MAX_INT64);
  return BigInt(random.nextInt(1, 99));
}

function quantityFrom(random: Random): number {
  const isSmall = random.nextInt(0, 3) > 0;
  return isSmall ? random.nextInt(1, 9) : quantities.generate(random, undefined).value;
}

// Usually one of two, so that shipments have equal and different dates; or close to the first one.
function dateFrom(random: Random): string {
  const kind = random.nextInt(0, 9);
  if (kind < 2) return instants.generate(random, undefined).value;
  return pick(random, kind < 5 ? CLOSE_DATES : FEW_DATES);
}
