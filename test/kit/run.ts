import { allEnded } from './aggregate/closing.ts';
import { Client } from './client.ts';
import { byOrderId, checkList, checkPositions, RECORDED } from './comparing.ts';
import { absentId, type Program } from './program.ts';
import { eventsOf, listOf, type Session, violation } from './target.ts';
import { MAX_INT64, MIN_INT64, type Order } from './vocabulary.ts';

/**
 * The model: runs programs against a target and the oracle, and throws a {@link Violation} at the
 * first response that differs from the oracle's.
 */
export class Run {
  /** The number of steps run so far, without those that a target does not support. */
  steps = 0;
  readonly #session: Session;
  readonly #taken = new Set<bigint>();
  readonly #next = new Map<bigint, bigint>();
  readonly #clients: Client[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs programs concurrently, each on orders of its own, and checks the resulting store. */
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
        (id) => this.#claim(id),
      );
    });
    this.#clients.push(...clients);
    await allEnded(
      clients.map(async (client, index) => {
        const { steps, clients: turns } = programs[index] as Program;
        for (const [turn, step] of steps.entries()) {
          const done = await client.do(step, turns?.[turn] ?? 0);
          this.steps += done;
        }
      }),
    );
    await this.#lookAtEverything();
  }

  /** Runs one program. */
  alone(program: Program): Promise<void> {
    return this.together([program]);
  }

  async #leaveOthersAlone(): Promise<void> {
    if (!this.#session.isShared) return;
    for (const { id } of (await listOf(this.#session)) ?? []) this.#taken.add(id);
  }

  #claim(id: bigint): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  // A used id is moved by multiples of 4096, which keeps its low bits: those that rounding would
  // lose.
  #fresh(wanted: bigint): bigint {
    let id = this.#next.get(wanted) ?? wanted;
    while (this.#taken.has(id)) id = moved(id, wanted);
    this.#taken.add(id);
    this.#next.set(wanted, moved(id, wanted));
    return id;
  }

  async #lookAtEverything(): Promise<void> {
    const { isShared } = this.#session;
    const list = await listOf(this.#session);
    if (list !== undefined) {
      const expected = this.#clients.flatMap(({ oracle }) => oracle.list()).sort(byId);
      const ours = new Set(expected.map(({ id }) => id));
      checkList(isShared ? list.filter(({ id }) => ours.has(id)) : list, expected);
    }
    const recorded = await eventsOf(this.#session);
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
