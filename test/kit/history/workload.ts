import { setTimeout as wait } from 'node:timers/promises';
import { requireCounts, requireSeed, requireWithin } from '../numbers.ts';
import { CLOSE_DATES, FEW_DATES } from '../shrinking.ts';
import type { Answer, Request } from './history.ts';
import type { Caller } from './http-caller.ts';
import { Random } from './random.ts';
import type { Recorder } from './recorder.ts';

/** Generates concurrent requests of clients: many about few orders, for contention. */
export interface Workload {
  readonly seed: number;
  readonly clients: number;
  /** The total number of requests, without the final list. */
  readonly operations: number;
  /** The percentage of requests whose client disconnects before the response. */
  readonly cuts: number;
  /** The percentage of lists; default 3. */
  readonly lists?: number;
  /** The dates of shipments; default three, two of them of one day. */
  readonly shipDates?: readonly string[];
  /** True if others use the server, too: requests name only orders that the workload placed. */
  readonly isShared?: boolean;
  /** Orders that the workload has placed before; half of the requests are about any of all. */
  readonly placed?: readonly bigint[];
  /** The animal of the first order; the others follow. Default 1. */
  readonly firstPet?: bigint;
  /** Called with the number of requests so far. */
  readonly advance?: (done: number) => void;
}

const SHIP_DATES = [...FEW_DATES, CLOSE_DATES[0]];

/** The number of newest orders that all clients contend for. */
const HOT_ORDERS = 3;
/** The delay before a client retries a request that was not carried out, in milliseconds. */
const RETRY_AFTER_MS = 20;
/** The range of times after a request at which its connection is cut, in milliseconds. */
const CUTS_AFTER = [0, 0, 0, 0.5, 1, 2, 5];

/**
 * Runs a workload to its end. The requests depend on the seed; their interleaving, and so the
 * orders that they name, depend on the server and the machine.
 */
export async function runWorkload(
  workload: Workload,
  caller: Caller,
  recorder: Recorder,
): Promise<void> {
  const { clients: count, operations, seed, cuts, lists = 0 } = workload;
  requireCounts({ clients: count, operations });
  requireSeed('seed', seed);
  requireWithin('cuts', cuts, 0, 100);
  requireWithin('lists', lists, 0, 100);
  const known = new KnownOrders(workload);
  let made = 0;
  const next = () => {
    if (made >= workload.operations) return false;
    made += 1;
    workload.advance?.(made);
    return true;
  };
  const clients = Array.from({ length: workload.clients }, (_, number) => {
    return new Client(number, workload, caller, recorder, known).run(next);
  });
  await Promise.all(clients);
  // A final list reveals lost orders.
  await recorder.record(0, { kind: 'list' }, () => caller.call({ kind: 'list' }));
}

/** The orders in responses so far, the newest last. */
class KnownOrders {
  readonly #ids: bigint[];
  readonly #isShared: boolean;
  readonly #isSpread: boolean;
  #nextPet: bigint;

  constructor({ isShared = false, firstPet = 1n, placed = [] }: Workload) {
    this.#ids = [...placed];
    this.#isShared = isShared;
    this.#isSpread = placed.length > 0;
    this.#nextPet = firstPet;
  }

  add(id: bigint): void {
    this.#ids.push(id);
  }

  /**
   * Returns a contended order; or an older one; or, unless the server is shared, one that does not
   * exist yet, but soon will. Returns `undefined` if a shared server has no order of the workload.
   */
  pick(random: Random): bigint | undefined {
    if (this.#isShared && this.#ids.length === 0) return undefined;
    if (random.percent(5) && !this.#isShared)
      return (this.#ids.at(-1) ?? 0n) + BigInt(1 + random.below(3));
    if (this.#isSpread && random.percent(50)) return random.pick(this.#ids);
    const among = random.percent(80) ? HOT_ORDERS : 50;
    return this.#ids.at(-1 - random.below(Math.min(among, this.#ids.length))) ?? 1n;
  }

  /** Returns a unique pet, which identifies its order. */
  newPet(): bigint {
    this.#nextPet += 1n;
    return this.#nextPet - 1n;
  }
}

class Client {
  readonly #number: number;
  readonly #random: Random;
  readonly #workload: Workload;
  readonly #caller: Caller;
  readonly #recorder: Recorder;
  readonly #known: KnownOrders;

  constructor(
    number: number,
    workload: Workload,
    caller: Caller,
    recorder: Recorder,
    known: KnownOrders,
  ) {
    this.#number = number;
    this.#random = new Random(workload.seed * 1_000 + number);
    this.#workload = workload;
    this.#caller = caller;
    this.#recorder = recorder;
    this.#known = known;
  }

  async run(next: () => boolean): Promise<void> {
    let again: Request | undefined;
    while (next()) {
      const request = again ?? this.#request();
      const answer = await this.#ask(request);
      // Without a response a client retries.
      const isInDoubt = answer.kind === 'unknown' && request.kind !== 'list';
      again = isInDoubt && this.#random.percent(70) ? this.#again(request) : undefined;
      if (answer.kind === 'untouched') await wait(RETRY_AFTER_MS);
    }
  }

  async #ask(request: Request): Promise<Answer> {
    const isCut = this.#random.percent(this.#workload.cuts);
    const cutAfter = isCut ? this.#random.pick(CUTS_AFTER) : undefined;
    const answer = await this.#recorder.record(this.#number, request, () => {
      return this.#caller.call(request, cutAfter);
    });
    if (request.kind === 'place' && answer.kind === 'accepted') this.#known.add(answer.id);
    return answer;
  }

  // A retried placement may place another order, so it gets another pet.
  #again(request: Request): Request {
    return request.kind === 'place' ? { ...request, petId: this.#known.newPet() } : request;
  }

  #request(): Request {
    const random = this.#random;
    const { lists = 3, shipDates = SHIP_DATES } = this.#workload;
    const shipDate = random.pick(shipDates);
    const share = random.below(100);
    if (share < 12) return this.#placement(shipDate);
    if (share < 12 + lists) return { kind: 'list' };
    const id = this.#known.pick(random);
    if (id === undefined) return this.#placement(shipDate);
    if (share < 37 + lists) return { kind: 'cancel', id };
    if (share < 62 + lists) return { kind: 'ship', id, shipDate };
    return { kind: 'get', id };
  }

  #placement(shipDate: string): Request {
    const expected = this.#random.percent(50) ? { shipDate } : {};
    const quantity = 1 + this.#random.below(5);
    return { kind: 'place', petId: this.#known.newPet(), quantity, ...expected };
  }
}
