import { brokenBy, type Counterexample } from '../check.ts';
import { Violation } from '../target.ts';
import { type Answer, ApiClient, CannotCheck } from '../targets/api-client.ts';
import { type Adapter, OrdersApi } from '../targets/orders-api.ts';
import { authentication } from './authentication.ts';
import { commands } from './commands.ts';
import { list } from './list.ts';
import type { Check, Need, Trial } from './trial.ts';

/** All checks, in the order in which they run. */
const CHECKS: readonly Check[] = [...authentication, ...list, ...commands];

export interface ConformanceOptions {
  /** The URL of the API, ending in its version: `https://orders.example/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** A revoked or expired key, to check that it is refused. */
  readonly revokedKey?: string;
  readonly adapter?: Adapter;
  /** Sends only GET requests. */
  readonly readOnly?: boolean;
  /** Skips the checks of promises that only this service makes. */
  readonly contractOnly?: boolean;
  /** The number of programs that the model runs; default 100. */
  readonly runs?: number;
  readonly seed?: number;
  /** The number of concurrent programs; default 4. */
  readonly concurrency?: number;
  /** Called with the work done so far, of {@link workOf} in total. */
  readonly advance?: (done: number) => void;
}

export interface Report {
  readonly baseUrl: string;
  readonly seed: number;
  readonly runs: number;
  readonly concurrency: number;
  readonly readOnly: boolean;
  readonly durationMs: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly group: Check['group'];
  readonly basis: Check['basis'];
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly durationMs: number;
  /** The reason why it failed or was skipped. */
  readonly reason?: string;
  /** A shell script that reproduces the failure. */
  readonly script?: string;
}

const DEFAULTS = { runs: 100, concurrency: 4 } as const;

/** Returns the total work, in the units of `advance`. */
export function workOf(options: Pick<ConformanceOptions, 'runs' | 'contractOnly'>): number {
  const { runs = DEFAULTS.runs } = options;
  return inScope(options).reduce((sum, check) => sum + weightOf(check, runs), 0);
}

function inScope({ contractOnly }: Pick<ConformanceOptions, 'contractOnly'>): readonly Check[] {
  return CHECKS.filter(({ basis }) => basis === 'contract' || !contractOnly);
}

function weightOf({ group }: Check, runs: number): number {
  return group === 'model' ? runs : 1;
}

/**
 * Runs every check against any server, over HTTP only. It changes no order except those that it has
 * placed itself. Throws {@link CannotCheck} if the server is unreachable or refuses the key.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { runs, concurrency } = { ...DEFAULTS, ...options };
  const { baseUrl, key, readOnly = false, seed = Date.now() & 0x7fffffff } = options;
  const begun = performance.now();
  const client = new ApiClient(baseUrl, key, readOnly);
  const api = new OrdersApi(client, key, options.adapter);
  await requireAccess(client);
  const lacking = await whatIsLacking(api, options);
  let done = 0;
  const trial: Trial = {
    ...{ api, key, seed, runs, concurrency, lacking },
    ...(options.revokedKey === undefined ? {} : { revokedKey: options.revokedKey }),
    advance: (now) => options.advance?.(done + Math.min(now, runs)),
  };
  const checks: CheckReport[] = [];
  for (const check of inScope(options)) {
    checks.push(await reportOf(check, trial));
    done += weightOf(check, runs);
    options.advance?.(done);
  }
  const count = (result: CheckReport['result']) => {
    return checks.filter((check) => check.result === result).length;
  };
  return {
    ...{ baseUrl: client.baseUrl, seed, runs, concurrency, readOnly },
    ...{ passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    durationMs: Math.round(performance.now() - begun),
    checks,
  };
}

async function requireAccess(client: ApiClient): Promise<void> {
  const { status } = await client.ask('GET', '/store/orders');
  if (status !== 401 && status !== 403) return;
  throw new CannotCheck(`the key is refused: GET ${client.baseUrl}/store/orders is a ${status}`);
}

async function reportOf(check: Check, trial: Trial): Promise<CheckReport> {
  const { name, group, basis } = check;
  const [lack] = check.needs.flatMap((need) => trial.lacking.get(need) ?? []);
  if (lack !== undefined) {
    return { name, group, basis, result: 'skipped', durationMs: 0, reason: lack };
  }
  const begun = performance.now();
  trial.api.client.takeTrace();
  const failure = await failureOf(check, trial);
  const durationMs = Math.round(performance.now() - begun);
  if (failure === undefined) return { name, group, basis, result: 'passed', durationMs };
  return { name, group, basis, result: 'failed', durationMs, ...failure };
}

async function failureOf(
  check: Check,
  trial: Trial,
): Promise<Pick<CheckReport, 'reason' | 'script'> | undefined> {
  try {
    const counterexample = await check.run(trial);
    return counterexample && told(counterexample);
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    const { rule, detail } = brokenBy(error);
    const reason = rule === check.name ? detail : `${rule}: ${detail}`;
    return { reason, script: `${trial.api.client.takeTrace().join('\n')}\n` };
  }
}

function told({ rule, detail, script }: Counterexample): Pick<CheckReport, 'reason' | 'script'> {
  return { reason: `${rule}: ${detail}`, script };
}

/** Returns what the server lacks or must not be sent, with the reasons. */
async function whatIsLacking(
  api: OrdersApi,
  { readOnly, adapter = {}, revokedKey }: ConformanceOptions,
): Promise<ReadonlyMap<Need, string>> {
  const lacking = new Map<Need, string>();
  if (revokedKey === undefined) lacking.set('a revoked key', 'no revoked key was given');
  if (readOnly) {
    for (const need of ['to write', 'to place', 'to ship'] as const) {
      lacking.set(need, 'only GET is sent, as was asked for');
    }
  } else {
    await probeWrites(api, adapter, lacking);
  }
  await probeGet(api, lacking);
  return lacking;
}

async function probeWrites(api: OrdersApi, adapter: Adapter, lacking: Map<Need, string>) {
  const order = { body: '{"petId":7,"quantity":1}' };
  if (adapter.place === undefined) {
    const answer = await api.client.ask('POST', '/store/orders', order);
    if (isLack(answer)) lacking.set('to place', lackOf('POST /store/orders', answer, 'place'));
  }
  if (adapter.ship === undefined && !lacking.has('to place')) {
    const id = await api.place({ petId: 7n, quantity: 1 }).then(({ id }) => id, ignore);
    const path = `/store/orders/${id}/shipment`;
    const body = '{"shipDate":"2026-01-01T00:00:00.000Z"}';
    const answer = id === undefined ? undefined : await api.client.ask('PUT', path, { body });
    if (answer !== undefined && isLack(answer)) {
      lacking.set('to ship', lackOf('PUT /store/orders/{orderId}/shipment', answer, 'ship'));
    }
  }
}

// A listed order: a 404 for it can only mean that the server has no getOrder.
async function probeGet(api: OrdersApi, lacking: Map<Need, string>): Promise<void> {
  const [first] = await api.list().catch(() => []);
  if (first === undefined) return;
  const answer = await api.client.ask('GET', `/store/orders/${first.id}`);
  if (isLack(answer)) {
    lacking.set('to get one order', `GET /store/orders/{orderId} is a ${answer.status} here`);
  }
}

/**
 * Returns true if a response means that the operation does not exist, rather than that it failed.
 */
function isLack({ status, text }: Answer): boolean {
  // If the order is reported as missing, the operation exists.
  if (status === 404) return !text.includes('"order_not_found"');
  return status === 403 || status === 405 || status === 501;
}

function lackOf(request: string, { status }: Answer, name: string): string {
  return `${request} is a ${status} here, and no adapter has ${name}()`;
}

// The checks detect a server with wrong responses.
function ignore(error: unknown): undefined {
  if (!(error instanceof Violation)) throw error;
}
