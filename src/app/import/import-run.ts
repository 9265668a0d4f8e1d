import type { OrderCommand } from '../../domain/order.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import type { Outcome } from '../submission.ts';
import { BadLines, type DueLine } from './import-check.ts';

/** How many orders a batch holds: it bounds how long a server beside us has to wait. */
const BATCH = 8_192;
/** How long the log is left to others after a batch, in milliseconds. */
const TURN = 10;
/** After how many milliseconds a batch is sent again to a log that is busy, time after time. */
const AGAIN_AFTER = [250, 500, 1_000, 2_000];

type Undecided = Exclude<Outcome, { kind: 'accepted' | 'rejected' }>;

/**
 * The second pass of an import: sends the commands in batches, leaves the log to others in
 * between, and counts what was done.
 */
export class ImportRun {
  /** How many commands of each type were accepted. What they led to is durable. */
  readonly accepted = { PlaceOrder: 0, ShipOrder: 0, CancelOrder: 0 };
  /** Lines whose orders others have changed since the check. */
  readonly overtaken = new BadLines();
  readonly #writer: BatchWriter;
  readonly #id: string;
  readonly #wait: (milliseconds: number) => Promise<unknown>;

  /**
   * @param id Goes, with the number of the line, into the command id of every event.
   * @param wait Resolves after so many milliseconds.
   */
  constructor(writer: BatchWriter, id: string, wait: (milliseconds: number) => Promise<unknown>) {
    this.#writer = writer;
    this.#id = id;
    this.#wait = wait;
  }

  /**
   * Resolves when everything that was due is done, or with the outcome that ended it early.
   *
   * @param advanced Is told, after every batch, how many lines are done.
   */
  async run(
    due: Iterable<DueLine>,
    advanced: (lines: number) => void,
  ): Promise<Undecided | undefined> {
    let done = 0;
    for (const batch of batches(due)) {
      const undecided = await this.#runBatch(batch);
      if (undecided !== undefined) return undecided;
      done += batch.length;
      advanced(done);
      await this.#wait(TURN);
    }
    return undefined;
  }

  // First the first command of every line, then the second of those whose first was accepted: if
  // somebody else has placed an order under the same id by now, theirs must not be shipped.
  async #runBatch(batch: readonly DueLine[]): Promise<Undecided | undefined> {
    let due = batch;
    while (due.length > 0) {
      const outcomes = await this.#execute(due);
      const undecided = outcomes.find(isUndecided);
      if (undecided !== undefined) return undecided;
      due = due
        .filter((line, index) => this.#count(line, outcomes[index] as Outcome))
        .map(({ line, commands: [, ...rest] }) => ({ line, commands: rest }))
        .filter(({ commands }) => commands.length > 0);
    }
    return undefined;
  }

  /** Sends the first command of every line. */
  async #execute(due: readonly DueLine[]): Promise<readonly Outcome[]> {
    const batch = due.map(({ line, commands: [command] }) => ({
      command: command as OrderCommand,
      by: 'import',
      commandId: `${this.#id}:${line}`,
    }));
    for (const again of AGAIN_AFTER) {
      const outcomes = await this.#writer.execute(batch);
      if (outcomes[0]?.kind !== 'unavailable') return outcomes;
      await this.#wait(again);
    }
    return this.#writer.execute(batch);
  }

  /** Counts what became of a line's first command. False if the others must not be sent. */
  #count({ line, commands: [command] }: DueLine, outcome: Outcome): boolean {
    if (outcome.kind === 'rejected') {
      this.overtaken.add(line, `the order has changed since it was checked (${outcome.reason})`);
      return false;
    }
    this.accepted[(command as OrderCommand).type] += 1;
    return true;
  }
}

function isUndecided(outcome: Outcome): outcome is Undecided {
  return outcome.kind === 'unavailable' || outcome.kind === 'unknown';
}

function* batches(due: Iterable<DueLine>): Iterable<readonly DueLine[]> {
  let batch: DueLine[] = [];
  for (const line of due) {
    if (batch.push(line) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
