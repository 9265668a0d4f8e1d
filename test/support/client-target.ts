import type { Order, OrderV1, StoreOrders } from '../../src/client/client.ts';
import { StoreOrdersError } from '../../src/client/client.ts';
import type { Recorded, Session, Told } from '../kit/target.ts';
import type { Command, OrderEvent, Order as ShownOrder } from '../kit/vocabulary.ts';

/** The operations that versions 1 and 2 of the client have in common. */
type Orders = Pick<StoreOrders, 'place' | 'get' | 'ship' | 'cancel'> | StoreOrders['v1'];

/** Returns the client as a session of the kit, by its operations of a version. */
export function clientSession(store: StoreOrders, version: 1 | 2): Session {
  const orders: Orders = version === 1 ? store.v1 : store;
  return {
    choosesIds: true,
    isShared: true,
    async list() {
      const all = version === 1 ? await store.v1.list() : await Array.fromAsync(store.list());
      return all.map(shown);
    },
    async get(id) {
      const got = await orders.get(id).catch(toCode);
      return typeof got === 'string' ? undefined : shown(got);
    },
    async events() {
      return (await Array.fromAsync(store.events.list({ limit: 1_000 }))).map(recorded);
    },
    async perform(command): Promise<Told> {
      const done = await perform(orders, command).catch(toCode);
      return typeof done === 'string' ? { kind: 'rejected', reason: done } : done;
    },
  };
}

async function perform(orders: Orders, command: Command): Promise<Told> {
  const { orderId } = command;
  switch (command.type) {
    case 'PlaceOrder': {
      const { petId, quantity, shipDate } = command;
      const order = shown(await orders.place({ petId, quantity, shipDate }));
      return { kind: 'accepted', orderId: order.id, order };
    }
    case 'ShipOrder':
      return { kind: 'accepted', order: shown(await orders.ship(orderId, command.shipDate)) };
    case 'CancelOrder':
      await orders.cancel(orderId);
      return { kind: 'accepted' };
  }
}

/** Returns the code of a refusal by the state machine. Throws any other error. */
function toCode(error: unknown): string {
  if (!(error instanceof StoreOrdersError)) throw error;
  switch (error.code) {
    case 'order_not_found':
    case 'order_already_shipped':
    case 'order_cancelled':
      return error.code;
    default:
      throw error;
  }
}

/** Returns an order as the contract shows it. */
function shown({ id, petId, quantity, shipDate, complete }: Order | OrderV1): ShownOrder {
  const date = shipDate === undefined ? {} : { shipDate };
  return { id: BigInt(id), petId: BigInt(petId), quantity, ...date, complete };
}

type ClientEvent = Awaited<ReturnType<StoreOrders['events']['of']>>[number];

function recorded({ position, version, type, data }: ClientEvent): Recorded {
  const pet = 'petId' in data ? { petId: BigInt(data.petId) } : {};
  const event = { ...data, ...pet, type, orderId: BigInt(data.orderId) };
  return { position, version, event: event as OrderEvent };
}
