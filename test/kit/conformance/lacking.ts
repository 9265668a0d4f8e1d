import { FEW_DATES } from '../arbitraries.ts';
import { V2 } from '../spec/replay.ts';
import { Violation } from '../target.ts';
import type { Answer } from '../targets/api-client.ts';
import type { Adapter, OrdersApi } from '../targets/orders-api.ts';
import type { ConformanceOptions } from './conformance.ts';
import { type Need, SERVICE_WRITES } from './trial.ts';

/** Returns what the server lacks or must not be sent, with the reasons. */
export async function whatIsLacking(
  api: OrdersApi,
  { readOnly, adapter = {}, revokedKey, contractOnly }: ConformanceOptions,
): Promise<ReadonlyMap<Need, string>> {
  const lacking = new Map<Need, string>();
  if (revokedKey === undefined) lacking.set('a revoked key', 'no revoked key was given');
  if (readOnly) {
    for (const need of SERVICE_WRITES) {
      lacking.set(need, 'only GET is sent, as was asked for');
    }
  } else {
    await probeWrites(api, adapter, lacking);
    // Only the promises of this service have a second version.
    if (!contractOnly) await probeSecondVersion(api, lacking);
  }
  await probeGet(api, lacking);
  return lacking;
}

const HERE = 'the operations placeOrder and shipOrder';

async function probeWrites(api: OrdersApi, adapter: Adapter, lacking: Map<Need, string>) {
  if (adapter.place === undefined) {
    const answer = await api.askToPlace({ petId: 7n, quantity: 1 }).catch(ignore);
    if (isLack(answer)) lacking.set('to place', lackOf('POST /store/orders', answer, 'place'));
  }
  if (adapter.ship === undefined && !lacking.has('to place')) {
    const placed = await api.place({ petId: 7n, quantity: 1 }).catch(ignore);
    const answer = placed && (await api.askToShip(placed.id, FEW_DATES[0]).catch(ignore));
    if (isLack(answer)) {
      lacking.set('to ship', lackOf('PUT /store/orders/{orderId}/shipment', answer, 'ship'));
    }
  }
  if (adapter.place !== undefined || adapter.ship !== undefined) {
    lacking.set(HERE, 'the adapter takes their place');
  }
}

async function probeSecondVersion(api: OrdersApi, lacking: Map<Need, string>): Promise<void> {
  await probeBatches(api, lacking);
  const answer = await api.client.ask('GET', `${V2}/store/orders?limit=1`).catch(ignore);
  if (!isLack(answer)) return;
  const reason = `GET /store/orders of version 2 is a ${answer.status} here`;
  lacking.set('the list of version 2', reason);
}

async function probeBatches(api: OrdersApi, lacking: Map<Need, string>): Promise<void> {
  const request = ['POST', `${V2}/store/orders:batchPlace`, { body: '{"orders":[]}' }] as const;
  const answer = await api.client.ask(...request).catch(ignore);
  // A batch without items is refused where there are batches.
  if (answer === undefined || answer.status === 400) return;
  const reason = `POST /store/orders:batchPlace of version 2 is a ${answer.status} here`;
  lacking.set('the batches of version 2', reason);
}

// A listed order: a 404 for it can only mean that the server has no getOrder.
async function probeGet(api: OrdersApi, lacking: Map<Need, string>): Promise<void> {
  const [listed] = await api.list().catch(() => []);
  // An adapter has placed none so far.
  const isPlacing = listed === undefined && !lacking.has('to place');
  const first = isPlacing ? await api.place({ petId: 7n, quantity: 1 }).catch(ignore) : listed;
  if (first === undefined) return;
  const answer = await api.client.ask('GET', `/store/orders/${first.id}`).catch(ignore);
  if (isLack(answer)) {
    lacking.set('to get one order', `GET /store/orders/{orderId} is a ${answer.status} here`);
  }
}

/**
 * Returns true if a response means that the operation does not exist, rather than that it failed.
 */
function isLack(answer: Answer | undefined): answer is Answer {
  if (answer === undefined) return false;
  const { status, text } = answer;
  // If the order is reported as missing, the operation exists.
  if (status === 404) return !text.includes('"order_not_found"');
  return status === 403 || status === 405 || status === 501;
}

function lackOf(request: string, { status }: Answer, name: string): string {
  return `${request} is a ${status} here, and no adapter has ${name}()`;
}

/** Ignores a violation: the checks detect a server with wrong responses, or with none. */
export function ignore(error: unknown): undefined {
  if (!(error instanceof Violation)) throw error;
}
