import type { OrderId } from '../../domain/order-id.ts';
import { endsFrom, groupOf, type Outcome, randomEnds, type Submission } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import { BadLines, type DueLine } from './import-check.ts';

/**
 * The commands in a batch, which bound the time for which a server waits for the log, and the memory
 * that a batch takes. An order takes two at most.
 */
const BATCH_COMMANDS = 2_048;
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
  /** The number of lines that others have carried out since the check, such as a second import. */
  present = 0;
  /** Lines whose orders were changed otherwise by other clients since the check. */
  readonly overtaken = new BadLines();
  readonly #writer: BatchWriter;
  readonly #id: string;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  readonly #isPresent: (id: OrderId) => boolean;

  /**
   * @param id The prefix of every event's command id, before the number of the line and a random text.
   * @param wait Resolves after a number of milliseconds.
   * @param isPresent Returns true if an order is as its line gives it: asked of those that were refused.
   */
  constructor(
    writer: BatchWriter,
    id: string,
    wait: (milliseconds: number) => Promise<unknown>,
    isPresent: (id: OrderId) => boolean,
  ) {
    this.#writer = writer;
    this.#id = id;
    this.#wait = wait;
    this.#isPresent = isPresent;
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
    let pause: Promise<unknown> = Promise.resolve();
    for (const batch of batches(due)) {
      // The batch was planned during the pause, without the log.
      await pause;
      const outcomes = await this.#execute(this.#requestsOf(batch));
      const undecided = outcomes.find(isUndecided);
      if (undecided !== undefined) return undecided;
      this.#count(batch, outcomes);
      done += batch.length;
      advanced(done, batch);
      pause = this.#wait(PAUSE_MS);
    }
    return undefined;
  }

  /**
   * Returns the commands of each line as one request, which is carried out as a whole or not at all: nobody
   * sees an order as pending that was shipped long ago, and if another client has placed an order
   * under the same id by now, that is not shipped.
   */
  #requestsOf(batch: readonly DueLine[]): readonly Submission[] {
    const ends = randomEnds(batch.reduce((sum, { commands }) => sum + commands.length, 0));
    let at = 0;
    return batch.flatMap(({ line, commands }) => {
      const own = endsFrom(ends, at, commands.length);
      at += commands.length;
      return groupOf(commands, { by: 'import', commandId: `${this.#id}:${line}` }, true, own);
    });
  }

  async #execute(batch: readonly Submission[]): Promise<readonly Outcome[]> {
    for (const retryMs of RETRY_MS) {
      const outcomes = await this.#writer.execute(batch);
      if (outcomes[0]?.kind !== 'unavailable') return outcomes;
      await this.#wait(retryMs);
    }
    return this.#writer.execute(batch);
  }

  #count(batch: readonly DueLine[], outcomes: readonly Outcome[]): void {
    let at = 0;
    for (const { line, id, commands } of batch) {
      const reason = reasonIn(outcomes.slice(at, at + commands.length));
      at += commands.length;
      if (reason === undefined) for (const { type } of commands) this.accepted[type] += 1;
      else if (this.#isPresent(id)) this.present += 1;
      else this.overtaken.add(line, `the order has changed since it was checked (${reason})`);
    }
  }
}

/** Returns the reason for which a line was refused, if it was: that of one of its commands. */
function reasonIn(outcomes: readonly Outcome[]): string | undefined {
  const reasons = outcomes.flatMap((each) => (each.kind === 'rejected' ? [each.reason] : []));
  return reasons.find((reason) => reason !== 'batch_refused');
}

function isUndecided(outcome: Outcome): outcome is Undecided {
  return outcome.kind === 'unavailable' || outcome.kind === 'unknown';
}

function* batches(due: Iterable<DueLine>): Iterable<readonly DueLine[]> {
  let batch: DueLine[] = [];
  let size = 0;
  for (const line of due) {
    if (size + line.commands.length > BATCH_COMMANDS) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(line);
    size += line.commands.length;
  }
  if (batch.length > 0) yield batch;
}
