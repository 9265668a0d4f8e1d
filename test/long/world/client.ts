import type { Outcome, Submission } from '../../../src/app/log/submission.ts';
import type { OrderView } from '../../../src/app/state/order-list.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import type { Answer, Reason, Request, Row } from '../../kit/history/history.ts';
import { FEW_DATES } from '../../kit/shrinking.ts';
import type { Instance } from './instance.ts';
import type { ClientScenario, Step } from './scenario.ts';
import type { World } from './world.ts';

/** A client that sends one request after another, and again if it has a key and gets no answer. */

const MAX_TRIES = 60;
const RETRY_AFTER_MS = 25;
const LOST_REPLY_PERCENT = 4;
const MAX_TRIP_MS = 1.5;

const UNREACHABLE: Outcome = { kind: 'unavailable', cause: 'no instance' };

/** The commands of one request, with the texts of the trace. */
interface Asked {
  readonly items: readonly Request[];
  readonly submissions: readonly Submission[];
  readonly words: string;
}

export class WorldClient {
  readonly #number: number;
  readonly #world: World;
  readonly #scenario: ClientScenario;

  constructor(number: number, world: World, scenario: ClientScenario) {
    this.#number = number;
    this.#world = world;
    this.#scenario = scenario;
  }

  async run(): Promise<void> {
    const { time, random } = this.#world;
    for (const [index, step] of this.#scenario.steps.entries()) {
      await time.wait(random.below(1 + this.#scenario.thinkMs));
      await this.#do(step, index);
    }
  }

  /** Reads the list from one instance. */
  list(instance: Instance): Promise<Answer> {
    return this.#read({ kind: 'list' }, instance);
  }

  #do(step: Step, index: number): Promise<unknown> {
    const instance = this.#world.anyInstance();
    switch (step.do) {
      case 'list':
        return this.#read({ kind: 'list' }, instance);
      case 'get':
        return this.#read({ kind: 'get', id: this.#world.orderOf(step.order) }, instance);
      default:
        return this.#command(this.#asked(step, index));
    }
  }

  #asked(step: Exclude<Step, { do: 'list' | 'get' }>, index: number): Asked {
    const isKeyed = step.isKeyed && this.#world.hasKeys(this.#number);
    const shared = {
      by: `client-${this.#number}`,
      commandId: `${this.#number}-${index}`,
      ...(isKeyed && { idempotencyKey: `key-${index}` }),
    };
    const keyed = isKeyed ? ' under a key' : '';
    switch (step.do) {
      case 'place': {
        const petId = BigInt(1 + this.#number * 100 + index);
        const date = step.dated ? { shipDate: FEW_DATES[0] as Instant } : {};
        const command = {
          type: 'PlaceNewOrder',
          petId: petId as PetId,
          quantity: 1,
          ...date,
        } as const;
        const item: Request = { kind: 'place', petId, quantity: 1, ...date };
        const words = `places an order of pet ${petId}${keyed}`;
        return { items: [item], submissions: [{ ...shared, command }], words };
      }
      case 'ship': {
        const id = this.#world.orderOf(step.order);
        const shipDate = FEW_DATES[step.date] as Instant;
        const command = { type: 'ShipOrder', orderId: id as OrderId, shipDate } as const;
        const words = `ships order ${id} on ${shipDate.slice(0, 10)}${keyed}`;
        return {
          items: [{ kind: 'ship', id, shipDate }],
          submissions: [{ ...shared, command }],
          words,
        };
      }
      case 'cancel': {
        const id = this.#world.orderOf(step.order);
        const command = { type: 'CancelOrder', orderId: id as OrderId } as const;
        const words = `cancels order ${id}${keyed}`;
        return { items: [{ kind: 'cancel', id }], submissions: [{ ...shared, command }], words };
      }
      case 'cancel several': {
        const ids = step.orders.map((order) => this.#world.orderOf(order));
        const commands = ids.map(
          (id) => ({ type: 'CancelOrder', orderId: id as OrderId }) as const,
        );
        const group = {
          size: ids.length,
          isAtomic: step.isAtomic,
          ends: '0'.repeat(16 * ids.length),
        };
        const { by, commandId } = shared;
        const submissions = commands.map((command, item) =>
          item === 0 ? { ...shared, command, group } : { command, by, commandId },
        );
        const words = `cancels orders ${ids.join(', ')}${step.isAtomic ? ' as one' : ''}${keyed}`;
        return { items: ids.map((id) => ({ kind: 'cancel', id })), submissions, words };
      }
    }
  }

  async #command({ items, submissions, words }: Asked): Promise<void> {
    this.#note(words);
    let shared: Promise<readonly Answer[]> | undefined;
    const all = items.map((item, index) =>
      this.#world.recorder.record(this.#number, item, async () => {
        shared ??= this.#answers(submissions);
        return (await shared)[index] as Answer;
      }),
    );
    for (const answer of await Promise.all(all)) {
      const isPlaced = answer.kind === 'accepted' && items[0]?.kind === 'place';
      if (isPlaced) this.#world.orders.push(answer.id);
      this.#note(`is told: ${inWords(answer)}`);
    }
  }

  /** Sends a request until it is answered, or once if it has no key. */
  async #answers(submissions: readonly Submission[]): Promise<readonly Answer[]> {
    const { time } = this.#world;
    const isKeyed = submissions[0]?.idempotencyKey !== undefined;
    let isInDoubt = false;
    for (let tries = 0; tries < (isKeyed ? MAX_TRIES : 1); tries++) {
      if (tries > 0) {
        this.#world.happened('a request was sent again');
        await time.wait(RETRY_AFTER_MS);
      }
      const outcomes = await this.#send(submissions);
      const [first] = outcomes ?? [];
      if (first?.kind === 'accepted' || first?.kind === 'rejected') {
        return (outcomes ?? []).map((outcome) => this.#answerOf(outcome));
      }
      isInDoubt ||= first?.kind !== 'unavailable';
    }
    return submissions.map(() => ({ kind: isInDoubt ? 'unknown' : 'untouched' }));
  }

  /** Resolves with the outcomes, or with undefined if there is no answer. */
  async #send(submissions: readonly Submission[]): Promise<readonly Outcome[] | undefined> {
    const { time, random } = this.#world;
    const isKeyed = submissions[0]?.idempotencyKey !== undefined;
    if (isKeyed && random.percent(this.#scenario.duplicatedPercent)) {
      this.#world.happened('a request arrived twice');
      time.after(random.below(50), () => void this.#deliver(submissions, { isGone: false }));
    }
    const client = { isGone: false };
    const delivered = this.#deliver(submissions, client);
    const outcomes = await this.#inTime(delivered);
    if (outcomes === undefined) client.isGone = true;
    return random.percent(LOST_REPLY_PERCENT) ? undefined : outcomes;
  }

  async #deliver(
    submissions: readonly Submission[],
    client: { readonly isGone: boolean },
  ): Promise<readonly Outcome[]> {
    await this.#trip();
    const outcomes = await this.#world.anyInstance().submit(submissions, client);
    if (outcomes === undefined) return submissions.map(() => UNREACHABLE);
    this.#world.answered(submissions, outcomes);
    await this.#trip();
    return outcomes;
  }

  #inTime<Result>(result: Promise<Result>): Promise<Result | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
    const timer = this.#world.time.after(this.#scenario.patienceMs, () => resolve(undefined));
    result.then(resolve, reject).finally(() => timer.cancel());
    return promise;
  }

  async #read(request: Request, instance: Instance): Promise<Answer> {
    const answer = await this.#world.recorder.record(this.#number, request, async () => {
      await this.#trip();
      const list = await this.#inTime(Promise.resolve(instance.list())).catch((error) =>
        this.#world.expected(error),
      );
      if (list === undefined) return { kind: 'untouched' };
      if (request.kind === 'get') {
        const order = list.get(request.id as OrderId);
        if (order === undefined) return { kind: 'refused', reason: 'order_not_found' };
        return { kind: 'shown', order: rowOf(order) };
      }
      return { kind: 'listed', orders: list.snapshot().chunks.flat().map(rowOf) };
    });
    const about = request.kind === 'get' ? `order ${request.id}` : 'the list';
    this.#note(`reads ${about} from instance ${instance.number}: ${inWords(answer)}`);
    return answer;
  }

  #answerOf(outcome: Outcome): Answer {
    if (outcome.kind === 'accepted') return { kind: 'accepted', id: outcome.orderId };
    if (outcome.kind !== 'rejected') return { kind: 'untouched' };
    if (outcome.reason === 'batch_refused') return { kind: 'untouched' };
    // Clients choose no ids, so no order can exist already.
    const isReason = outcome.reason.startsWith('order_') && outcome.reason !== 'order_exists';
    if (isReason) return { kind: 'refused', reason: outcome.reason as Reason };
    return { kind: 'unexpected', words: outcome.reason };
  }

  #trip(): Promise<void> {
    return this.#world.time.wait((this.#world.random.below(100) / 100) * MAX_TRIP_MS);
  }

  #note(words: string): void {
    this.#world.note(`client ${this.#number} ${words}`);
  }
}

function rowOf({ id, petId, quantity, shipDate, status }: OrderView): Row {
  const date = shipDate === undefined ? {} : { shipDate };
  return { id, petId, quantity, ...date, complete: status === 'shipped', status };
}

function inWords(answer: Answer): string {
  switch (answer.kind) {
    case 'accepted':
      return `accepted, order ${answer.id}`;
    case 'shown':
      return asText(answer.order);
    case 'listed':
      return answer.orders.length === 0 ? 'no orders' : answer.orders.map(asText).join(', ');
    case 'refused':
      return answer.reason;
    case 'untouched':
      return 'nothing was done';
    case 'unknown':
      return 'no answer';
    case 'unexpected':
      return answer.words;
  }
}

function asText({ id, petId, status, shipDate }: Row): string {
  const date = shipDate === undefined ? '' : ` on ${shipDate.slice(0, 10)}`;
  return `${id} of pet ${petId} ${status}${date}`;
}
