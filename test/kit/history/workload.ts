import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Request } from './history.ts';
import type { Caller } from './http-caller.ts';
import { Random } from './random.ts';
import type { Recorder } from './recorder.ts';

/** What clients ask of a store at the same time: much about few orders, so that they get in each other's way. */
export interface Workload {
  readonly seed: number;
  readonly clients: number;
  /** How many requests they make in all. A last list comes on top. */
  readonly operations: number;
  /** In how many of a hundred requests the client hangs up before the answer. */
  readonly cuts: number;
  /** Is told how many requests have been made. */
  readonly advance?: (done: number) => void;
}

const SHIP_DATES = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const;

/** How many of the newest orders are fought over. */
const HOT = 3;
/** How long a client waits before it asks a server again that did nothing, in milliseconds. */
const PATIENCE = 20;
/** When a connection is cut, in milliseconds after the request was sent. */
const CUTS_AFTER = [0, 0, 0, 0.5, 1, 2, 5];

/**
 * Runs a workload to its end. The requests depend on the seed; how they interleave, and so which
 * orders they are about, is up to the server and the machine.
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
  // What was lost on the way shows at the end.
  await recorder.record(0, { kind: 'list' }, () => caller.call({ kind: 'list' }));
}

/** The orders that somebody was told of, newest last. */
class KnownOrders {
  readonly #ids: bigint[] = [];
  #pets = 0n;

  add(id: bigint): void {
    this.#ids.push(id);
  }

  /** One that all are after; or an older one; or one that there is not yet, but soon will be. */
  pick(random: Random): bigint {
    if (random.percent(5)) return (this.#ids.at(-1) ?? 0n) + BigInt(1 + random.below(3));
    const among = random.percent(80) ? HOT : 50;
    return this.#ids.at(-1 - random.below(Math.min(among, this.#ids.length))) ?? 1n;
  }

  /** A pet that no other request has named: its order can be told from all others. */
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
      // Whoever gets no answer asks again, as clients do.
      const isInDoubt = answer.kind === 'unknown' && request.kind !== 'list';
      again = isInDoubt && this.#random.percent(70) ? this.#again(request) : undefined;
      if (answer.kind === 'untouched') await wait(PATIENCE);
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

  // To place again may place another order, and that is another pet's.
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
