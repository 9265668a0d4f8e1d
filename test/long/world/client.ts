import type { Answer, Reason, Request, Row } from '../../kit/history/history.ts';
import { messageFor } from '../../kit/history/http-caller.ts';
import { FEW_DATES } from '../../kit/shrinking.ts';
import type { Message, Reply } from './http.ts';
import type { Instance } from './instance.ts';
import type { ClientScenario, Step } from './scenario.ts';
import type { World } from './world.ts';

/** A client that sends one request after another, and again if it has a key and gets no answer. */

const MAX_TRIES = 60;
const RETRY_AFTER_MS = 25;
const LOST_REPLY_PERCENT = 4;
const MAX_TRIP_MS = 1.5;

type SingleStep = Extract<Step, { do: 'place' | 'ship' | 'cancel' }>;

/** One request with its commands: one, or the items of a batch. */
interface Asked {
  readonly items: readonly Request[];
  readonly message: Message;
  readonly isKeyed: boolean;
  readonly words: string;
}

export class WorldClient {
  readonly #number: number;
  readonly #world: World;
  readonly #scenario: ClientScenario;
  readonly #key: string;

  constructor(number: number, world: World, scenario: ClientScenario, key: string) {
    this.#number = number;
    this.#world = world;
    this.#scenario = scenario;
    this.#key = key;
  }

  async run(): Promise<void> {
    const { time, random } = this.#world;
    for (const [index, step] of this.#scenario.steps.entries()) {
      await time.wait(random.below(1 + this.#scenario.thinkMs));
      await this.#do(step, index);
    }
  }

  /** Places orders until one is accepted. */
  async place(): Promise<void> {
    for (let index = 0; ; index++) {
      const [answer] = await this.#command(this.#asked(PLACE, index));
      if (answer?.kind === 'accepted') return;
      await this.#world.time.wait(RETRY_AFTER_MS);
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
    const about = isKeyed ? ' under a key' : '';
    const headers: Readonly<Record<string, string>> = {
      ...this.#authorization,
      ...(isKeyed && { 'idempotency-key': `key-${index}` }),
    };
    if (step.do === 'cancel several') {
      const ids = step.orders.map((order) => this.#world.orderOf(order));
      const body = JSON.stringify({ orderIds: ids.map(String), atomic: step.isAtomic });
      return {
        items: ids.map((id) => ({ kind: 'cancel', id })),
        message: { method: 'POST', path: '/v2/store/orders:batchCancel', headers, body },
        isKeyed,
        words: `cancels orders ${ids.join(', ')}${step.isAtomic ? ' as one' : ''}${about}`,
      };
    }
    const { item, words } = this.#single(step, index);
    const { path, ...rest } = messageFor(item);
    const message = { ...rest, path: `${ORDERS}${path}`, headers };
    return { items: [item], message, isKeyed, words: `${words}${about}` };
  }

  #single(step: SingleStep, index: number): { readonly item: Request; readonly words: string } {
    switch (step.do) {
      case 'place': {
        const petId = BigInt(1 + this.#number * 100 + index);
        const date = step.dated ? { shipDate: FEW_DATES[0] } : {};
        const item = { kind: 'place', petId, quantity: 1, ...date } as const;
        return { item, words: `places an order of pet ${petId}` };
      }
      case 'ship': {
        const id = this.#world.orderOf(step.order);
        const shipDate = FEW_DATES[step.date] as string;
        const words = `ships order ${id} on ${shipDate.slice(0, 10)}`;
        return { item: { kind: 'ship', id, shipDate }, words };
      }
      case 'cancel': {
        const id = this.#world.orderOf(step.order);
        return { item: { kind: 'cancel', id }, words: `cancels order ${id}` };
      }
    }
  }

  async #command(asked: Asked): Promise<readonly Answer[]> {
    this.#note(asked.words);
    let shared: Promise<readonly Answer[]> | undefined;
    const all = asked.items.map((item, index) =>
      this.#world.recorder.record(this.#number, item, async () => {
        shared ??= this.#answers(asked);
        return (await shared)[index] as Answer;
      }),
    );
    const answers = await Promise.all(all);
    for (const answer of answers) {
      const isPlaced = answer.kind === 'accepted' && asked.items[0]?.kind === 'place';
      if (isPlaced) this.#world.orders.push(answer.id);
      this.#note(`is told: ${inWords(answer)}`);
    }
    return answers;
  }

  /** Sends a request until it is answered, or once if it has no key. */
  async #answers(asked: Asked): Promise<readonly Answer[]> {
    const { time, random } = this.#world;
    let isInDoubt = false;
    for (let tries = 0; tries < (asked.isKeyed ? MAX_TRIES : 1); tries++) {
      if (tries > 0) {
        this.#world.happened('a request was sent again');
        await time.wait(RETRY_AFTER_MS);
      }
      // The copy may be carried out whatever the answer to the other is.
      const isTwice = asked.isKeyed && random.percent(this.#scenario.duplicatedPercent);
      isInDoubt ||= isTwice;
      const reply = await this.#send(asked.message, isTwice);
      if (reply?.status === 401) break;
      const answers = reply && answersIn(reply, asked.items);
      if (answers !== undefined) return answers;
      isInDoubt ||= reply === undefined || codeIn(reply) === 'outcome_unknown';
    }
    return asked.items.map(() => ({ kind: isInDoubt ? 'unknown' : 'untouched' }));
  }

  /** Resolves with the reply, or with undefined if there is none. */
  async #send(message: Message, isTwice: boolean): Promise<Reply | undefined> {
    const { time, random } = this.#world;
    if (isTwice) {
      this.#world.happened('a request arrived twice');
      time.after(random.below(50), () => void this.#deliver(message, this.#world.anyInstance()));
    }
    const reply = await this.#deliver(message, this.#world.anyInstance());
    return random.percent(LOST_REPLY_PERCENT) ? undefined : reply;
  }

  /** Resolves with undefined if the client gives up. */
  async #deliver(message: Message, instance: Instance): Promise<Reply | undefined> {
    await this.#trip();
    const sentMs = this.#world.time.nowMs;
    const sent = instance.send(message);
    if (sent === undefined) return UNREACHABLE;
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const timer = this.#world.time.after(this.#scenario.patienceMs, () => {
      sent.cut();
      resolve(undefined);
    });
    sent.reply.then((reply) => {
      timer.cancel();
      this.#world.replied(this.#key, reply, sentMs);
      resolve(reply);
    });
    const reply = await promise;
    await this.#trip();
    return reply;
  }

  async #read(request: Request, instance: Instance): Promise<Answer> {
    const answer = await this.#world.recorder.record(this.#number, request, async () => {
      const path = request.kind === 'get' ? `/v2/store/orders/${request.id}` : ORDERS;
      const message = { method: 'GET', path, headers: this.#authorization };
      const reply = await this.#deliver(message, instance);
      if (reply?.status === 200) return shownIn(reply, request.kind === 'get');
      if (reply?.status === 404) return { kind: 'refused', reason: 'order_not_found' };
      return { kind: 'untouched' };
    });
    const about = request.kind === 'get' ? `order ${request.id}` : 'the list';
    this.#note(`reads ${about} from instance ${instance.number}: ${inWords(answer)}`);
    return answer;
  }

  get #authorization() {
    return { authorization: `Bearer ${this.#key}` };
  }

  #trip(): Promise<void> {
    return this.#world.time.wait((this.#world.random.below(100) / 100) * MAX_TRIP_MS);
  }

  #note(words: string): void {
    this.#world.note(`client ${this.#number} ${words}`);
  }
}

const PLACE = { do: 'place', isKeyed: false, dated: false } as const;
const ORDERS = '/v1/store/orders';
const UNREACHABLE: Reply = { status: 503, body: { code: 'service_unavailable' } };

/** Returns the answers to the items of a request; undefined if nothing was decided. */
function answersIn(reply: Reply, items: readonly Request[]): readonly Answer[] | undefined {
  const { status, body } = reply;
  if (status === 503) return undefined;
  const { results, id } = Object(body);
  if (Array.isArray(results)) return results.map((each, index) => itemAnswer(each, items[index]));
  const [item] = items as [Request];
  if (status === 201) return [{ kind: 'accepted', id: BigInt(id) }];
  if ((status === 200 || status === 204) && 'id' in item) {
    return [{ kind: 'accepted', id: item.id as bigint }];
  }
  return [refusal(status, codeIn(reply))];
}

function itemAnswer(result: unknown, item: Request | undefined): Answer {
  const { status, code } = Object(result);
  if (status === 204n && item?.kind === 'cancel') return { kind: 'accepted', id: item.id };
  return code === 'batch_refused' ? { kind: 'untouched' } : refusal(Number(status), code);
}

function refusal(status: number, code: string): Answer {
  const isReason = REASONS.includes(code);
  if (isReason) return { kind: 'refused', reason: code as Reason };
  return { kind: 'unexpected', words: `${status} ${code}` };
}

// Clients choose no ids, so no order can exist already.
const REASONS: readonly string[] = ['order_not_found', 'order_already_shipped', 'order_cancelled'];

function codeIn({ body }: Reply): string {
  return Object(body).code;
}

function shownIn({ body }: Reply, isOne: boolean): Answer {
  if (isOne) return { kind: 'shown', order: rowOf(body) };
  return { kind: 'listed', orders: (body as unknown[]).map(rowOf) };
}

/** Version 1 has no status. */
function rowOf(shown: unknown): Row {
  const { id, petId, quantity, shipDate, complete, status } = shown as Row;
  const date = shipDate === undefined ? {} : { shipDate };
  const state = status === undefined ? {} : { status };
  const of = { id: BigInt(id), petId: BigInt(petId), quantity: Number(quantity) };
  return { ...of, ...date, complete, ...state };
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

function asText({ id, petId, status, complete, shipDate }: Row): string {
  const date = shipDate === undefined ? '' : ` on ${shipDate.slice(0, 10)}`;
  const state = status ?? (complete ? 'shipped' : 'not shipped');
  return `${id} of pet ${petId}, ${state}${date}`;
}
