import type {
  Answer,
  Cancel,
  Get,
  History,
  Operation,
  Place,
  Request,
  Row,
  Ship,
} from '../../kit/history/history.ts';
import { Random } from '../../kit/history/random.ts';
import { ask, NO_ORDER, type OrderState } from '../../kit/linearizability/order-table.ts';

/**
 * A store in which clients' requests overlap in simulated time. Each request takes effect at one
 * moment between its invocation and its return, so its histories are linearizable; unless a fault
 * is planted.
 */

export interface Simulation {
  readonly seed: number;
  readonly clients: number;
  readonly operations: number;
  /** The share of requests that are never answered, in percent. */
  readonly lost?: number;
  /** For how many of a hundred orders the client chooses the id. */
  readonly chosenIds?: number;
  /** True if rows hold the status, which those of version 1 do not. */
  readonly tellsStatus?: boolean;
  /** The largest number of orders that the requests name. */
  readonly orders?: number;
  readonly fault?: Fault;
}

/** A fault that a broken store shows now and then. */
export const FAULTS = [
  'a command is answered before it takes effect',
  'a command is answered and never takes effect',
  'a read shows an earlier state',
  'a list is half from now and half from before',
  'a list leaves an order out',
  'a get shows what is never done',
  'a cancel and a shipment are accepted whatever the state',
  'a cancel of nothing is accepted',
  'a request is carried out twice',
  'an id is given to two orders',
] as const;
type Fault = (typeof FAULTS)[number];

const DATES = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const;

type Store = ReadonlyMap<bigint, OrderState>;

interface UnderWay {
  readonly client: number;
  readonly request: Request;
  readonly invoked: number;
  readonly isLost: boolean;
  answer?: Answer;
}

export function simulate(simulation: Simulation): History {
  return new SimulatedStore(simulation).run();
}

class SimulatedStore {
  readonly #given: Required<Omit<Simulation, 'fault'>>;
  readonly #fault: Fault | undefined;
  readonly #random: Random;
  readonly #history: Operation[] = [];
  readonly #underWay = new Map<number, UnderWay>();
  /** Requests whose client has gone, and which may still take effect. */
  readonly #ghosts: UnderWay[] = [];
  /** The store after each change. */
  readonly #states: Store[] = [new Map()];
  #time = 0;
  #begun = 0;
  #pets = 100n;

  constructor({ fault, ...given }: Simulation) {
    const defaults = { lost: 10, chosenIds: 0, tellsStatus: false, orders: 4 };
    this.#given = { ...defaults, ...given };
    this.#fault = fault;
    this.#random = new Random(given.seed);
  }

  run(): History {
    const { operations, clients } = this.#given;
    while (this.#history.length < operations) {
      this.#time += 1;
      this.#step(this.#random.below(clients));
      if (this.#ghosts.length > 0 && this.#random.percent(5)) this.#haunt();
    }
    return this.#history.toSorted((a, b) => a.invoked - b.invoked);
  }

  #step(client: number): void {
    const underWay = this.#underWay.get(client);
    if (underWay === undefined) {
      if (this.#begun >= this.#given.operations) return void this.#finishAny();
      this.#begun += 1;
      const request = this.#request();
      const isLost = this.#random.percent(this.#given.lost);
      this.#underWay.set(client, { client, request, invoked: this.#time, isLost });
    } else if (underWay.answer === undefined && this.#random.percent(60)) {
      underWay.answer = this.#perform(underWay.request);
    } else if (underWay.answer !== undefined || underWay.isLost) {
      this.#end(underWay);
    }
  }

  // Nothing more is begun: whoever is under way comes to an end.
  #finishAny(): void {
    for (const underWay of this.#underWay.values()) {
      underWay.answer ??= this.#perform(underWay.request);
      this.#time += 1;
      this.#end(underWay);
    }
  }

  #end(underWay: UnderWay): void {
    const { client, request, invoked, isLost } = underWay;
    this.#underWay.delete(client);
    const answer: Answer = isLost ? { kind: 'unknown' } : (underWay.answer as Answer);
    if (isLost && underWay.answer === undefined) this.#ghosts.push(underWay);
    const returned = isLost ? Number.POSITIVE_INFINITY : this.#time;
    this.#history.push({ client, request, answer, invoked, returned });
  }

  #haunt(): void {
    const ghost = this.#ghosts[this.#random.below(this.#ghosts.length)] as UnderWay;
    if (ghost.answer === undefined) ghost.answer = this.#perform(ghost.request);
  }

  #request(): Request {
    const { chosenIds, orders } = this.#given;
    const isChosen = this.#random.percent(chosenIds);
    const shipDate = this.#random.pick(DATES);
    const id = BigInt(1 + this.#random.below(orders));
    const kind = this.#random.below(10);
    if (kind < 3 && (isChosen || this.#store.size < orders)) {
      const expected = this.#random.percent(50) ? { shipDate } : {};
      this.#pets += 1n;
      const place = { kind: 'place', petId: this.#pets, quantity: 1, ...expected } as const;
      return isChosen ? { ...place, id } : place;
    }
    if (kind < 5) return { kind: 'ship', id, shipDate };
    if (kind < 7) return { kind: 'cancel', id };
    return kind < 8 ? { kind: 'get', id } : { kind: 'list' };
  }

  get #store(): Store {
    return this.#states.at(-1) as Store;
  }

  /** The store as it was so many changes ago. */
  #before(changes: number): Store {
    return this.#states.at(-1 - changes) ?? (this.#states[0] as Store);
  }

  #perform(request: Request): Answer {
    const isFaulty = this.#fault !== undefined && this.#random.percent(30);
    return (isFaulty ? this.#performBadly(request) : undefined) ?? this.#performWell(request);
  }

  #performWell(request: Request, store = this.#store): Answer {
    if (request.kind === 'list') return { kind: 'listed', orders: this.#rowsOf(store) };
    const id = request.kind === 'place' ? (request.id ?? this.#nextId()) : request.id;
    const state = store.get(id) ?? NO_ORDER;
    const { reason, next } = ask(state, request);
    if (reason !== undefined) return { kind: 'refused', reason };
    if (request.kind === 'get') return { kind: 'shown', order: this.#rowOf(id, state) as Row };
    this.#become(id, next);
    return { kind: 'accepted', id };
  }

  /** Returns the faulty answer to a request; `undefined` where the fault does not apply. */
  #performBadly(request: Request): Answer | undefined {
    switch (request.kind) {
      case 'list':
        return this.#listBadly();
      case 'get':
        return this.#getBadly(request);
      default:
        return this.#commandBadly(request);
    }
  }

  #listBadly(): Answer | undefined {
    const [now, before] = [this.#rowsOf(this.#store), this.#rowsOf(this.#before(2))];
    const isEven = ({ id }: Row) => id % 2n === 0n;
    switch (this.#fault) {
      case 'a read shows an earlier state':
        return { kind: 'listed', orders: before };
      case 'a list is half from now and half from before':
        return {
          kind: 'listed',
          orders: [...now.filter((row) => !isEven(row)), ...before.filter(isEven)],
        };
      case 'a list leaves an order out':
        return { kind: 'listed', orders: now.slice(1) };
      default:
        return undefined;
    }
  }

  #getBadly(request: Get): Answer | undefined {
    const state = this.#store.get(request.id) ?? NO_ORDER;
    if (this.#fault === 'a read shows an earlier state') {
      return this.#performWell(request, this.#before(2));
    }
    if (this.#fault !== 'a get shows what is never done' || state.status !== 'pending') {
      return undefined;
    }
    const shipped = { ...state, status: 'shipped', shipDate: DATES[0] } as const;
    return { kind: 'shown', order: this.#rowOf(request.id, shipped) as Row };
  }

  #commandBadly(request: Place | Ship | Cancel): Answer | undefined {
    switch (this.#fault) {
      case 'a command is answered before it takes effect':
        this.#ghosts.push({ client: -1, request, invoked: this.#time, isLost: true });
        return this.#performInVain(request);
      case 'a command is answered and never takes effect':
        return this.#performInVain(request);
      case 'a cancel and a shipment are accepted whatever the state':
        if (request.kind === 'place' || !this.#store.has(request.id)) return undefined;
        return { kind: 'accepted', id: request.id };
      case 'a cancel of nothing is accepted':
        return request.kind === 'cancel' ? { kind: 'accepted', id: request.id } : undefined;
      case 'a request is carried out twice':
        if (request.kind === 'place') this.#performWell(request);
        return undefined;
      case 'an id is given to two orders': {
        const id = [...this.#store.keys()].at(-1);
        return request.kind === 'place' && id !== undefined ? { kind: 'accepted', id } : undefined;
      }
      default:
        return undefined;
    }
  }

  #performInVain(request: Request): Answer {
    const { length } = this.#states;
    const answer = this.#performWell(request);
    this.#states.length = length;
    return answer;
  }

  #become(id: bigint, state: OrderState): void {
    this.#states.push(new Map([...this.#store, [id, state]]));
  }

  #nextId(): bigint {
    const ids = [...this.#store.keys()];
    return ids.reduce((highest, id) => (id > highest ? id : highest), 0n) + 1n;
  }

  #rowsOf(store: Store): readonly Row[] {
    return [...store].flatMap(([id, state]) => this.#rowOf(id, state) ?? []);
  }

  #rowOf(id: bigint, state: OrderState): Row | undefined {
    if (state.status === 'none') return undefined;
    const { status, ...facts } = state;
    const told = this.#given.tellsStatus ? { status } : {};
    return { id, ...facts, complete: status === 'shipped', ...told };
  }
}
