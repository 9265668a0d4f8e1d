import { CLOCK_OUT_OF_RANGE, now } from '../../../src/app/clock.ts';
import { keyIdOf, mintKeyText } from '../../../src/app/keys/api-key.ts';
import { acceptKey } from '../../../src/app/keys/first-key.ts';
import { contradictionOf } from '../../../src/app/log/acknowledged-head.ts';
import type { RecordedEvent } from '../../../src/app/log/recorded-event.ts';
import type { Accepted, Outcome, Submission } from '../../../src/app/log/submission.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { MemoryKeyStore } from '../../../src/infra/memory/key-store.ts';
import { bigintsAsText } from '../../kit/history/bigint-json.ts';
import { Random } from '../../kit/history/random.ts';
import { Recorder } from '../../kit/history/recorder.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation } from '../../kit/linearizability/timeline.ts';
import type { Mutant } from '../../kit-mutants/mutated.ts';
import { WorldClient } from './client.ts';
import { Database, EPOCHS } from './database.ts';
import { STRIKES } from './faults.ts';
import type { Reply } from './http.ts';
import { Instance } from './instance.ts';
import { wrongInLog } from './log-rules.ts';
import type { Fault, Scenario } from './scenario.ts';
import type { WorldState } from './states.ts';
import { BEGIN_MS, VirtualTime } from './virtual-time.ts';

/**
 * A world in one process: clients, instances of the service, their network, their database and its disk,
 * in virtual time. The scenario determines everything that happens in it.
 */

export interface Told {
  /** Everything that happened, in order, in words. */
  readonly trace: readonly string[];
  /** Everything that must not be, in words. */
  readonly broken: readonly string[];
  /** The states that were reached, of which a search must have seen each. */
  readonly reached: ReadonlySet<WorldState>;
}

/** The virtual time after which everything must have an end. */
const LIMIT_MS = 600_000;
const RETRY_MS = 250;
/** The time within which a revocation takes effect. */
const REVOCATION_MS = 500;
/** The time of the keys' creation and revocation, which a clock out of range does not have. */
const KEYS_MADE_AT = now(() => BEGIN_MS);
/** A double has room for its neighbours only. */
const LARGE_ID = 2n ** 53n + 1n;
const REFUSALS: Readonly<Record<string, WorldState>> = {
  'too many commands are waiting': 'a command was refused because too many waited',
  'the client has disconnected': 'a command of a client that had gone was dropped',
  [CLOCK_OUT_OF_RANGE]: 'a command was refused because the clock was out of range',
};

/** A fault that is planted around a part of each instance. */
export type PartFault = Pick<Mutant, 'writer' | 'reader'>;

export function runWorld(scenario: Scenario, fault: PartFault = {}): Promise<Told> {
  return new World(scenario, fault).run();
}

export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly isFar: boolean;
  readonly database: Database;
  readonly fault: PartFault;
  /** The keys of the API outlive every fault. */
  readonly keys = new MemoryKeyStore();
  readonly recorder: Recorder;
  /** The ids of the orders that clients have been told, in that order. */
  readonly orders: bigint[] = [];
  cutPercent: number;
  readonly isBusy: boolean;
  isOver = false;
  readonly #scenario: Scenario;
  readonly #instances: readonly Instance[];
  readonly #trace: string[] = [];
  readonly #broken: string[] = [];
  readonly #reached = new Set<WorldState>();
  /** The outcomes of each request that was decided, as text. */
  readonly #decided = new Map<string, string>();
  readonly #acknowledged: Accepted[] = [];
  #isCalm = false;
  readonly #keyTexts: string[] = [];
  /** The moments of revocations, by the texts of the keys. */
  readonly #revoked = new Map<string, number>();

  constructor(scenario: Scenario, fault: PartFault) {
    this.fault = fault;
    this.#scenario = scenario;
    this.random = new Random(scenario.seed);
    this.isFar = scenario.instances !== 'in one process';
    this.cutPercent = scenario.cutPercent;
    this.isBusy = scenario.isBusy;
    this.database = new Database(this);
    let moment = 0;
    this.recorder = new Recorder(() => moment++);
    const count = scenario.instances === 'in one process' ? 1 : scenario.instances;
    this.#instances = Array.from({ length: count }, (_, index) => new Instance(this, index + 1));
  }

  async run(): Promise<Told> {
    const putBack = this.time.install();
    const failed = (error: unknown) => {
      this.#broken.push(`it failed: ${error instanceof Error ? error.stack : error}`);
      this.isOver = true;
    };
    // Of the service's own promises, as of a pipeline whose invariants do not hold.
    process.on('unhandledRejection', failed);
    try {
      await this.#play();
    } catch (error) {
      failed(error);
    } finally {
      this.isOver = true;
      process.off('unhandledRejection', failed);
      putBack();
    }
    return { trace: this.#trace, broken: this.#broken, reached: this.#reached };
  }

  anyInstance(): Instance {
    return this.random.pick(this.#instances);
  }

  /** Returns the id of an order: of few newest ones, or of one that may come next. */
  orderOf(number: number): bigint {
    const first = this.#scenario.ids === 'large' ? LARGE_ID : 1n;
    return this.orders.at(-1 - number) ?? first + BigInt(this.orders.length);
  }

  note(words: string): void {
    this.#trace.push(`${this.time.nowMs.toFixed(1)} ${words}`);
  }

  /** Notes a state that a search has to reach. */
  happened(state: WorldState): void {
    this.#reached.add(state);
    this.note(state);
  }

  /**
   * Compares what was decided with every earlier decision on the same request, and the outcomes of an
   * atomic group with one another.
   */
  decided(submissions: readonly Submission[], outcomes: readonly Outcome[]): void {
    const [{ by, idempotencyKey, group }] = submissions as [Submission];
    for (const outcome of outcomes) {
      if (outcome.kind === 'accepted') this.#acknowledged.push(outcome);
      else if (outcome.kind === 'unknown') this.happened('an outcome was unknown');
      else if (outcome.kind === 'unavailable') this.#refused(outcome.cause);
      else if (outcome.reason === 'batch_refused') this.happened('an atomic group was refused');
    }
    const isDecided = outcomes.every(({ kind }) => kind === 'accepted' || kind === 'rejected');
    const text = outcomes.map(inWords).join(', ');
    const kinds = new Set(outcomes.map(({ kind }) => kind));
    if (group?.isAtomic && kinds.size > 1) this.fail(`an atomic group was done in part: ${text}`);
    if (idempotencyKey === undefined || !isDecided) return;
    const before = this.#decided.get(`${by} ${idempotencyKey}`);
    this.#decided.set(`${by} ${idempotencyKey}`, text);
    if (before !== undefined) this.happened('a kept outcome was given again');
    if (before !== undefined && before !== text) {
      this.#broken.push(`a request got "${before}" first, and "${text}" when it was sent again`);
    }
  }

  /** Returns true if a client has idempotency keys. */
  hasKeys(client: number): boolean {
    const { keyed } = this.#scenario;
    return keyed === 'all' || (keyed === 'one in ten' && client % 10 === 1);
  }

  /** Has the effect of a fault, unless the run is about to end. */
  strike(what: Fault['what']): void {
    if (this.isOver || this.#isCalm) return;
    this.note(`fault: ${what}`);
    STRIKES[what](this);
  }

  revokeKey(): void {
    const key = this.random.pick(this.#keyTexts);
    if (this.#revoked.has(key)) return;
    this.#revoked.set(key, this.time.nowMs);
    void this.keys.revoke(keyIdOf(key) as string, KEYS_MADE_AT);
  }

  /** Notes a promise that is broken. */
  fail(words: string): void {
    this.note(`broken: ${words}`);
    this.#broken.push(words);
  }

  /** Compares a reply with what its key may get. */
  replied(key: string, { status, body }: Reply, sentMs: number): void {
    const revokedMs = this.#revoked.get(key);
    const { nowMs } = this.time;
    if (status === 401 && revokedMs === undefined) this.fail('a valid key was refused');
    else if (status === 401) this.happened('a revoked key was refused');
    else if (revokedMs !== undefined && sentMs > revokedMs + REVOCATION_MS) {
      this.fail(`a key that was revoked at ${revokedMs} got a ${status} at ${nowMs}`);
    }
    const isKnown = [200, 201, 204, 401, 404, 409, 503].includes(status);
    if (!isKnown) this.fail(`a reply is a ${status}: ${JSON.stringify(body, bigintsAsText)}`);
  }

  #refused(cause: string): void {
    const state = REFUSALS[cause];
    if (state !== undefined) this.happened(state);
  }

  /** Ends the run: acknowledged events are lost, which is right only if the disk has lied. */
  lost(head: number): void {
    const { known: position } = this.database;
    const { storeId, id: epoch } = EPOCHS;
    const root = undefined;
    const known = { storeId, epoch, position, root, reached: position, highestId: 0n };
    const log = { storeId, epochs: EPOCHS, position: head, root };
    const isNoticed = contradictionOf(known, log) !== undefined;
    if (!isNoticed || !this.#isDiskAtFault) {
      this.#broken.push(`the log ends at ${head}, and position ${position} was acknowledged`);
    }
    this.happened('a loss was noticed');
    this.isOver = true;
  }

  /**
   * Ends the run: transactions without events are lost. No head shows that, and no proof covers kept
   * outcomes, so a disk that lies can make a service decide a request again.
   */
  lostOutcomes(): void {
    if (!this.#isDiskAtFault) this.#broken.push('kept outcomes are lost');
    this.happened('only kept outcomes were lost');
    this.isOver = true;
  }

  get #isDiskAtFault(): boolean {
    return this.#reached.has('a flush lied') || this.#reached.has('a bit of the disk flipped');
  }

  async #play(): Promise<void> {
    if (this.#scenario.ids === 'large' && !(await this.#until(this.#beginWithLargeId()))) return;
    for (const instance of this.#instances) void instance.start();
    for (const fault of this.#scenario.faults) {
      this.time.after(fault.afterMs, () => this.strike(fault.what));
    }
    const clients = this.#scenario.clients.map(async (client, index) => {
      return new WorldClient(index + 1, this, client, await this.#newKey()).run();
    });
    if (!(await this.#until(Promise.all(clients)))) return;
    this.#calm();
    const patient = { steps: [], thinkMs: 0, patienceMs: 5_000, duplicatedPercent: 0 };
    const last = new WorldClient(0, this, patient, await this.#newKey());
    if (!(await this.#until(last.place()))) return;
    if (!(await this.#until(this.#listEverywhere(last)))) return;
    const { events } = this.database;
    if (this.time.hasSteppedBack && hasEqualTimes(events)) {
      this.happened('a recorded time stood still while the clock was back');
    }
    this.#broken.push(...wrongInLog(events, this.#acknowledged));
    for (const violation of check(this.recorder.history)) {
      this.#broken.push(describeViolation(violation));
    }
  }

  /** Records the first order, as an import does, before any instance starts. */
  async #beginWithLargeId(): Promise<void> {
    const item = { petId: LARGE_ID as PetId, quantity: 1 };
    const event = { type: 'OrderPlaced', orderId: LARGE_ID as OrderId, ...item } as const;
    const metadata = { at: KEYS_MADE_AT, by: 'import', commandId: 'import' };
    const first: RecordedEvent = { position: 1, version: 1, event, metadata };
    await this.recorder.record(0, { kind: 'place', ...item }, async () => {
      await this.database.commit([first], [], this.database.life);
      return { kind: 'accepted', id: LARGE_ID };
    });
    this.database.tellHead();
    this.orders.push(LARGE_ID);
    this.note(`order ${LARGE_ID} is in the log`);
  }

  async #newKey(): Promise<string> {
    const key = mintKeyText();
    await acceptKey(this.keys, key, KEYS_MADE_AT);
    this.#keyTexts.push(key);
    return key;
  }

  /** Runs until a promise is settled. Returns false if the run has ended before. */
  async #until(promise: Promise<unknown>): Promise<boolean> {
    let isSettled = false;
    const settled = (error?: Error) => {
      isSettled = true;
      if (error) this.#broken.push(`it failed: ${error.stack}`);
    };
    promise.then(() => settled(), settled);
    const isInTime = await this.time.runUntil(() => isSettled || this.isOver, LIMIT_MS);
    if (!isInTime) this.#broken.push('not everything has come to an end');
    return isInTime && !this.isOver;
  }

  async #listEverywhere(client: WorldClient): Promise<void> {
    for (const instance of this.#instances) {
      while ((await client.list(instance)).kind !== 'listed') await this.time.wait(RETRY_MS);
    }
  }

  #calm(): void {
    this.#isCalm = true;
    this.cutPercent = 0;
    Object.assign(this.database.disk, { isFull: false, isSlow: false, failing: 0, lying: 0 });
  }
}

function hasEqualTimes(events: readonly RecordedEvent[]): boolean {
  return events.some(({ metadata }, index) => metadata.at === events[index - 1]?.metadata.at);
}

function inWords(outcome: Outcome): string {
  if (outcome.kind === 'accepted') return `order ${outcome.orderId}, version ${outcome.version}`;
  return outcome.kind === 'rejected' ? outcome.reason : outcome.kind;
}
