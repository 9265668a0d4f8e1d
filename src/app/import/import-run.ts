import type { OrderCommand } from '../../domain/order.ts';
import { idWithEnd, type Outcome, randomEnds } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import { BadLines, type DueLine } from './import-check.ts';

/**
 * The orders in a batch, which bound the time for which a server waits for the log, and the memory
 * that a batch takes.
 */
const BATCH_ORDERS = 2_048;
/** The pause after a batch, in which a server can use the log, in milliseconds. */
const PAUSE_MS = 5;
/** The delays before a batch is sent again to a busy log, in milliseconds. */
const RETRY_MS = [250, 500, 1_000, 2_000];

type Undecided = Exclude<Outcome, { kind: 'accepted' | 'rejected' }>;

/**
 * The second pass of an import: sends the commands in batches, with pauses in which a server can
 * use the log, and counts the accepted ones.
 */
export class ImportRun {
  /** The number of accepted commands of each type. Their events are durable. */
  readonly accepted = { PlaceOrder: 0, ShipOrder: 0, CancelOrder: 0 };
  /** Lines whose orders were changed by other clients since the check. */
  readonly overtaken = new BadLines();
  readonly #writer: BatchWriter;
  readonly #id: string;
  readonly #wait: (milliseconds: number) => Promise<unknown>;

  /**
   * @param id The prefix of every event's command id, before the number of the line and a random text.
   * @param wait Resolves after a number of milliseconds.
   */
  constructor(writer: BatchWriter, id: string, wait: (milliseconds: number) => Promise<unknown>) {
    this.#writer = writer;
    this.#id = id;
    this.#wait = wait;
  }

  /**
   * Resolves when all due lines are done, or with the outcome that ended the import early.
   * @param advanced Called after every batch with the number of lines done, and with its lines.
   */
  async run(
    due: Iterable<DueLine>,
    advanced: (lines: number, batch: readonly DueLine[]) => void,
  ): Promise<Undecided | undefined> {
    let done = 0;
    for (const batch of batches(due)) {
      const undecided = await this.#runBatch(batch);
      if (undecided !== undefined) return undecided;
      done += batch.length;
      advanced(done, batch);
      await this.#wait(PAUSE_MS);
    }
    return undefined;
  }

  // First sends the first command of every line, then the second one of those whose first was
  // accepted: if another client has placed an order under the same id by now, that must not be
  // shipped.
  async #runBatch(batch: readonly DueLine[]): Promise<Undecided | undefined> {
    let due = batch;
    while (due.length > 0) {
      const outcomes = await this.#execute(due);
      const undecided = outcomes.find(isUndecided);
      if (undecided !== undefined) return undecided;
      due = due
        .filter((line, index) => this.#count(line, outcomes[index] as Outcome))
        .map(({ commands: [, ...rest], ...line }) => ({ ...line, commands: rest }))
        .filter(({ commands }) => commands.length > 0);
    }
    return undefined;
  }

  /** Sends the first command of every line. */
  async #execute(due: readonly DueLine[]): Promise<readonly Outcome[]> {
    const ends = randomEnds(due.length);
    const batch = due.map(({ line, commands: [command] }, index) => ({
      command: command as OrderCommand,
      by: 'import',
      commandId: idWithEnd(`${this.#id}:${line}`, ends, index),
    }));
    for (const retryMs of RETRY_MS) {
      const outcomes = await this.#writer.execute(batch);
      if (outcomes[0]?.kind !== 'unavailable') return outcomes;
      await this.#wait(retryMs);
    }
    return this.#writer.execute(batch);
  }

  /** Counts the outcome of a line's first command. Returns false if its others must not be sent. */
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
    if (batch.push(line) < BATCH_ORDERS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
