import { join } from 'node:path';
import { newFolder, removeFolder } from '../../bench/processes.ts';
import { BEARER, type Product, startProduct } from '../../bench/servers.ts';
import type { History } from '../../kit/history/history.ts';
import { HttpCaller } from '../../kit/history/http-caller.ts';
import { Recorder } from '../../kit/history/recorder.ts';
import { runWorkload } from '../../kit/history/workload.ts';
import { check } from '../../kit/linearizability/check.ts';
import type { Violation } from '../../kit/linearizability/violation.ts';

/** Rounds of concurrent requests to the service as production starts it, each on a new store. */

export interface Rounds {
  readonly operations: number;
  /** Of the first round; each later one has the next. */
  readonly seed: number;
  readonly clients: number;
  /** Is told how many requests have been made in all. */
  readonly advance?: (done: number) => void;
}

/** The result of a round. */
export interface Round {
  readonly seed: number;
  readonly history: History;
  readonly violations: readonly Violation[];
  /** The largest number of requests in flight. */
  readonly atOnce: number;
  /** In seconds. */
  readonly recorded: number;
  readonly checked: number;
}

/** So many requests are made of one store. More would mostly make the lists longer. */
const PER_ROUND = 10_000;
/** In so many of a hundred requests the client hangs up. */
const CUTS = 4;

export async function* runRounds(rounds: Rounds): AsyncGenerator<Round> {
  const { operations, seed, clients, advance } = rounds;
  for (let done = 0, round = 0; done < operations; done += PER_ROUND, round++) {
    yield await runRound({
      operations: Math.min(PER_ROUND, operations - done),
      seed: seed + round,
      clients,
      advance: (made) => advance?.(done + made),
    });
  }
}

async function runRound({ operations, seed, clients, advance }: Required<Rounds>): Promise<Round> {
  const begun = performance.now();
  const recorder = new Recorder();
  const server = await KilledOnce.start();
  const caller = new HttpCaller(() => `${server.address}/v1`, BEARER.Authorization.slice(7));
  try {
    // Somewhere in the middle, so that there is a good deal before and after it.
    const killAt = Math.floor(operations * (0.3 + (seed % 5) / 10));
    const whenMade = (made: number) => {
      if (made === killAt) server.kill();
      advance(made);
    };
    await runWorkload(
      { seed, clients, operations, cuts: CUTS, advance: whenMade },
      caller,
      recorder,
    );
  } finally {
    caller.close();
    await server.stop();
  }
  const recorded = performance.now();
  const { history, mostUnderWay: atOnce } = recorder;
  const violations = check(history);
  return {
    seed,
    history,
    violations,
    atOnce,
    recorded: (recorded - begun) / 1_000,
    checked: (performance.now() - recorded) / 1_000,
  };
}

/** The service, which is once killed as the kernel does it, and comes back at another address. */
class KilledOnce {
  readonly #folder = newFolder();
  readonly #store = { file: join(this.#folder, 'store.db'), orders: 0, head: 0 };
  #product!: Product;
  #returning: Promise<void> | undefined;

  static async start(): Promise<KilledOnce> {
    const server = new KilledOnce();
    server.#product = await startProduct(server.#store);
    return server;
  }

  get address(): string {
    return this.#product.address;
  }

  kill(): void {
    this.#returning = this.#restart();
  }

  async stop(): Promise<void> {
    await this.#returning;
    await this.#product.stop();
    removeFolder(this.#folder);
  }

  async #restart(): Promise<void> {
    process.kill(this.#product.pid, 'SIGKILL');
    await this.#product.stop();
    this.#product = await startProduct(this.#store);
  }
}
