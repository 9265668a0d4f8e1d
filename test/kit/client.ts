import { requireTold } from './aggregate/form.ts';
import { byOrderId, checkAnswer, checkList, checkSequence, checkStream } from './comparing.ts';
import { grouped } from './grouped.ts';
import { brokenOrderRule } from './oracle/list-rules.ts';
import { type Expected, OracleStore } from './oracle/store.ts';
import { commandOf, letterOf, type Name, type Step } from './program.ts';
import {
  eventsOf,
  listOf,
  type Recorded,
  requireObject,
  type Session,
  type Told,
  violation,
} from './target.ts';
import type { Command, Order } from './vocabulary.ts';

/** One client of a run, with the oracle of its own orders. */
export class Client {
  readonly oracle = new OracleStore();
  readonly #session: Session;
  readonly #ids: bigint[];
  readonly #claim: (id: bigint) => boolean;
  readonly #placed = new Set<Name>();

  /**
   * @param ids The id of each order, by its name, until a server assigns another one.
   * @param claim Registers an id that a server has assigned; false if it was assigned before.
   */
  constructor(session: Session, ids: bigint[], claim: (id: bigint) => boolean) {
    this.#session = session;
    this.#ids = ids;
    this.#claim = claim;
  }

  /** Runs a step. Returns 0 if the target does not support it, and 1 otherwise. */
  async do(step: Step, client: number): Promise<0 | 1> {
    const session = this.#session;
    switch (step.do) {
      case 'list':
        return (await this.#checkList()) ? 1 : 0;
      case 'get':
        if (session.get === undefined) return 0;
        this.#checkOrder(this.#idOf(step.order), await session.get(this.#idOf(step.order)));
        return 1;
      case 'restart':
        if (session.restart === undefined) return 0;
        await this.#restart(session.restart.bind(session));
        return 1;
      default:
        return this.#command(step, client);
    }
  }

  /** Checks that the events of the client's orders equal those of the oracle. */
  checkEvents(recorded: ReadonlyMap<bigint, readonly Recorded[]>): void {
    for (const [id, expected] of grouped(this.oracle.events, ({ orderId }) => orderId)) {
      checkStream(recorded.get(id) ?? [], expected);
    }
    // An order without events in the oracle must have none in the target.
    for (const id of this.#ids) {
      if (this.oracle.row(id).version === 0) checkStream(recorded.get(id) ?? [], []);
    }
    checkSequence(recorded, this.oracle.events);
  }

  async #command(
    step: Extract<Step, { readonly order: Name; do: 'place' | 'ship' | 'cancel' }>,
    client: number,
  ) {
    const session = this.#session;
    // If the server chooses ids, the same order cannot be placed twice.
    if (step.do === 'place' && session.choosesIds && this.#placed.has(step.order)) return 0;
    const orderId = this.#idOf(step.order);
    if (step.do === 'ship' && session.shipsPendingOnly) {
      if (this.oracle.row(orderId).status !== 'pending') return 0;
    }
    const command = commandOf(step, orderId);
    // A copy, as the target may change it in place.
    const told = await session.perform({ ...command }, client);
    requireTold(`${step.do} ${letterOf(step.order)}`, told);
    if (step.do === 'place' && session.choosesIds) return this.#placedAs(step.order, command, told);
    const what = `${step.do} ${letterOf(step.order)}`;
    this.#checkAnswer(what, this.oracle.submit(command), told);
    return 1;
  }

  #placedAs(name: Name, command: Command, told: Told): 1 {
    const what = `place ${letterOf(name)}`;
    const orderId = told.kind === 'accepted' ? told.orderId : command.orderId;
    if (told.kind === 'accepted' && (orderId === undefined || !this.#claim(orderId))) {
      throw violation('a new order has an id that no other has', `${what}: ${orderId ?? 'none'}`);
    }
    this.#ids[name] = orderId as bigint;
    this.#placed.add(name);
    this.#checkAnswer(what, this.oracle.submit({ ...command, orderId: orderId as bigint }), told);
    return 1;
  }

  #checkAnswer(what: string, expected: Expected, told: Told): void {
    checkAnswer(what, told, expected);
    if (told.kind === 'rejected' || expected.kind === 'rejected') return;
    if (told.order !== undefined) this.#checkOrder(expected.orderId, told.order);
  }

  #checkOrder(id: bigint, shown: Order | undefined): void {
    const expected = this.oracle.get(id);
    if (shown === undefined) {
      if (expected !== undefined) throw violation('the list has every order', `${id} is not found`);
      return;
    }
    requireObject(`order ${id}`, shown, 'an order, or undefined');
    const broken = brokenOrderRule(shown, expected);
    if (broken !== undefined) throw violation(broken.rule, broken.detail);
  }

  /** Returns false if the target has no list. */
  async #checkList(): Promise<boolean> {
    const list = await listOf(this.#session);
    if (list !== undefined) checkList(this.#ours(list), this.oracle.list());
    return list !== undefined;
  }

  async #restart(restart: () => Promise<void>): Promise<void> {
    await restart();
    try {
      await this.#checkList();
      const events = await eventsOf(this.#session);
      if (events !== undefined) this.checkEvents(byOrderId(events));
    } catch (error) {
      throw violation('what was acknowledged outlives a restart', (error as Error).message);
    }
  }

  #idOf(name: Name): bigint {
    return this.#ids[name] as bigint;
  }

  #ours(list: readonly Order[]): readonly Order[] {
    return list.filter(({ id }) => this.oracle.get(id) !== undefined || this.#isWanted(id));
  }

  // A foreign order is a violation, unless the server chooses ids.
  #isWanted(id: bigint): boolean {
    return !this.#session.choosesIds && this.#ids.includes(id);
  }
}
