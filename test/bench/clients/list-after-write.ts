import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { idAt } from '../id-sequence.ts';

/**
 * Lists all orders repeatedly: without a change since the last list, right after a cancellation,
 * right after a shipment. Prints the time to the last byte of each list, in milliseconds.
 */

export interface ListAfterWriteOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The ids to cancel or ship: two for each repetition. */
  readonly ids: { readonly first: number; readonly step: number; readonly size: number };
  readonly repetitions: number;
  readonly shipDate: string;
}

export interface ListAfterWriteSeen {
  readonly unchanged: readonly number[];
  readonly afterCancel: readonly number[];
  readonly afterShip: readonly number[];
  readonly cancelled: readonly number[];
}

const order = JSON.parse(process.argv[2] as string) as ListAfterWriteOrder;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const unchanged: number[] = [];
const afterCancel: number[] = [];
const afterShip: number[] = [];
const cancelled: number[] = [];
let given = order.ids.first;

for (let n = 0; n < order.repetitions; n++) {
  await list();
  unchanged.push(await list());
  const id = nextId();
  await ask('DELETE', `/${id}`);
  cancelled.push(id);
  afterCancel.push(await list());
  await ask('PUT', `/${nextId()}/shipment`, JSON.stringify({ shipDate: order.shipDate }));
  afterShip.push(await list());
}
agent.destroy();
const seen: ListAfterWriteSeen = { unchanged, afterCancel, afterShip, cancelled };
process.stdout.write(JSON.stringify(seen));

function nextId(): number {
  const id = idAt(given, order.ids);
  given += 1;
  return id;
}

async function list(): Promise<number> {
  const begun = performance.now();
  await ask('GET', '');
  return performance.now() - begun;
}

async function ask(method: string, path: string, body?: string): Promise<void> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...order.headers, ...type };
  const asked = request(`${order.url}${path}`, { method, agent, headers }).end(body);
  const [res] = await once(asked, 'response');
  res.resume();
  await once(res, 'end');
  if (res.statusCode >= 400) throw new Error(`${method} was answered with ${res.statusCode}`);
}
