import type { ItfTrace } from '../aggregate/itf.ts';
import { orLate } from '../aggregate/time-limit.ts';
import { brokenBy } from '../aggregate/violation.ts';
import type { Counterexample } from '../check.ts';
import { MAX_TIMER_MS, requireCounts, requireTime, requireWithin } from '../numbers.ts';
import { Violation } from '../target.ts';
import { ANSWERED, ApiClient } from '../targets/api-client.ts';
import { type Adapter, OrdersApi } from '../targets/orders-api.ts';
import { requireAccess } from './access.ts';
import { authentication } from './authentication.ts';
import { batches } from './batches.ts';
import { commands } from './commands.ts';
import { concurrency, placeEarly } from './concurrency.ts';
import { conditions } from './conditions.ts';
import { filteredList } from './filtered-list.ts';
import { forms } from './forms.ts';
import { idempotency, idempotencyLater } from './idempotency.ts';
import { ids } from './ids.ts';
import { ignore, whatIsLacking } from './lacking.ts';
import { later } from './later.ts';
import { Ledger } from './ledger.ts';
import { list } from './list.ts';
import { models } from './model.ts';
import { promises } from './placing.ts';
import { traces } from './traces.ts';
import { type Check, NothingToCheck, OutOfTime, scriptOf, type Trial } from './trial.ts';
import { namedWithoutKey, withoutKey } from './without-key.ts';

/** All checks, in the order in which they run. */
const CHECKS: readonly Check[] = [
  ...authentication,
  ...withoutKey,
  ...list,
  ...ids,
  ...commands,
  ...promises,
  ...forms,
  ...conditions,
  ...idempotency,
  ...batches,
  ...filteredList,
  namedWithoutKey,
  ...concurrency,
  ...models,
  ...traces,
  ...later,
  idempotencyLater,
];

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
  /** The number of orders that are placed in all; default 1,100, and with `deep` 11,000. */
  readonly orders?: number;
  /** Tries everything rare ten times as often. */
  readonly deep?: boolean;
  /** Traces of the executable specification, to be replayed on the server. */
  readonly traces?: readonly ItfTrace[];
  /** The seconds before everything is compared once more; default 4. */
  readonly pause?: number;
  /** The seconds from the first request on, after which no check begins, and the one that runs ends; default 600. */
  readonly maxTime?: number;
  /** The seconds for which each counterexample is shrunk; default 10. */
  readonly shrinkTime?: number;
  /** Ends after the first check that fails. */
  readonly bail?: boolean;
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
  /** The checks that did not run, or not to their end. */
  readonly skipped: number;
  /** Those of them for which the time was over: nothing is known about their rules. */
  readonly unfinished: number;
  /** The number of answers that were a 429: their requests were sent again. */
  readonly limited: number;
  /** The number of answers that were a 503 with a Retry-After: their requests were sent again. */
  readonly unavailable: number;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly group: Check['group'];
  readonly basis: 'contract' | 'promise';
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly durationMs: number;
  /** The reason why it failed or was skipped. */
  readonly reason?: string;
  /** True if it was skipped because the time was over. */
  readonly isUnfinished?: true;
  /** A shell script that reproduces the failure. */
  readonly script?: string;
}

const DEFAULTS = { runs: 100, concurrency: 4, pause: 4, maxTime: 600, shrinkTime: 10 } as const;
const [ORDERS, DEEP_ORDERS] = [1_100, 11_000] as const;
const [ATTEMPTS, DEEP_ATTEMPTS] = [120, 1_200] as const;

/** The options that determine which checks run. */
type Scope = Pick<ConformanceOptions, 'contractOnly' | 'traces'>;

/** Returns the total work, in the units of `advance`. */
export function workOf(options: Scope & Pick<ConformanceOptions, 'runs'>): number {
  const { runs = DEFAULTS.runs } = options;
  return inScope(options).reduce((sum, check) => sum + weightOf(check, runs), 0);
}

function inScope({ contractOnly, traces: given = [] }: Scope): readonly Check[] {
  const leftOut = contractOnly ? 'promise' : 'contract in place of a promise';
  return CHECKS.filter(({ basis, group }) => {
    return basis !== leftOut && (group !== 'traces' || given.length > 0);
  });
}

function weightOf({ group }: Check, runs: number): number {
  return group === 'model' ? runs : 1;
}

/**
 * Runs every check against any server, over HTTP only. It changes no order except those that it has
 * placed itself. Throws {@link CannotCheck} if the server is unreachable or refuses the key.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  requireNumbers(options);
  const { runs, concurrency, maxTime } = { ...DEFAULTS, ...options };
  const { baseUrl, key, readOnly = false, seed = Date.now() & 0x7fffffff } = options;
  const begun = performance.now();
  const leftMs = () => begun + maxTime * 1_000 - performance.now();
  const client = new ApiClient(baseUrl, key, readOnly);
  let done = 0;
  const advance = (now: number) => options.advance?.(done + Math.min(now, runs));
  const checks: CheckReport[] = [];
  try {
    const trial = await opened(client, { ...options, seed }, { advance, leftMs });
    for (const check of inScope(options)) {
      checks.push(
        trial instanceof OutOfTime ? unfinished(check, trial) : await reportOf(check, trial),
      );
      done += weightOf(check, runs);
      options.advance?.(done);
      if (options.bail && checks.at(-1)?.result === 'failed') break;
    }
  } finally {
    client.close();
  }
  const count = (result: CheckReport['result']) => {
    return checks.filter((check) => check.result === result).length;
  };
  return {
    ...{ baseUrl: client.baseUrl, seed, runs, concurrency, readOnly },
    ...{ passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    unfinished: checks.filter(({ isUnfinished }) => isUnfinished).length,
    limited: client.limited,
    unavailable: client.unavailable,
    durationMs: Math.round(performance.now() - begun),
    checks,
  };
}

/** Throws a RangeError unless the numbers of the options are in their ranges. */
function requireNumbers(options: ConformanceOptions): void {
  const { runs, concurrency, pause, maxTime, shrinkTime } = { ...DEFAULTS, ...options };
  const { seed = 0, orders = 0 } = options;
  requireCounts({ runs, concurrency });
  requireWithin('seed', seed, 0, 2 ** 31 - 1);
  requireWithin('orders', orders, 0, Number.MAX_SAFE_INTEGER);
  requireWithin('pause', pause, 0, Math.floor(MAX_TIMER_MS / 1_000));
  requireTime('maxTime', maxTime);
  requireTime('shrinkTime', shrinkTime);
}

/** Returns the context of all checks, or the reason why the time was over before the first one. */
function opened(...given: Parameters<typeof openTrial>): Promise<Trial | OutOfTime> {
  const [client, , { leftMs }] = given;
  return inTime(client, openTrial(...given), leftMs()).catch((error) => {
    if (error instanceof OutOfTime) return error;
    throw error;
  });
}

async function openTrial(
  client: ApiClient,
  options: ConformanceOptions & { readonly seed: number },
  time: Pick<Trial, 'advance' | 'leftMs'>,
): Promise<Trial> {
  const { key, seed, adapter, revokedKey, deep = false, contractOnly = false } = options;
  const { runs, concurrency, pause, shrinkTime } = { ...DEFAULTS, ...options };
  const firstList = await requireAccess(client);
  const ledger = new Ledger();
  const lenient = { ledger, isLenient: contractOnly };
  const api = new OrdersApi(client, key, { ...lenient, ...(adapter && { adapter }) });
  const lacking = await whatIsLacking(api, options);
  const isPlacing = !lacking.has('to place') && !lacking.has('to ship');
  return {
    ...{ api, key, seed, runs, concurrency, ledger, firstList, lacking, ...time },
    early: isPlacing ? await placeEarly(api) : [],
    ...(revokedKey !== undefined && { revokedKey }),
    ...{ named: [], traces: options.traces ?? [] },
    orders: options.orders ?? (deep ? DEEP_ORDERS : ORDERS),
    attempts: deep ? DEEP_ATTEMPTS : ATTEMPTS,
    pauseMs: pause * 1_000,
    isContractOnly: contractOnly,
    shrinkMs: shrinkTime * 1_000,
  };
}

async function reportOf(check: Check, trial: Trial): Promise<CheckReport> {
  const [lack] = check.needs.flatMap((need) => trial.lacking.get(need) ?? []);
  if (lack !== undefined) return { ...skipped(check), reason: lack };
  if (trial.leftMs() <= 0) return unfinished(check, new OutOfTime());
  const begun = performance.now();
  trial.api.client.trace.take();
  trial.api.client.trace.takeOrders();
  const end = await endOf(check, trial);
  const durationMs = Math.round(performance.now() - begun);
  const reason = end.reason && { reason: withoutSecret(end.reason, trial.key) };
  return { ...skipped(check), durationMs, ...end, ...reason };
}

function skipped(check: Check) {
  const { name, group } = check;
  const basis = check.basis === 'promise' ? 'promise' : 'contract';
  return { name, group, basis, result: 'skipped', durationMs: 0 } as const;
}

/** Returns the report of a check that has not run, or not to its end. */
function unfinished(check: Check, { message }: OutOfTime): CheckReport {
  return { ...skipped(check), reason: message, isUnfinished: true };
}

/** Shorter keys are words that a reason may have by chance. */
const MIN_SECRET_CHARACTERS = 8;

/** Returns a reason without the key, which a server may repeat in its answer. */
function withoutSecret(reason: string, key: string): string {
  if (key.length < MIN_SECRET_CHARACTERS) return reason;
  return reason.replaceAll(key, '$KEY').replaceAll(encodeURIComponent(key), '$KEY');
}

/** The time that a check may take longer than it is told, for its last requests. */
const GRACE_MS = 5_000;

/** Returns the time after which a check is given up: what it has found may still be shrunk. */
function patienceMs({ leftMs, shrinkMs }: Trial): number {
  return Math.min(leftMs() + shrinkMs + GRACE_MS, MAX_TIMER_MS);
}

/** Waits for some work. If it takes longer, throws {@link OutOfTime} with the call that it waits for. */
function inTime<Result>(client: ApiClient, work: Promise<Result>, ms: number): Promise<Result> {
  return orLate(work, Math.max(0, ms), () => new OutOfTime(client.unanswered));
}

async function endOf(
  check: Check,
  trial: Trial,
): Promise<Pick<CheckReport, 'result' | 'reason' | 'isUnfinished' | 'script'>> {
  try {
    const counterexample = await inTime(trial.api.client, check.run(trial), patienceMs(trial));
    if (counterexample === undefined) return { result: 'passed' };
    await expectAsListed(trial, counterexample.rule);
    return { result: 'failed', ...told(counterexample) };
  } catch (error) {
    if (error instanceof OutOfTime) {
      return { result: 'skipped', reason: error.message, isUnfinished: true };
    }
    if (error instanceof NothingToCheck) return { result: 'skipped', reason: error.message };
    const { rule, detail } = brokenBy(error);
    const reason = rule === check.name ? detail : `${rule}: ${detail}`;
    const given = error instanceof Violation ? error.script : undefined;
    const script = given ?? scriptOf(trial.api.client.trace.take());
    await expectAsListed(trial, rule);
    return { result: 'failed', reason, script };
  }
}

/**
 * Expects the orders of a check that has failed to stay as they are listed now. Later checks would
 * otherwise fail for its reason, and not for theirs.
 */
async function expectAsListed({ api, ledger, leftMs }: Trial, rule: string): Promise<void> {
  const touched = api.client.trace.takeOrders();
  const own = ledger.ids.filter((id) => touched.has(id));
  if (own.length === 0) return;
  // A request without an answer may be carried out later.
  const isKnown = rule !== ANSWERED && leftMs() > 0;
  const late = () => new Violation(ANSWERED, 'the time was over');
  const rows = isKnown ? ((await orLate(api.list(), leftMs(), late).catch(ignore)) ?? []) : [];
  const listed = new Map(rows.map((row) => [row.id, row]));
  for (const id of own) {
    const row = listed.get(id);
    if (row === undefined) ledger.open(id);
    else ledger.expect(row);
  }
}

function told({ rule, detail, script }: Counterexample): Pick<CheckReport, 'reason' | 'script'> {
  return { reason: `${rule}: ${detail}`, script };
}
