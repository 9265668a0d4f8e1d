import { type BrokenListRule, brokenListRule, brokenOrderRule } from './oracle/list-rules.ts';
import { type Expected, OracleStore } from './oracle/store.ts';
import { absentId, commandOf, letterOf, type Name, type Program, type Step } from './program.ts';
import { type Recorded, type Rule, type Session, type Told, violation } from './target.ts';
import { type Command, MAX_INT64, MIN_INT64, type Order, type OrderEvent } from './vocabulary.ts';

/**
 * The model: runs programs against a target and, beside it, against the oracle, and throws a
 * {@link Violation} at the first answer that the oracle would not give.
 */
export class Run {
  /** How many steps were run so far: what a target cannot do is left out and not counted. */
  steps = 0;
  readonly #session: Session;
  readonly #taken = new Set<bigint>();
  readonly #next = new Map<bigint, bigint>();
  readonly #clients: Client[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs programs at once, each on orders of its own, and looks at all that they leave behind. */
  async together(programs: readonly Program[]): Promise<void> {
    const restarts = programs.some(({ steps }) => steps.some((step) => step.do === 'restart'));
    if (restarts && programs.length > 1) {
      throw new RangeError('a restart would cut off the answers of the programs beside it');
    }
    await this.#leaveOthersAlone();
    const clients = programs.map(({ ids }) => {
      return new Client(
        this.#session,
        ids.map((id) => this.#fresh(this.#session.choosesIds ? absentId(id) : id)),
      );
    });
    this.#clients.push(...clients);
    // All of them, before the first failure is thrown: none may go on behind the run's back.
    const ends = await Promise.allSettled(
      clients.map(async (client, index) => {
        const { steps, clients: turns } = programs[index] as Program;
        for (const [turn, step] of steps.entries()) {
          const done = await client.do(step, turns?.[turn] ?? 0);
          this.steps += done;
        }
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    await this.#lookAtEverything();
  }

  /** Runs one program. */
  alone(program: Program): Promise<void> {
    return this.together([program]);
  }

  async #leaveOthersAlone(): Promise<void> {
    if (!this.#session.isShared || this.#session.list === undefined) return;
    for (const { id } of await this.#session.list()) this.#taken.add(id);
  }

  // An id that was used before is moved by multiples of 4096: its low bits, which are what a
  // rounding would lose, stay what they are.
  #fresh(wanted: bigint): bigint {
    let id = this.#next.get(wanted) ?? wanted;
    while (this.#taken.has(id)) id = moved(id, wanted);
    this.#taken.add(id);
    this.#next.set(wanted, moved(id, wanted));
    return id;
  }

  async #lookAtEverything(): Promise<void> {
    const { isShared } = this.#session;
    const list = await this.#session.list?.();
    if (list !== undefined) {
      const expected = this.#clients.flatMap(({ oracle }) => oracle.list()).sort(byId);
      const ours = new Set(expected.map(({ id }) => id));
      checkList(isShared ? list.filter(({ id }) => ours.has(id)) : list, expected);
    }
    const recorded = await this.#session.events?.();
    if (recorded !== undefined) {
      const byOrder = byOrderId(recorded);
      for (const client of this.#clients) client.checkEvents(byOrder);
      const total = this.#clients.reduce((sum, { oracle }) => sum + oracle.events.length, 0);
      if (!isShared && recorded.length !== total) {
        throw violation(RECORDED, `${recorded.length} events are recorded, and should be ${total}`);
      }
      checkPositions(recorded);
    }
  }
}

function byId(one: Order, other: Order): number {
  return one.id < other.id ? -1 : 1;
}

function moved(id: bigint, wanted: bigint): bigint {
  const next = id + (wanted > 0n ? -4_096n : 4_096n);
  if (next < MIN_INT64) return MAX_INT64;
  return next > MAX_INT64 ? MIN_INT64 : next;
}

const RECORDED: Rule = 'every change is recorded once, and nothing else is';

/** One client of a run, with the oracle of its own orders. */
class Client {
  readonly oracle = new OracleStore();
  readonly #session: Session;
  readonly #ids: bigint[];
  readonly #placed = new Set<Name>();

  constructor(session: Session, ids: bigint[]) {
    this.#session = session;
    this.#ids = ids;
  }

  /** Does a step. Returns 0 where the target cannot do it, and 1 otherwise. */
  async do(step: Step, client: number): Promise<0 | 1> {
    const session = this.#session;
    switch (step.do) {
      case 'list':
        if (session.list === undefined) return 0;
        checkList(this.#ours(await session.list()), this.oracle.list());
        return 1;
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

  /** Checks that the events of the client's orders are those of the oracle. */
  checkEvents(recorded: ReadonlyMap<bigint, readonly Recorded[]>): void {
    for (const [id, expected] of Map.groupBy(this.oracle.events, ({ orderId }) => orderId)) {
      checkStream(recorded.get(id) ?? [], expected);
    }
    // Nor may anything be recorded of an order to which the oracle let nothing happen.
    for (const id of this.#ids) {
      if (this.oracle.row(id).version === 0) checkStream(recorded.get(id) ?? [], []);
    }
  }

  async #command(
    step: Extract<Step, { readonly order: Name; do: 'place' | 'ship' | 'cancel' }>,
    client: number,
  ) {
    const session = this.#session;
    // Where the server chooses ids, the same order cannot be placed twice.
    if (step.do === 'place' && session.choosesIds && this.#placed.has(step.order)) return 0;
    const orderId = this.#idOf(step.order);
    if (step.do === 'ship' && session.shipsPendingOnly) {
      if (this.oracle.row(orderId).status !== 'pending') return 0;
    }
    const command = commandOf(step, orderId);
    const told = await session.perform(command, client);
    if (step.do === 'place' && session.choosesIds) return this.#placedAs(step.order, command, told);
    this.#checkAnswer(step, this.oracle.submit(command), told);
    return 1;
  }

  #placedAs(name: Name, command: Command, told: Told): 1 {
    if (told.kind === 'rejected') throw violation(ANSWER, `a new order is refused: ${told.reason}`);
    const { orderId } = told;
    if (orderId === undefined || this.oracle.row(orderId).version > 0) {
      throw violation('a new order has an id that no other has', `it has ${orderId ?? 'none'}`);
    }
    this.#ids[name] = orderId;
    this.#placed.add(name);
    this.#checkAnswer(
      { do: 'place', order: name },
      this.oracle.submit({ ...command, orderId }),
      told,
    );
    return 1;
  }

  #checkAnswer(
    step: { readonly do: string; readonly order: Name },
    expected: Expected,
    told: Told,
  ): void {
    const what = `${step.do} ${letterOf(step.order)}`;
    if (
      told.kind !== expected.kind ||
      (told.kind === 'rejected' && expected.kind === 'rejected' && told.reason !== expected.reason)
    ) {
      throw violation(ANSWER, `${what}: ${outcomeOf(told)}, and should be ${outcomeOf(expected)}`);
    }
    if (told.kind === 'rejected' || expected.kind === 'rejected') return;
    if (told.version !== undefined && told.version !== expected.version) {
      throw violation(
        RECORDED,
        `${what}: ${told.version} events by now, and should be ${expected.version}`,
      );
    }
    if (told.events !== undefined) checkRecorded(what, told.events, expected.events);
    if (told.order !== undefined) this.#checkOrder(expected.orderId, told.order);
  }

  #checkOrder(id: bigint, shown: Order | undefined): void {
    const expected = this.oracle.get(id);
    if (shown === undefined) {
      if (expected !== undefined) throw violation('the list has every order', `${id} is not found`);
      return;
    }
    const broken = brokenOrderRule(shown, expected);
    if (broken !== undefined) throw violation(broken.rule, broken.detail);
  }

  async #restart(restart: () => Promise<void>): Promise<void> {
    await restart();
    try {
      const { list, events } = this.#session;
      if (list !== undefined) {
        checkList(this.#ours(await list.call(this.#session)), this.oracle.list());
      }
      if (events !== undefined) this.checkEvents(byOrderId(await events.call(this.#session)));
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

  // An order that nobody placed is ours to complain about, unless a server has chosen its id.
  #isWanted(id: bigint): boolean {
    return !this.#session.choosesIds && this.#ids.includes(id);
  }
}

const ANSWER: Rule = 'every answer is that of the table';

function checkList(shown: readonly Order[], expected: readonly Order[]): void {
  const broken: BrokenListRule | undefined = brokenListRule(shown, expected);
  if (broken !== undefined) throw violation(broken.rule, broken.detail);
}

function checkRecorded(
  what: string,
  events: readonly OrderEvent[],
  expected: readonly OrderEvent[],
): void {
  const differ = events.findIndex((event, index) => !sameEvent(event, expected[index]));
  if (differ === -1 && events.length === expected.length) return;
  throw violation(
    RECORDED,
    `${what}: ${events.map(textOf).join(', ') || 'nothing'}, and should be ${expected.map(textOf).join(', ') || 'nothing'}`,
  );
}

function byOrderId(recorded: readonly Recorded[]): ReadonlyMap<bigint, readonly Recorded[]> {
  return Map.groupBy(recorded, ({ event }) => event.orderId);
}

/** Holds what was recorded of one order against what should be. */
function checkStream(recorded: readonly Recorded[], expected: readonly OrderEvent[]): void {
  for (const [index, { event, version }] of recorded.entries()) {
    const wanted = expected[index];
    if (wanted === undefined || !sameEvent(event, wanted)) {
      const instead = wanted === undefined ? 'nothing' : textOf(wanted);
      throw violation(RECORDED, `${textOf(event)}, where ${instead} should be`);
    }
    if (version !== index + 1) {
      const detail = `event ${index + 1} of order ${event.orderId} has the version ${version}`;
      throw violation('positions are dense and versions count', detail);
    }
  }
  const lost = expected[recorded.length];
  if (lost !== undefined) throw violation(RECORDED, `${textOf(lost)} is missing`);
}

function checkPositions(recorded: readonly Recorded[]): void {
  for (const [index, { position }] of recorded.entries()) {
    if (position === index + 1) continue;
    const detail = `event ${index + 1} of the log has the position ${position}`;
    throw violation('positions are dense and versions count', detail);
  }
}

function sameEvent(event: OrderEvent, other: OrderEvent | undefined): boolean {
  if (event.type !== other?.type || event.orderId !== other.orderId) return false;
  if (event.type === 'OrderCancelled' || other.type === 'OrderCancelled') return true;
  if (event.shipDate !== other.shipDate) return false;
  if (event.type === 'OrderShipped' || other.type === 'OrderShipped') return true;
  return event.petId === other.petId && event.quantity === other.quantity;
}

function outcomeOf(told: Told | Expected): string {
  return told.kind === 'accepted' ? 'accepted' : `refused as ${told.reason}`;
}

function textOf(event: OrderEvent): string {
  return `${event.type} of order ${event.orderId}`;
}
