import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';
import type { Network } from '../../support/postgres/network.ts';

/** A PostgreSQL and its synchronous standby, which takes its place when it fails over. */
export class Servers implements AsyncDisposable {
  #primary: Cluster;
  #standby: Cluster | undefined;
  readonly #networks: Network[] = [];

  private constructor(primary: Cluster, standby: Cluster | undefined) {
    this.#primary = primary;
    this.#standby = standby;
  }

  /** @param withStandby Whether there is a standby that every commit waits for. */
  static async start(withStandby: boolean): Promise<Servers> {
    const primary = await Cluster.start(18, SETTINGS, placeInMemory());
    return new Servers(primary, withStandby ? await primary.standby() : undefined);
  }

  get primary(): Cluster {
    return this.#primary;
  }

  /** Has a network lead to whichever server is the primary. */
  lead(network: Network): void {
    network.target = this.#primary.port;
    this.#networks.push(network);
  }

  /** Ends all sessions of the service. Returns how many there were. */
  async endSessions(): Promise<number> {
    const ended = await this.#primary.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE 'store-orders%'`,
    );
    return ended.length;
  }

  /** Ends the primary as a crash does, and starts it again. */
  async crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    await this.#primary.end(signal);
    await this.#primary.begin();
  }

  /** Ends the primary for good, and puts its standby in its place, with a new standby of its own. */
  async failOver(): Promise<void> {
    const promoted = this.#standby;
    if (promoted === undefined) return this.crash('SIGKILL');
    const old = this.#primary;
    await old.end('SIGQUIT');
    await promoted.sql('SELECT pg_promote()');
    this.#primary = promoted;
    for (const network of this.#networks) network.target = promoted.port;
    await old[Symbol.asyncDispose]();
    this.#standby = await promoted.standby();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standby?.[Symbol.asyncDispose]();
    await this.#primary[Symbol.asyncDispose]();
  }
}

// A checkpoint seldom, so that a restart has something to recover.
const SETTINGS = { checkpoint_timeout: '10min', wal_keep_size: '256MB', hot_standby: 'on' };
