import type { Submission } from '../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../src/app/ports/batch-writer.ts';
import type { AppendResult, EventLog } from '../../../src/app/ports/event-log.ts';
import { ReadModel } from '../../../src/app/read/read-model.ts';
import { OrderList, type OrderView } from '../../../src/app/state/order-list.ts';
import { CommandProcessor } from '../../../src/app/write/command-processor.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { Rejection } from '../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import type { Answer, Request, Row } from '../../kit/history/history.ts';
import { PATIENT } from '../../support/patience.ts';

/** The application without HTTP, on a log in memory that takes as long as somebody decides. */

/** Resolves when whoever decides the interleaving lets it. */
export type Pause = (what: string) => Promise<void>;

type Orders = Pick<OrderList<readonly Row[]>, 'get' | 'encoded'>;

/** The parts that answer requests. */
export interface Parts {
  readonly commands: Pick<CommandProcessor, 'submit'>;
  readonly readModel: { current(): Promise<Orders> };
}

/** The ground that all parts are built on, sound or broken. */
export interface Ground {
  readonly log: EventLog;
  readonly writer: BatchWriter;
  readonly list: OrderList<readonly Row[]>;
  readonly pause: Pause;
}

export async function ground(pause: Pause): Promise<Ground> {
  const log = new PausingLog(pause);
  return { log, writer: await Writer.open(log, () => 0), list: new OrderList(rowsOf), pause };
}

/** The parts as the container puts them together. */
export function asTheyAre({ log, writer, list }: Ground): Parts {
  const commands = new CommandProcessor(writer, () => undefined, { limits: PATIENT });
  return { commands, readModel: new ReadModel(log, list) };
}

/** Does what the operations of version 1 do. */
export async function answer(parts: Parts, request: Request): Promise<Answer> {
  if (request.kind === 'list') {
    const list = await parts.readModel.current();
    return { kind: 'listed', orders: list.encoded().chunks.flat() };
  }
  if (request.kind === 'get') {
    const order = (await parts.readModel.current()).get(request.id as OrderId);
    if (order === undefined) return { kind: 'refused', reason: 'order_not_found' };
    return { kind: 'shown', order: { ...rowOf(order), status: order.status } };
  }
  const submission = { command: commandFor(request), by: 'test', commandId: 'test' };
  const outcome = await parts.commands.submit(submission);
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', id: outcome.orderId };
    case 'rejected':
      // No key and no condition was sent, so it is the order's state that forbids it.
      return { kind: 'refused', reason: outcome.reason as Rejection };
    case 'unavailable':
      return { kind: 'untouched' };
    case 'unknown':
      return { kind: 'unknown' };
  }
}

function commandFor(request: Exclude<Request, { kind: 'get' | 'list' }>): Submission['command'] {
  switch (request.kind) {
    case 'place': {
      const { id, petId, quantity, shipDate } = request;
      const date = shipDate === undefined ? {} : { shipDate: shipDate as Instant };
      const order = { petId: petId as PetId, quantity, ...date };
      if (id === undefined) return { type: 'PlaceNewOrder', ...order };
      return { type: 'PlaceOrder', orderId: id as OrderId, ...order };
    }
    case 'ship': {
      const { id, shipDate } = request;
      return { type: 'ShipOrder', orderId: id as OrderId, shipDate: shipDate as Instant };
    }
    case 'cancel':
      return { type: 'CancelOrder', orderId: request.id as OrderId };
  }
}

// As version 1 shows it. A page is encoded anew only when this changes.
function rowsOf(orders: readonly OrderView[]): readonly Row[] {
  return orders.map(rowOf);
}

function rowOf({ id, petId, quantity, shipDate, status }: OrderView): Row {
  const date = shipDate === undefined ? {} : { shipDate };
  return { id, petId, quantity, ...date, complete: status === 'shipped' };
}

/** A log that pauses wherever an engine may take its time. */
class PausingLog extends MemoryEventLog {
  readonly #pause: Pause;

  constructor(pause: Pause) {
    super();
    this.#pause = pause;
  }

  override async *read(after: number): ReturnType<EventLog['read']> {
    for await (const events of super.read(after)) {
      yield events;
      await this.#pause('the rest is read');
    }
  }

  override async append(
    ...[seen, decide, asked]: Parameters<MemoryEventLog['append']>
  ): Promise<AppendResult> {
    await this.#pause('the lock is taken');
    const result = await super.append(seen, decide, asked);
    await this.#pause('it is durable');
    return result;
  }

  override async head(): Promise<number> {
    const head = await super.head();
    await this.#pause('the head is known');
    return head;
  }
}
