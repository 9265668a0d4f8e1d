import fc, { type Arbitrary } from 'fast-check';

/** Drawn descriptions of a run: the clients' requests, the faults, and a seed for everything else. */

export type Step =
  | { readonly do: 'place'; readonly isKeyed: boolean; readonly dated: boolean }
  | {
      readonly do: 'ship';
      readonly order: number;
      readonly date: number;
      readonly isKeyed: boolean;
    }
  | { readonly do: 'cancel'; readonly order: number; readonly isKeyed: boolean }
  | {
      readonly do: 'cancel several';
      readonly orders: readonly number[];
      readonly isAtomic: boolean;
      readonly isKeyed: boolean;
    }
  | { readonly do: 'get'; readonly order: number }
  | { readonly do: 'list' };

export interface ClientScenario {
  readonly steps: readonly Step[];
  /** The longest time between two requests, in milliseconds. */
  readonly thinkMs: number;
  /** The time after which the client gives a request up, in milliseconds. */
  readonly patienceMs: number;
  /** The share of requests with a key that the network delivers twice. */
  readonly duplicatedPercent: number;
}

const FAULTS = [
  'kill an instance',
  'end an instance and the power',
  'restart the database',
  'fill the disk',
  'empty the disk',
  'slow the disk',
  'fail a flush',
  'lie about a flush',
  'flip a bit',
  'revoke a key',
  'set the clock back',
  'set the clock forward',
  'break the clock',
] as const;

export interface Fault {
  readonly afterMs: number;
  readonly what: (typeof FAULTS)[number];
}

export interface Scenario {
  readonly seed: number;
  /** The log begins empty, or with an order whose id and pet a double does not represent exactly. */
  readonly ids: 'small' | 'large';
  /** One instance with the database in its process, or several behind a network. */
  readonly instances: 'in one process' | 1 | 2 | 3;
  readonly clients: readonly ClientScenario[];
  /** The clients with idempotency keys. A batch with a key is never pipelined. */
  readonly keyed: 'all' | 'one in ten' | 'none';
  /** True if the event loops of the instances have no idle time. */
  readonly isBusy: boolean;
  /** The share of messages between an instance and its database that are lost. */
  readonly cutPercent: number;
  readonly faults: readonly Fault[];
}

const order = fc.nat(5);
const isKeyed = fc.boolean();
const ids = fc.constantFrom('small' as const, 'small' as const, 'large' as const);

const steps: Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('place' as const), isKeyed, dated: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('ship' as const), order, date: fc.nat(1), isKeyed }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cancel' as const), order, isKeyed }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cancel several' as const),
      orders: fc.array(order, { minLength: 2, maxLength: 3 }),
      isAtomic: fc.boolean(),
      isKeyed,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), order }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list' as const) }) },
);

const clients: Arbitrary<ClientScenario> = fc.record({
  steps: fc.array(steps, { minLength: 1, maxLength: 8, size: 'max' }),
  thinkMs: fc.constantFrom(40, 0),
  patienceMs: fc.constantFrom(5_000, 5_000, 500, 20),
  duplicatedPercent: fc.constantFrom(0, 0, 30),
});

const faults = fc.array(fc.record({ afterMs: fc.nat(400), what: fc.constantFrom(...FAULTS) }), {
  maxLength: 4,
  size: 'max',
});

const few: Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  ids,
  instances: fc.constantFrom('in one process' as const, 1 as const, 2 as const, 3 as const),
  clients: fc.array(clients, { minLength: 1, maxLength: 8, size: 'max' }),
  keyed: fc.constantFrom('all' as const, 'all' as const, 'none' as const),
  isBusy: fc.boolean(),
  cutPercent: fc.constantFrom(0, 0, 5, 20),
  faults,
});

/** Enough clients at once for two batches in flight, and for a queue that is too long. */
const many: Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  ids,
  instances: fc.constantFrom('in one process' as const, 1 as const, 2 as const, 2 as const),
  clients: fc.array(
    clients.map((client) => ({ ...client, thinkMs: 0 })),
    { minLength: 24, maxLength: 40, size: 'max' },
  ),
  keyed: fc.constantFrom('none' as const, 'none' as const, 'one in ten' as const, 'all' as const),
  isBusy: fc.constant(true),
  cutPercent: fc.constantFrom(0, 5, 20),
  faults,
});

export const scenarios: Arbitrary<Scenario> = fc.oneof(
  { weight: 7, arbitrary: few },
  { weight: 3, arbitrary: many },
);
