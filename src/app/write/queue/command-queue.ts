/** The queue of commands before the write side, bounded in time, and in length for the memory's sake. */

import { CLOCKS } from '../../clock.ts';
import type { Outcome } from '../../log/submission.ts';
import { MAX_BATCH_COMMANDS } from './batch-size.ts';
import { ControlledDelay, DELAY_LIMITS, type DelayLimits } from './controlled-delay.ts';
import { contentsOf, nextBatch } from './next-batch.ts';
import { OverloadNotice } from './overload-notice.ts';
import {
  answerAll,
  commandsIn,
  isGone,
  isKeyed,
  sizeOf,
  type WaitingRequest,
} from './waiting-request.ts';

const MAX_WAITING_COMMANDS = 16_384;
/** The number of checks of the ages within the target, during an overload. */
const CHECKS_PER_TARGET = 5;

export interface QueueOptions {
  readonly limits?: DelayLimits | undefined;
  /** Called when the first of many commands is refused, and with their number after the last. */
  readonly noticed?: ((message: string, about: object) => void) | undefined;
  /** See {@link Clocks}. */
  readonly elapsed?: () => number;
}

interface Aged extends WaitingRequest {
  readonly sinceMs: number;
}

/**
 * The commands that wait for a batch, oldest first. Every batch is taken here and nowhere else; which
 * commands wait for too long is the policy of {@link ControlledDelay}.
 *
 * Commands are taken in the order of their arrival, and newest first while the service is overloaded.
 * Even then, commands on the same order, and placements under the same idempotency key, are taken in the
 * order of their arrival, and so is what is in one batch: a retry is never decided before its first sending.
 *
 * A group of commands is one request: it is taken, refused or dropped as a whole, and it is first in,
 * first out with whatever concerns one of its orders. While there are single commands, a batch takes one group
 * at most, and none if the batch before had one. All numbers are of commands.
 *
 * A command that is refused or dropped is undecided: it was in no batch.
 */
export class CommandQueue {
  readonly #requests: Aged[] = [];
  #length = 0;
  /** The contents of the last batch. */
  #last = contentsOf([]);
  readonly #limits: DelayLimits;
  readonly #delay: ControlledDelay;
  readonly #notice: OverloadNotice;
  readonly #elapsed: () => number;
  readonly #ended = { refused: 0, gone: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor({ limits = DELAY_LIMITS, noticed, elapsed = CLOCKS.elapsed }: QueueOptions = {}) {
    this.#limits = limits;
    this.#delay = new ControlledDelay(limits);
    this.#notice = new OverloadNotice(noticed ?? (() => undefined), limits);
    this.#elapsed = elapsed;
  }

  /** The number of commands. */
  get length(): number {
    return this.#length;
  }

  /** The time for which the oldest command has waited, in milliseconds; 0 where none waits. */
  get ageMs(): number {
    return this.#ageMs(this.#elapsed());
  }

  /** The number of commands that were refused, or were dropped because their clients had gone. */
  get ended(): Readonly<Record<'refused' | 'gone', number>> {
    return this.#ended;
  }

  /** Adds a request, or refuses it at once if the queue would be longer than it may be. */
  add(request: WaitingRequest): void {
    const sinceMs = this.#elapsed();
    const size = sizeOf(request);
    if (this.length + size > MAX_WAITING_COMMANDS) this.#refuse([request], sinceMs);
    else {
      this.#requests.push({ ...request, sinceMs });
      this.#length += size;
    }
    // Not by the timer alone: timers have to wait while many sockets have something to read.
    this.#refuseOverdue(sinceMs);
    this.#scheduleCheck();
  }

  /** Removes and returns the next requests: so many commands at most, but always one request. */
  take(maxCommands: number): WaitingRequest[] {
    return this.#take(maxCommands, () => true, 0);
  }

  /**
   * As {@link take}, but without requests that have an idempotency key or do not fit, and without those
   * that must not overtake them.
   */
  takeUnkeyed(maxCommands: number): WaitingRequest[] {
    const mayBeTaken = (request: Aged) => !isKeyed(request) && sizeOf(request) <= maxCommands;
    return this.#take(maxCommands, mayBeTaken, MAX_BATCH_COMMANDS);
  }

  /** Removes and returns all requests: no batch will take them. */
  takeAll(): WaitingRequest[] {
    return this.#remove(() => true);
  }

  /** @param kept The number of commands left behind that the next batch will take. */
  #take(maxCommands: number, mayBeTaken: (request: Aged) => boolean, kept: number): Aged[] {
    this.#dropGone();
    const { isOverloaded: isNewestFirst } = this.#delay;
    const limits = { maxCommands, mayBeTaken, before: this.#last, isNewestFirst };
    const chosen = maxCommands === 0 ? new Set<Aged>() : nextBatch(this.#requests, limits);
    if (chosen.size > 0) this.#last = contentsOf(chosen);
    const taken = this.#remove((request) => chosen.has(request));
    const nowMs = this.#elapsed();
    this.#delay.leftBehind(this.#ageMs(nowMs), nowMs);
    this.#shed(nowMs, kept);
    return taken;
  }

  /** Drops the commands whose clients have gone: nobody would receive the outcomes. */
  #dropGone(): void {
    if (!this.#requests.some(isGone)) return;
    const gone = this.#remove(isGone);
    this.#ended.gone += commandsIn(gone);
    answerAll(gone, GONE);
  }

  /** Removes requests, and returns them in the order of their arrival. */
  #remove(isRemoved: (request: Aged) => boolean): Aged[] {
    const removed: Aged[] = [];
    let kept = 0;
    for (const request of this.#requests) {
      if (isRemoved(request)) removed.push(request);
      else this.#requests[kept++] = request;
    }
    this.#requests.length = kept;
    this.#length -= commandsIn(removed);
    return removed;
  }

  #ageMs(nowMs: number): number {
    return nowMs - (this.#requests[0]?.sinceMs ?? nowMs);
  }

  /** Compares the age of the oldest command with the limits, and refuses the commands beyond them. */
  #refuseOverdue(nowMs: number): void {
    this.#delay.waited(this.#ageMs(nowMs), nowMs);
    this.#shed(nowMs, MAX_BATCH_COMMANDS);
  }

  /**
   * Refuses the commands that have waited for too long.
   * @param kept The number of the newest that a batch will take, and that are refused after a stall only.
   */
  #shed(nowMs: number, kept: number): void {
    const { maxWaitMs, stallMs } = this.#delay;
    let [refused, surplus] = [0, this.length - kept];
    for (const request of this.#requests) {
      if (nowMs - request.sinceMs < (surplus > 0 ? maxWaitMs : stallMs)) break;
      surplus -= sizeOf(request);
      refused += 1;
    }
    if (refused === 0) return;
    this.#delay.refused(nowMs);
    this.#refuse(
      this.#remove(() => refused-- > 0),
      nowMs,
    );
  }

  #refuse(requests: readonly WaitingRequest[], nowMs: number): void {
    const refused = commandsIn(requests);
    this.#ended.refused += refused;
    this.#notice.refused(refused, this.length, nowMs);
    answerAll(requests, OVERLOADED);
  }

  /** Schedules the next check of the ages while commands wait, or are being refused. */
  #scheduleCheck(): void {
    if (this.#timer !== undefined) return;
    const { targetMs, intervalMs } = this.#limits;
    const everyMs = this.#delay.isOverloaded ? targetMs / CHECKS_PER_TARGET : intervalMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const nowMs = this.#elapsed();
      if (this.length === 0) this.#delay.emptied(nowMs);
      this.#refuseOverdue(nowMs);
      if (!this.#delay.isOverloaded) this.#notice.endIfOver(nowMs);
      if (this.length > 0 || this.#notice.isOpen) this.#scheduleCheck();
    }, everyMs).unref();
  }
}

const OVERLOADED: Outcome = { kind: 'unavailable', cause: 'too many commands are waiting' };
const GONE: Outcome = { kind: 'unavailable', cause: 'the client has disconnected' };
