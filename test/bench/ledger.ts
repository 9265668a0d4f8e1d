import type { OrderEvent } from '../../src/domain/order.ts';
import { openPostgresForCommandLine } from '../../src/infra/postgres/store.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/store.ts';
import type { IdSequence } from './id-sequence.ts';
import type { Seen } from './load.ts';
import type { StoreFile } from './stores.ts';

/** Thrown if the responses to clients contradict the log. */
class LedgerMismatch extends Error {
  override readonly name = 'LedgerMismatch';
}

/**
 * A ledger of one kind of command on one store: the requests and the responses. At the end it is
 * compared with the log: an answered command is recorded once; an unanswered one was in flight; and
 * nothing is recorded that was not requested.
 */
export class Ledger {
  readonly #type: OrderEvent['type'];
  readonly #ids: IdSequence | undefined;
  readonly #answeredIds: number[] = [];
  #answered = 0;
  #underWay = 0;

  /** @param ids The orders that may be named; absent if the service chooses the ids. */
  constructor(type: OrderEvent['type'], ids?: IdSequence) {
    this.#type = type;
    this.#ids = ids;
  }

  /** Records the result of a load. Each of its connections may have been cut during a request. */
  note({ answered, ids }: Pick<Seen, 'answered' | 'ids'>, connections: number): void {
    this.#answered += answered;
    this.#underWay += connections;
    for (const id of ids ?? []) this.#answeredIds.push(id);
  }

  /** Reads the log. Throws {@link LedgerMismatch} if it contradicts the ledger. */
  async check(store: StoreFile): Promise<void> {
    const recorded = await this.#readIds(store);
    const events = `${recorded.length} ${this.#type} events`;
    const unique = new Set(recorded);
    if (unique.size !== recorded.length) fail(`${events} name only ${unique.size} orders`);
    if (recorded.length < this.#answered) fail(`${events} for ${this.#answered} answers`);
    if (recorded.length > this.#answered + this.#underWay) {
      fail(`${events} for ${this.#answered} answers, with ${this.#underWay} cut off at most`);
    }
    for (const id of this.#answeredIds) {
      if (!unique.has(id)) fail(`order ${id} was answered, but has no ${this.#type}`);
    }
    this.#refuseStrangers(unique);
  }

  #refuseStrangers(recorded: Iterable<number>): void {
    const ids = this.#ids;
    if (ids === undefined) return;
    if (ids.used > ids.size) fail(`${ids.used} ids were needed and there are only ${ids.size}`);
    const asked = new Set(Array.from({ length: ids.used }, (_, index) => ids.at(index)));
    for (const id of recorded) {
      if (!asked.has(id)) fail(`order ${id} has an ${this.#type} that nobody asked for`);
    }
  }

  async #readIds({ file, url, head }: StoreFile): Promise<number[]> {
    const { log, close } =
      url === undefined ? openSqliteForCommandLine(file) : await openPostgresForCommandLine(url);
    const ids: number[] = [];
    for await (const events of log.read(head)) {
      for (const { event } of events) {
        if (event.type === this.#type) ids.push(Number(event.orderId));
      }
    }
    await close();
    return ids;
  }
}

function fail(message: string): never {
  throw new LedgerMismatch(message);
}
