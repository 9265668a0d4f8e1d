/** The queue of commands before the write side, bounded in time, and in length for the memory's sake. */

import { CLOCKS } from '../clock.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import { MAX_BATCH_COMMANDS } from './batch-size.ts';
import { ControlledDelay, DELAY_LIMITS, type DelayLimits } from './controlled-delay.ts';

const MAX_WAITING_COMMANDS = 16_384;
/** While the service is overloaded, ages are compared so many times in the time of the target. */
const LOOKS_PER_TARGET = 5;

/** The sender of a command, for as long as it waits. */
export interface Client {
  /** True if nobody will receive the outcome. */
  readonly isGone: boolean;
}

/** A command that is in no batch yet, and how its client gets the outcome. */
export interface WaitingCommand {
  readonly submission: Submission;
  readonly resolve: (outcome: Outcome) => void;
  /** Absent for a command that is executed in any case. */
  readonly client?: Client | undefined;
}

export interface QueueOptions {
  readonly limits?: DelayLimits | undefined;
  /** Called when the first of many commands is refused, and with their number after the last. */
  readonly noticed?: ((message: string, about: object) => void) | undefined;
  /** See {@link Clocks}. */
  readonly elapsed?: () => number;
}

interface Aged extends WaitingCommand {
  readonly sinceMs: number;
}

/** A time in which commands are refused. */
interface Shedding {
  readonly sinceMs: number;
  lastMs: number;
  refused: number;
}

/**
 * The commands that wait for a batch, oldest first. Every batch is taken here and nowhere else; which
 * commands wait for too long is the policy of {@link ControlledDelay}.
 *
 * Commands are taken in the order of their arrival, and newest first while the service is overloaded.
 * Even then, commands on the same order, and placements under the same idempotency key, are taken in the
 * order of their arrival, and so is what is in one batch: a retry is never decided before its first sending.
 *
 * A command that is refused or dropped is undecided: it was in no batch.
 */
export class CommandQueue {
  readonly #commands: Aged[] = [];
  readonly #limits: DelayLimits;
  readonly #delay: ControlledDelay;
  readonly #noticed: NonNullable<QueueOptions['noticed']>;
  readonly #elapsed: () => number;
  readonly #ended = { refused: 0, gone: 0 };
  #shedding: Shedding | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ limits = DELAY_LIMITS, noticed, elapsed = CLOCKS.elapsed }: QueueOptions = {}) {
    this.#limits = limits;
    this.#delay = new ControlledDelay(limits);
    this.#noticed = noticed ?? (() => undefined);
    this.#elapsed = elapsed;
  }

  get length(): number {
    return this.#commands.length;
  }

  /** The time for which the oldest command has waited, in milliseconds; 0 where none waits. */
  get ageMs(): number {
    return this.#ageMs(this.#elapsed());
  }

  /** The number of commands that were refused, or were dropped because their clients had gone. */
  get ended(): Readonly<Record<'refused' | 'gone', number>> {
    return this.#ended;
  }

  /** Adds a command, or refuses it at once if the queue is as long as it may be. */
  add(command: WaitingCommand): void {
    const sinceMs = this.#elapsed();
    if (this.length >= MAX_WAITING_COMMANDS) this.#refuse([command], sinceMs);
    else this.#commands.push({ ...command, sinceMs });
    // Not by the timer alone: timers have to wait while many sockets have something to read.
    this.#age(sinceMs);
    this.#look();
  }

  /** Takes the next commands. */
  take(maxCommands: number): WaitingCommand[] {
    return this.#take(0, () =>
      this.#delay.isOverloaded
        ? this.#newest(maxCommands, () => true)
        : this.#commands.splice(0, maxCommands),
    );
  }

  /** The same, without those that have an idempotency key, and those that must not overtake them. */
  takeUnkeyed(maxCommands: number): WaitingCommand[] {
    return this.#take(MAX_BATCH_COMMANDS, () => {
      if (this.#delay.isOverloaded)
        return this.#newest(maxCommands, (command) => !isKeyed(command));
      const keyed = this.#commands.findIndex(isKeyed);
      return this.#commands.splice(0, keyed === -1 ? maxCommands : Math.min(keyed, maxCommands));
    });
  }

  /** @param kept How many of those that are left behind the next batch will take. */
  #take(kept: number, choose: () => WaitingCommand[]): WaitingCommand[] {
    this.#dropGone();
    const taken = choose();
    const nowMs = this.#elapsed();
    this.#delay.left(this.#ageMs(nowMs), nowMs);
    this.#shed(nowMs, kept);
    return taken;
  }

  /**
   * Takes the newest commands that may be taken. The place of each goes to the one that has waited for
   * longest on the same order, so that of each order the first are taken.
   */
  #newest(maxCommands: number, mayBeTaken: (command: WaitingCommand) => boolean): Aged[] {
    const bySubject = Map.groupBy(this.#commands, subjectOf);
    const queues = new Map([...bySubject].map(([subject, its]) => [subject, its.values()]));
    const taken = new Set<Aged>();
    for (let index = this.length - 1; index >= 0 && taken.size < maxCommands; index--) {
      const subject = subjectOf(this.#commands[index] as Aged);
      const { value: first } = queues.get(subject)?.next() ?? {};
      if (first === undefined) continue;
      if (mayBeTaken(first)) taken.add(first);
      else queues.delete(subject);
    }
    return this.#remove((command) => taken.has(command));
  }

  /** Drops the commands whose clients have gone: nobody would receive the outcomes. */
  #dropGone(): void {
    if (!this.#commands.some(isGone)) return;
    const gone = this.#remove(isGone);
    this.#ended.gone += gone.length;
    for (const { resolve } of gone) resolve(GONE);
  }

  /** Removes commands, and returns them in the order of their arrival. */
  #remove(isRemoved: (command: Aged) => boolean): Aged[] {
    const removed: Aged[] = [];
    let kept = 0;
    for (const command of this.#commands) {
      if (isRemoved(command)) removed.push(command);
      else this.#commands[kept++] = command;
    }
    this.#commands.length = kept;
    return removed;
  }

  #ageMs(nowMs: number): number {
    return nowMs - (this.#commands[0]?.sinceMs ?? nowMs);
  }

  /** Compares the age of the oldest command with the limits. */
  #age(nowMs: number): void {
    this.#delay.waited(this.#ageMs(nowMs), nowMs);
    this.#shed(nowMs, MAX_BATCH_COMMANDS);
  }

  /**
   * Refuses the commands that have waited for too long.
   * @param kept The number of the newest that a batch will take, and that are refused after a stall only.
   */
  #shed(nowMs: number, kept: number): void {
    const { patienceMs, stallMs } = this.#delay;
    const surplus = this.length - kept;
    const isRefused = ({ sinceMs }: Aged, index: number) =>
      nowMs - sinceMs >= (index < surplus ? patienceMs : stallMs);
    let refused = 0;
    for (const command of this.#commands) {
      if (!isRefused(command, refused)) break;
      refused += 1;
    }
    if (refused === 0) return;
    this.#delay.refused(nowMs);
    this.#refuse(this.#commands.splice(0, refused), nowMs);
  }

  #refuse(commands: readonly WaitingCommand[], nowMs: number): void {
    if (this.#shedding === undefined) {
      this.#shedding = { sinceMs: nowMs, lastMs: nowMs, refused: 0 };
      const { targetMs } = this.#limits;
      this.#noticed('overloaded: commands are refused', { waiting: this.length, targetMs });
    }
    this.#shedding.lastMs = nowMs;
    this.#shedding.refused += commands.length;
    this.#ended.refused += commands.length;
    for (const { resolve } of commands) resolve(OVERLOADED);
  }

  /** Looks after the ages for as long as commands wait, or are being refused. */
  #look(): void {
    if (this.#timer !== undefined) return;
    const { targetMs, intervalMs } = this.#limits;
    const everyMs = this.#delay.isOverloaded ? targetMs / LOOKS_PER_TARGET : intervalMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const nowMs = this.#elapsed();
      if (this.length === 0) this.#delay.emptied(nowMs);
      this.#age(nowMs);
      this.#endShedding(nowMs);
      if (this.length > 0 || this.#shedding !== undefined) this.#look();
    }, everyMs).unref();
  }

  #endShedding(nowMs: number): void {
    if (this.#shedding === undefined || this.#delay.isOverloaded) return;
    const { sinceMs, lastMs, refused } = this.#shedding;
    if (nowMs - lastMs < this.#limits.intervalMs) return;
    this.#shedding = undefined;
    const durationMs = Math.round(lastMs - sinceMs);
    this.#noticed('no longer overloaded: commands are taken again', { refused, durationMs });
  }
}

const OVERLOADED: Outcome = { kind: 'unavailable', cause: 'too many commands are waiting' };
const GONE: Outcome = { kind: 'unavailable', cause: 'the client has disconnected' };

function isGone({ client }: WaitingCommand): boolean {
  return client?.isGone === true;
}

function isKeyed({ submission }: WaitingCommand): boolean {
  return submission.idempotencyKey !== undefined;
}

/** Returns what a command shares with those that it must not overtake. */
function subjectOf(command: WaitingCommand): unknown {
  const { command: asked, by, idempotencyKey } = command.submission;
  if (asked.type !== 'PlaceNewOrder') return asked.orderId;
  return idempotencyKey === undefined ? command : `${by} ${idempotencyKey}`;
}
