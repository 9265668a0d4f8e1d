/** The operations on single orders. Both versions of the API have them; their orders differ. */
import type { CallOptions, ChangeOptions, CommandOptions } from './options.ts';
import type { Done, Id, NewOrder, OrderV1, Tagged, Time } from './shapes.ts';
import type { Transport } from './transport.ts';
import {
  conditionOf,
  doneIn,
  idText,
  newOrderJson,
  orderIn,
  taggedOrderIn,
  timeText,
} from './values.ts';

export class SingleOrders<Order extends OrderV1> {
  readonly #transport: Transport;
  readonly #version: 1 | 2;
  readonly #list: string;

  constructor(transport: Transport, version: 1 | 2) {
    this.#transport = transport;
    this.#version = version;
    this.#list = `/v${version}/store/orders`;
  }

  /** Places an order: exactly one, whatever happens to the connections in between. */
  async place(order: NewOrder, options?: CommandOptions): Promise<Tagged<Order>> {
    const body = newOrderJson(order, this.#version);
    const request = { method: 'POST', path: this.#list, body };
    const asked = { petId: idText(order.petId), quantity: order.quantity };
    return taggedOrderIn<Order>(await this.#transport.send(request, options), asked);
  }

  /** Returns an order. It shows every command that was answered before. */
  async get(id: Id, options?: CallOptions): Promise<Tagged<Order>> {
    const request = { method: 'GET', path: this.#path(id) };
    return taggedOrderIn<Order>(await this.#transport.send(request, options), { id: idText(id) });
  }

  /** Reports that an order has shipped, and when. The same report again changes nothing. */
  async ship(id: Id, shipDate: Time, options: ChangeOptions = {}): Promise<Order> {
    const path = `${this.#path(id)}/shipment`;
    const headers = conditionOf(options.ifMatch);
    const body = JSON.stringify({ shipDate: timeText(shipDate) });
    const request = { method: 'PUT', path, headers, body };
    return orderIn<Order>(await this.#transport.send(request, options), { id: idText(id) });
  }

  /** Cancels an order. To cancel a cancelled one again changes nothing. */
  async cancel(id: Id, options: ChangeOptions = {}): Promise<Done> {
    const headers = conditionOf(options.ifMatch);
    const request = { method: 'DELETE', path: this.#path(id), headers };
    return doneIn(await this.#transport.send(request, options));
  }

  #path(id: Id): string {
    return `${this.#list}/${idText(id)}`;
  }
}
