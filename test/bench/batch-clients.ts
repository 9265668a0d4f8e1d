import type { BatchCancelOrder, BatchCancelSeen } from './clients/batch-cancel.ts';
import type { Ledger } from './ledger.ts';
import { runProgram } from './processes.ts';
import { BEARER, type Product } from './servers.ts';

export const BATCH_CLIENTS = 4;
export const BATCH_ORDERS = 500;
const PATIENCE_S = 60;

/** The orders of all loads: each load has a share of its own. */
interface Range {
  /** The first id, and the one after the last. */
  readonly first: number;
  readonly end: number;
  readonly loads: number;
}

export interface Batches {
  /** The orders that were cancelled a second. */
  readonly rate: number;
  /** How often a batch was refused because the service was too busy. */
  readonly refused: number;
  /** The times from the answer of a batch to the verified receipt of its last event, in milliseconds. */
  readonly provenMs: readonly number[];
}

/** Sends batches of cancellations over the orders of a range, each once. */
export class BatchClients {
  readonly #product: Product;
  readonly #ledger: Ledger;
  readonly #end: number;
  readonly #share: number;
  #next: number;

  constructor(product: Product, ledger: Ledger, { first, end, loads }: Range) {
    this.#product = product;
    this.#ledger = ledger;
    this.#next = first;
    this.#end = end;
    this.#share = Math.floor((end - first) / loads);
  }

  /** @param vkey The verifier key of the log, to have a receipt of each batch verified. */
  async send(seconds: number, vkey?: string): Promise<Batches> {
    const orders = `${this.#product.address}/v2/store/orders`;
    const order: BatchCancelOrder = {
      orders,
      headers: BEARER,
      connections: BATCH_CLIENTS,
      size: BATCH_ORDERS,
      first: this.#next,
      end: Math.min(this.#end, this.#next + this.#share),
      seconds,
      vkey,
    };
    const limit = seconds + PATIENCE_S;
    const seen = await runProgram<BatchCancelSeen>('clients/batch-cancel', order, limit);
    this.#next = seen.next;
    this.#ledger.note({ answered: seen.cancelled }, 0);
    return {
      rate: seen.cancelled / seen.seconds,
      refused: seen.refused,
      provenMs: seen.provenMs,
    };
  }
}
