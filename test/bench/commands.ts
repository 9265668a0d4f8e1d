import { IdSequence } from './id-sequence.ts';
import { Ledger } from './ledger.ts';
import type { Requests } from './load.ts';
import { type Measured, measureLoad } from './rounds.ts';
import { type Bench, warmUpOf } from './scenario.ts';
import { ORDERS, type Product, type Server } from './servers.ts';
import { SHIP_DATE } from './stores.ts';

/** The shares of a store's orders that the warm-up, and all rounds together, may consume. */
const FOR_WARM_UP = 0.1;
const FOR_ROUNDS = 0.8;

export interface CommandKind {
  readonly type: 'OrderPlaced' | 'OrderShipped' | 'OrderCancelled';
  requests(ids: IdSequence): Requests;
}

export const CANCEL: CommandKind = {
  type: 'OrderCancelled',
  requests: (ids) => ({ method: 'DELETE', path: `${ORDERS}/{id}`, ids }),
};

export const SHIP: CommandKind = {
  type: 'OrderShipped',
  requests: (ids) => ({
    method: 'PUT',
    path: `${ORDERS}/{id}/shipment`,
    body: JSON.stringify({ shipDate: SHIP_DATE }),
    ids,
  }),
};

export const PLACE: CommandKind = {
  type: 'OrderPlaced',
  requests: () => ({
    method: 'POST',
    path: ORDERS,
    body: JSON.stringify({ petId: 7, quantity: 1 }),
  }),
};

/** Sends loads of one kind of command to one server, never two commands to the same order. */
export class CommandClients {
  readonly server: Server;
  readonly ids: IdSequence;
  readonly ledger: Ledger;
  readonly #kind: CommandKind;
  readonly #bench: Pick<Bench, 'generator' | 'seconds'>;
  readonly #loads: number;
  #failed = 0;

  /**
   * @param loads The number of measured loads that share the server's orders.
   * @param ids The orders to name, if another sender names the others.
   * @param ledger The ledger, if it is shared with another sender.
   */
  constructor(
    bench: Pick<Bench, 'generator' | 'seconds'>,
    server: Server,
    kind: CommandKind,
    orders: number,
    loads: number,
    ids = new IdSequence(orders),
    ledger = new Ledger(kind.type, kind === PLACE ? undefined : ids),
  ) {
    this.#bench = bench;
    this.server = server;
    this.#kind = kind;
    this.#loads = loads;
    this.ids = ids;
    this.ledger = ledger;
  }

  warmUp(connections: number): Promise<Measured> {
    return this.#send(connections, warmUpOf(this.#bench), FOR_WARM_UP);
  }

  measure(connections: number): Promise<Measured> {
    return this.#send(connections, this.#bench.seconds, FOR_ROUNDS / this.#loads);
  }

  /** Stops the product, and compares all of its responses with its log. */
  async check({ store }: Product): Promise<void> {
    await this.server.stop();
    if (this.#failed > 0) throw new Error(`${this.#failed} requests failed`);
    await this.ledger.check(store);
  }

  async #send(connections: number, seconds: number, share: number): Promise<Measured> {
    const { generator } = this.#bench;
    const requests = this.#kind.requests(this.ids);
    // wrk may send one more request on each connection after its end.
    const limit = Math.max(1, Math.floor(this.ids.size * share) - connections);
    const load = { connections, seconds, ...(requests.path.includes('{id}') ? { limit } : {}) };
    const measured = await measureLoad(generator, this.server, requests, load);
    this.#failed += measured.failed;
    this.ledger.note(measured, connections);
    return measured;
  }
}
