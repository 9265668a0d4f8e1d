import { setTimeout as wait } from 'node:timers/promises';
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
  /** Called with the number of requests so far. */
  readonly advance?: (done: number) => void;
}

const SHIP_DATES = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const;

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
  const known = new KnownOrders();
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
  readonly #ids: bigint[] = [];
  #pets = 0n;

  add(id: bigint): void {
    this.#ids.push(id);
  }

  /** Returns a contended order; or an older one; or one that does not exist yet, but soon will. */
  pick(random: Random): bigint {
    if (random.percent(5)) return (this.#ids.at(-1) ?? 0n) + BigInt(1 + random.below(3));
    const among = random.percent(80) ? HOT_ORDERS : 50;
    return this.#ids.at(-1 - random.below(Math.min(among, this.#ids.length))) ?? 1n;
  }

  /** Returns a unique pet, which identifies its order. */
  newPet(): bigint {
    this.#pets += 1n;
    return this.#pets;
  }
}

class Client {
  readonly #number: number;
  readonly #random: Random;
  readonly #cuts: number;
  readonly #caller: Caller;
  readonly #recorder: Recorder;
  readonly #known: KnownOrders;

  constructor(
    number: number,
    { seed, cuts }: Workload,
    caller: Caller,
    recorder: Recorder,
    known: KnownOrders,
  ) {
    this.#number = number;
    this.#random = new Random(seed * 1_000 + number);
    this.#cuts = cuts;
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
    const cutAfter = this.#random.percent(this.#cuts) ? this.#random.pick(CUTS_AFTER) : undefined;
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
    const shipDate = random.pick(SHIP_DATES);
    const share = random.below(100);
    if (share < 12) {
      const expected = random.percent(50) ? { shipDate } : {};
      const quantity = 1 + random.below(5);
      return { kind: 'place', petId: this.#known.newPet(), quantity, ...expected };
    }
    if (share < 15) return { kind: 'list' };
    const id = this.#known.pick(random);
    if (share < 40) return { kind: 'cancel', id };
    if (share < 65) return { kind: 'ship', id, shipDate };
    return { kind: 'get', id };
  }
}
