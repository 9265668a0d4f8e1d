import type { ItfTrace } from '../aggregate/itf.ts';
import { exactJson } from '../history/exact-json.ts';
import { letterOf } from '../program.ts';
import { Violation } from '../target.ts';
import { type Answer, type ApiClient, idIn } from '../targets/api-client.ts';
import { checkError, listIn, told, toldApart } from '../targets/orders-api.ts';
import { SHELL_FUNCTIONS } from '../targets/trace.ts';
import type { Order } from '../vocabulary.ts';
import {
  ABSENT,
  type Decided,
  type Happening,
  happeningsOf,
  type SpecCommand,
  type SpecOutcome,
  type SpecRequest,
  type SpecRow,
} from './orders-trace.ts';
import { PLACED } from './programs.ts';

/** Sends the requests of a trace of orders.qnt to servers, and compares every answer with the trace's. */

export const TRACE_RULES = {
  answer: 'every answer is that of the specification',
  repeat: 'a request that is sent again under its key gets its first answer',
  list: 'the list is that of the specification',
} as const;

/** Version 2, which has the batches, from a base URL that ends in `/v1`. */
export const V2 = '/../v2';

const STATUSES = {
  order_not_found: 404,
  order_already_shipped: 409,
  order_cancelled: 409,
  batch_refused: 409,
} as const;

export interface ReplayOptions {
  /** Returns the client of an instance, 1 or 2; its base URL ends in `/v1`. */
  clientOf(instance: number): ApiClient;
  /** Kills an instance and starts another one in its place; absent if that is not possible. */
  crash?(instance: number): Promise<void>;
  /** An id that no order has. */
  readonly absentId: bigint;
  /** A text that no earlier Idempotency-Key begins with. */
  readonly keyPrefix: string;
}

/**
 * Replays a trace, one request after the other, in the order in which they were decided. Answers that
 * the trace loses are compared as well. Throws a {@link Violation} at the first difference, with a script.
 */
export async function replayTrace(trace: ItfTrace, options: ReplayOptions): Promise<void> {
  const replay = new Replay(options);
  for (const happening of happeningsOf(trace)) await replay.perform(happening);
}

/** A request as it is sent. */
interface Message {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** The same request as a line for a shell. */
  readonly line: string;
}

class Replay {
  readonly #options: ReplayOptions;
  /** The ids of orders, by their numbers in the trace. */
  readonly #ids = new Map<number, bigint>();
  /** The messages and first answers of requests with a key, by number. */
  readonly #kept = new Map<number, readonly [Message, Answer]>();
  readonly #lines: string[] = [];

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  async perform(happening: Happening): Promise<void> {
    const { kind, instance } = happening;
    switch (kind) {
      case 'decided':
        for (const each of happening.requests) await this.#send(each, instance);
        return;
      case 'listed':
        await this.#list(happening.rows, instance);
        return;
      case 'crashed':
        if (this.#options.crash === undefined) return;
        this.#lines.push(`# (end instance ${instance} with kill -9, and start it again)`);
        await this.#options.crash(instance);
        return;
    }
  }

  async #send(decided: Decided, instance: number): Promise<void> {
    const { request, isRepeat } = decided;
    const key = `${this.#options.keyPrefix}-${request.number}`;
    const [message, first] = this.#kept.get(request.number) ?? [this.#messageOf(request)];
    this.#lines.push(`# ${isRepeat ? 'the same request again: ' : ''}due: ${dueOf(decided)}`);
    this.#lines.push(message.line);
    const answer = await this.#options.clientOf(instance).ask(message.method, message.path, {
      ...(message.body !== undefined && { body: message.body }),
      ...(request.hasKey && { headers: { 'idempotency-key': key } }),
    });
    if (first === undefined) this.#check(decided, answer);
    else if (answer.status !== first.status || answer.text !== first.text) {
      const [before, now] = toldApart(first, answer);
      this.#fail(TRACE_RULES.repeat, `it was ${before}, and is ${now}`);
    }
    if (request.hasKey) this.#kept.set(request.number, [message, first ?? answer]);
  }

  #check(decided: Decided, answer: Answer): void {
    const [outcome, ...others] = decided.outcomes;
    try {
      if (others.length > 0) this.#checkItems(decided, answer);
      else
        this.#checkOne(decided.request.commands[0] as SpecCommand, outcome as SpecOutcome, answer);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#fail(TRACE_RULES.answer, `due is ${dueOf(decided)}: ${error.message}`);
    }
  }

  #checkOne(command: SpecCommand, outcome: SpecOutcome, answer: Answer): void {
    if (outcome.kind === 'refused') {
      checkError(answer, STATUSES[outcome.code], outcome.code);
      if (!answer.text.includes(outcome.code)) throw new Violation('', told(answer));
      return;
    }
    if (answer.status !== statusOf(command)) throw new Violation('', told(answer));
    if (command.do === 'place') this.#note(outcome.order, idIn(answer), answer);
  }

  #checkItems({ request, outcomes }: Decided, answer: Answer): void {
    const isRefused = request.isAtomic && outcomes.some(({ kind }) => kind === 'refused');
    if (isRefused) checkError(answer, STATUSES.batch_refused, 'batch_refused');
    else if (answer.status !== 200) throw new Violation('', told(answer));
    const { results } = Object(exactJson(answer.text));
    for (const [index, outcome] of outcomes.entries()) {
      const { status, code, orderId } = Object(results?.[index]);
      const command = request.commands[index] as SpecCommand;
      const isDone = outcome.kind === 'done';
      const due = isDone ? statusOf(command) : STATUSES[outcome.code];
      const isSame = Number(status) === due && (isDone || code === outcome.code);
      if (!isSame) throw new Violation('', `item ${index + 1} of ${told(answer)}`);
      if (isDone && command.do === 'place') this.#note(outcome.order, BigInt(orderId), answer);
    }
  }

  #note(order: number, id: bigint | undefined, answer: Answer): void {
    const isNew = id !== undefined && ![...this.#ids.values()].includes(id);
    if (!isNew) throw new Violation('', `the id of a new order in ${told(answer)}`);
    this.#ids.set(order, id);
  }

  async #list(rows: readonly SpecRow[], instance: number): Promise<void> {
    this.#lines.push(LIST);
    const list = listIn(await this.#options.clientOf(instance).ask('GET', '/store/orders'));
    const own = new Set(this.#ids.values());
    const shown = list.filter(({ id }) => own.has(id)).map(asRow);
    const due = rows.map(({ order, shipDate }) =>
      asRow({ id: this.#idOf(order), ...shippedOn(shipDate) }),
    );
    const [missing] = due.filter((row) => !shown.includes(row));
    if (missing !== undefined) this.#fail(TRACE_RULES.list, `due is ${missing}`);
    if (shown.length !== due.length) {
      this.#fail(
        TRACE_RULES.list,
        `it shows ${shown.length} of the trace's orders, not ${due.length}`,
      );
    }
  }

  #messageOf(request: SpecRequest): Message {
    const { commands, isAtomic } = request;
    const [first, ...others] = commands;
    if (others.length === 0) return this.#single(first as SpecCommand, request);
    const atomic = isAtomic ? ',"atomic":true' : '';
    const header = headerInShell(request);
    if (first?.do === 'place') {
      const item = `{"petId":"${PLACED.petId}","quantity":${PLACED.quantity}}`;
      const body = `{"orders":[${commands.map(() => item).join()}]${atomic}}`;
      const path = `${V2}/store/orders:batchPlace`;
      const line = `all=$(orders "$BASE${path}"${header} -d '${body}'); echo "$all"`;
      return {
        method: 'POST',
        path,
        body,
        line: [line, ...this.#nextLetters(commands)].join('\n'),
      };
    }
    const orders = commands.map((command) => (command.do === 'place' ? ABSENT : command.order));
    const bodyWith = (idOf: (order: number) => unknown) =>
      `{"orderIds":[${orders.map((order) => `"${idOf(order)}"`).join()}]${atomic}}`;
    const path = `${V2}/store/orders:batchCancel`;
    const body = bodyWith((order) => this.#idOf(order));
    const shell = bodyWith((order) => `'${this.#inShell(order)}'`);
    return { method: 'POST', path, body, line: `orders -i "$BASE${path}"${header} -d '${shell}'` };
  }

  #single(command: SpecCommand, request: SpecRequest): Message {
    const header = headerInShell(request);
    if (command.do === 'place') {
      const body = `{"petId":${PLACED.petId},"quantity":${PLACED.quantity}}`;
      const letter = letterOf(this.#ids.size);
      const line = `${letter}=$(placed '${body}'${header}); echo "$${letter}"`;
      return { method: 'POST', path: '/store/orders', body, line };
    }
    const path = `/store/orders/${this.#idOf(command.order)}`;
    const url = `"$BASE/store/orders/"${this.#inShell(command.order)}`;
    if (command.do === 'cancel') {
      return { method: 'DELETE', path, line: `orders -i -X DELETE ${url}${header}` };
    }
    const body = `{"shipDate":"${command.shipDate}"}`;
    const line = `orders -i -X PUT ${url}/shipment${header} -d '${body}'`;
    return { method: 'PUT', path: `${path}/shipment`, body, line };
  }

  #nextLetters(commands: readonly SpecCommand[]): readonly string[] {
    return commands.map((_, index) => {
      return `${letterOf(this.#ids.size + index)}=$(nth ${index + 1} "$all")`;
    });
  }

  #idOf(order: number): bigint {
    return this.#ids.get(order) ?? this.#options.absentId;
  }

  #inShell(order: number): string {
    return this.#ids.has(order) ? `"$${letterOf(order - 1)}"` : `"${this.#options.absentId}"`;
  }

  #fail(rule: string, detail: string): never {
    throw new Violation(
      rule,
      detail,
      `${[...SHELL_FUNCTIONS, ...MORE_FUNCTIONS, ...this.#lines].join('\n')}\n`,
    );
  }
}

const MORE_FUNCTIONS = [
  'nth() { echo "$2" | grep -o \'"orderId" *: *"[^"]*"\' | sed -n "$1p" | tr -dc 0-9-; }',
  'RUN=$(date +%s)-$$',
] as const;

const LIST = 'orders "$BASE/store/orders"';

function headerInShell({ hasKey, number }: SpecRequest): string {
  return hasKey ? ` -H "Idempotency-Key: $RUN-${number}"` : '';
}

function statusOf(command: SpecCommand): number {
  return { place: 201, ship: 200, cancel: 204 }[command.do];
}

/** Returns the due outcomes in words. */
function dueOf({ request, outcomes }: Decided): string {
  return outcomes
    .map((outcome, index) => {
      if (outcome.kind === 'refused') return outcome.code;
      return `${statusOf(request.commands[index] as SpecCommand)}`;
    })
    .join(', ');
}

function shippedOn(shipDate: string | undefined): Pick<Order, 'complete' | 'shipDate'> {
  return shipDate === undefined ? { complete: false } : { complete: true, shipDate };
}

/** Returns an order's id, and the date of its shipment, as text. */
function asRow({ id, complete, shipDate }: Pick<Order, 'id' | 'complete' | 'shipDate'>): string {
  return complete ? `order ${id}, shipped on ${shipDate}` : `order ${id}, not shipped`;
}
