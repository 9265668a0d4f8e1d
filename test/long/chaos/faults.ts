import { setTimeout } from 'node:timers/promises';
import { Random } from '../../kit/history/random.ts';
import type { Instances } from './instances.ts';
import type { Servers } from './servers.ts';

/** Counts of the faults so far: of the instances, the database and the network between them. */
export interface Done {
  instancesKilled: number;
  databaseKilled: number;
  failovers: number;
  sessionsEnded: number;
}

/** The frequency of each fault, relative to the sum of all. */
export interface Weights {
  readonly killInstance: number;
  readonly endSessions: number;
  readonly crash: number;
  readonly failOver: number;
}

const ALL: Weights = { killInstance: 45, endSessions: 25, crash: 22, failOver: 8 };

/** The shortest pause between two faults, and the most that is added to it, in milliseconds. */
const PAUSE_MS = 300;
const MORE_PAUSE_MS = 1_500;

/**
 * Does harm until it is stopped, one thing after another, so that there are times between in which
 * something gets done.
 */
export class Faults {
  readonly done: Done = {
    instancesKilled: 0,
    databaseKilled: 0,
    failovers: 0,
    sessionsEnded: 0,
  };
  readonly #random: Random;
  readonly #instances: Instances;
  readonly #servers: Servers;
  readonly #weights: Weights;
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(seed: number, instances: Instances, servers: Servers, weights = ALL) {
    this.#weights = weights;
    this.#random = new Random(seed);
    this.#instances = instances;
    this.#servers = servers;
    this.#running = this.#run();
    // Whoever stops it is told.
    this.#running.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await setTimeout(PAUSE_MS + this.#random.below(MORE_PAUSE_MS));
      const { killInstance, endSessions, crash, failOver } = this.#weights;
      await this.#fault(this.#random.below(killInstance + endSessions + crash + failOver));
    }
  }

  async #fault(share: number): Promise<void> {
    const { done } = this;
    const { killInstance, endSessions, crash } = this.#weights;
    if (share < killInstance) {
      await this.#instances.kill(this.#random.below(this.#instances.count));
      done.instancesKilled += 1;
    } else if (share < killInstance + endSessions) {
      done.sessionsEnded += await this.#servers.endSessions();
    } else if (share < killInstance + endSessions + crash) {
      await this.#servers.crash(this.#random.percent(50) ? 'SIGKILL' : 'SIGQUIT');
      done.databaseKilled += 1;
    } else {
      await this.#servers.failOver();
      done.failovers += 1;
    }
  }
}
