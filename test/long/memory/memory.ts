/**
 * A started service in a control group of Linux, which bounds its memory as a container does: it has to
 * serve every operation, lists plain and compressed, or to refuse the start in a sentence.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { V1 } from '../../../src/http/operations/v1.ts';
import { V2 } from '../../../src/http/operations/v2.ts';
import { undoAtEnd } from '../../bench/processes.ts';
import { BEARER, fetchBytes, type Product, startProduct } from '../../bench/servers.ts';
import { Stores } from '../../bench/stores.ts';

export interface Load {
  /** The orders of the store; half of them have a second event. */
  readonly orders: number;
  readonly limitMb: number;
  /** The folder of a changed product. */
  readonly root?: string;
}

interface Outcome {
  /** The words in which the start was refused, if it was. */
  readonly refused: string | undefined;
  /** The most memory that the group has used, in megabytes; what the system has cached of files is in it. */
  readonly peakMb: number;
  readonly answers: number;
  /** What does not hold, in words. */
  readonly broken: readonly string[];
}

const MEGABYTE = 1_048_576;

/** Returns every read, of a store in which each fourth order is cancelled. */
function readsOf(orders: number): readonly string[] {
  return [
    '/v1/store/orders',
    '/v2/store/orders?limit=1000&order=desc',
    '/v2/store/orders?petId=7&status=cancelled&asOf=1000&limit=1000',
    '/v1/pets/7',
    '/v1/store/orders/4/events',
    '/v1/store/orders/4/receipt',
    '/v1/store/events?limit=1000',
    '/v1/store/events?limit=1000&type=OrderShipped',
    `/v1/store/events/${orders}/receipt`,
    '/v1/store/checkpoint',
    '/v1/store/epochs',
    `/v1/store/proofs/inclusion?position=7&size=${orders}`,
    `/v1/store/proofs/consistency?from=7&to=${orders}`,
    '/v2/key',
    '/v2/store/summary',
    '/v2/store/summary?asOf=1000',
    '/v2/store/activity?bucket=day',
    '/v2/store/orders/4/events',
    '/v2/store/orders/4/receipt',
    '/v2/store/events?limit=1000',
    `/v2/store/events/${orders}/receipt`,
    '/v2/store/checkpoint',
    '/v2/store/epochs',
    `/v2/store/proofs/inclusion?position=7&size=${orders}`,
    `/v2/store/proofs/consistency?from=7&to=${orders}`,
  ];
}

/** The control groups of this machine that can bound memory: where they are, and the names of their files. */
export interface Groups {
  readonly parent: string;
  readonly limit: string;
  readonly peak: string;
}

/** Returns the control groups; undefined where this process may not make one that bounds memory. */
export function memoryGroups(): Groups | undefined {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    const [, first] = /^\d+:memory:(.*)$/m.exec(own) ?? [];
    const [, second] = /^0::(.*)$/m.exec(own) ?? [];
    const groups =
      first === undefined
        ? { parent: `/sys/fs/cgroup${second}`, limit: 'memory.max', peak: 'memory.peak' }
        : {
            parent: `/sys/fs/cgroup/memory${first}`,
            limit: 'memory.limit_in_bytes',
            peak: 'memory.max_usage_in_bytes',
          };
    newGroup(groups, 1_024 * MEGABYTE).remove();
    return groups;
  } catch {
    return undefined;
  }
}

function newGroup({ parent, limit }: Groups, bytes: number) {
  const folder = join(parent, `store-orders-${process.pid}`);
  mkdirSync(folder);
  const remove = undoAtEnd(() => rmdirSync(folder));
  try {
    writeFileSync(join(folder, limit), String(bytes));
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/** Starts the service within the limit, and asks for everything, one after the other. */
export async function runWithin(groups: Groups, load: Load): Promise<Outcome> {
  const { orders, limitMb, root } = load;
  const store = await new Stores().lived(orders);
  const { folder, remove } = newGroup(groups, limitMb * MEGABYTE);
  const peakMb = () =>
    Math.ceil(Number(readFileSync(join(folder, groups.peak), 'utf8')) / MEGABYTE);
  try {
    const within = ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder];
    const started = await startProduct(store, {}, root, within).catch((error: Error) => error);
    if (started instanceof Error) {
      const [refused] = /needs at least .*/.exec(started.message) ?? [];
      const broken = refused === undefined ? [`the start failed: ${started.message}`] : [];
      return { refused, peakMb: peakMb(), answers: 0, broken };
    }
    await using product = started;
    const { answers, broken } = await askAll(product, orders);
    await product.stop();
    return { refused: undefined, peakMb: peakMb(), answers, broken };
  } finally {
    remove();
  }
}

/** Sends every operation of both versions. Of a service that was killed, the first failure is reported. */
async function askAll(product: Product, orders: number) {
  const broken: string[] = [];
  let answers = 0;
  const expectStatus = (what: string, status: number) => {
    answers += 1;
    if (status >= 400) broken.push(`${what}: ${status}`);
  };
  const send = async (method: string, path: string, body?: object) => {
    const { status, headers } = await fetch(`${product.address}${path}`, {
      method,
      headers: { ...BEARER, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expectStatus(`${method} ${path}`, status);
    return headers.get('Location') ?? '';
  };
  const get = async (path: string) => {
    for (const coding of ['identity', 'gzip']) {
      const { status } = await fetchBytes(product, path, { 'Accept-Encoding': coding });
      expectStatus(`GET ${path}, ${coding}`, status);
    }
  };
  try {
    for (const [path, petId] of [
      ['/v1/store/orders', 7],
      ['/v2/store/orders', '7'],
    ] as const) {
      const order = { petId, quantity: 1 };
      const shipDate = '2026-01-01T00:00:00Z';
      await send('PUT', `${await send('POST', path, order)}/shipment`, { shipDate });
      const cancelled = await send('POST', path, order);
      await send('DELETE', cancelled);
      await get(cancelled);
    }
    const forReason = await send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    await send('PUT', `${forReason}/cancellation`, { reason: 'out_of_stock' });
    const many = Array.from({ length: 500 }, () => ({ petId: '7', quantity: 1 }));
    await send('POST', '/v2/store/orders:batchPlace', { orders: many });
    const orderIds = Array.from({ length: 500 }, (_, index) => String(index + 1));
    await send('POST', '/v2/store/orders:batchCancel', { orderIds });
    for (const path of readsOf(orders)) await get(path);
    broken.push(...(await notAsked(product)));
  } catch (error) {
    broken.push(`it ended: ${(error as Error).message}`);
  }
  return { answers, broken };
}

/** Returns the operations that no request was for, by the metrics. */
async function notAsked(product: Product): Promise<string[]> {
  const metrics = (await fetchBytes(product, '/metrics')).body.toString();
  const names = [
    ...V1.map(({ operationId }) => `v1 ${operationId}`),
    ...V2.map(({ operationId }) => `v2 ${operationId}`),
  ];
  return names
    .filter((name) => !metrics.includes(`operation="${name}"`))
    .map((name) => `${name} was not asked for`);
}
