/** The queue of commands before the write side, bounded in length. */

import type { Outcome, Submission } from '../log/submission.ts';

const MAX_WAITING_COMMANDS = 16_384;

/** A command that is in no batch yet, and how its client gets the outcome. */
export interface WaitingCommand {
  readonly submission: Submission;
  readonly resolve: (outcome: Outcome) => void;
}

/**
 * The commands that wait for a batch, oldest first. Every batch is taken here and nowhere else: the
 * place for a policy by age, such as to refuse what has waited too long.
 */
export class CommandQueue {
  readonly #commands: WaitingCommand[] = [];

  get length(): number {
    return this.#commands.length;
  }

  /** True if the next command is to be refused, because the service is busy. */
  get isFull(): boolean {
    return this.#commands.length >= MAX_WAITING_COMMANDS;
  }

  add(command: WaitingCommand): void {
    this.#commands.push(command);
  }

  /** Takes the next commands. */
  take(maxCommands: number): WaitingCommand[] {
    return this.#commands.splice(0, maxCommands);
  }

  /** The same, up to the first with an idempotency key. */
  takeUnkeyed(maxCommands: number): WaitingCommand[] {
    const keyed = this.#commands.findIndex(
      ({ submission }) => submission.idempotencyKey !== undefined,
    );
    return this.take(keyed === -1 ? maxCommands : Math.min(keyed, maxCommands));
  }
}
