import { pathToFileURL } from 'node:url';
import { type Engine, findEmmett } from '../emmett.ts';

/**
 * Orders on Emmett's event store, used as in its documentation: a command handler that reads the
 * order's stream, folds it, decides, and appends the new events.
 */

interface OrderEvent {
  readonly type: 'OrderPlaced' | 'OrderShipped' | 'OrderCancelled';
  readonly data: object;
}
type Status = 'none' | OrderEvent['type'];
type Handle = (
  store: object,
  stream: string,
  decide: (status: Status) => OrderEvent | readonly OrderEvent[],
) => Promise<unknown>;
interface Emmett {
  CommandHandler(options: {
    evolve(status: Status, event: OrderEvent): Status;
    initialState(): Status;
  }): Handle;
}

/**
 * Opens a store and places order 1 in it.
 * @param open Creates the store with the exports of its engine's package.
 * @returns A function that cancels an order, and returns the status of the response.
 */
export async function emmettOrders<Package>(
  folder: string,
  engine: Engine,
  open: (its: Package) => object,
): Promise<(id: string) => Promise<number>> {
  const [core, its] = (await Promise.all(
    findEmmett(folder, engine).map((module) => import(pathToFileURL(module).href)),
  )) as [Emmett, Package];
  const store = open(its);
  const handle = core.CommandHandler({
    evolve: (_status, { type }) => type,
    initialState: () => 'none',
  });
  await handle(store, 'order-1', () => ({ type: 'OrderPlaced', data: { petId: 7, quantity: 1 } }));
  return async (id) => {
    let answer = 204;
    await handle(store, `order-${id}`, (status) => {
      if (status === 'OrderPlaced') return { type: 'OrderCancelled', data: {} };
      if (status !== 'OrderCancelled') answer = status === 'none' ? 404 : 409;
      return [];
    });
    return answer;
  };
}

/** The columns of a copy of order 1's rows, and their values, for every number `n.id`. */
export function columnsOfCopy(columns: readonly string[], table: 'emt_streams' | 'emt_messages') {
  const id = "'order-' || n.id";
  const changed: Readonly<Record<string, string>> =
    table === 'emt_streams'
      ? { stream_id: id }
      : { stream_id: id, message_id: id, global_position: 'n.id' };
  return {
    names: columns.map((name) => `"${name}"`).join(', '),
    values: columns.map((name) => changed[name] ?? `first."${name}"`).join(', '),
  };
}

export const TABLES = ['emt_streams', 'emt_messages'] as const;
