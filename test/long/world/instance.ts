import type { RequestListener } from 'node:http';
import { ALL_IDS } from '../../../src/app/log/epochs.ts';
import type { Outcome, Submission } from '../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../src/app/ports/batch-writer.ts';
import { ReadModel } from '../../../src/app/read/read-model.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { CommandProcessor } from '../../../src/app/write/command-processor.ts';
import type { Client } from '../../../src/app/write/queue/waiting-request.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { ListChunk } from '../../../src/http/answers/list-chunk.ts';
import { ListMemory } from '../../../src/http/answers/list-memory.ts';
import { MemoryRefusals } from '../../../src/infra/memory/refusals.ts';
import { MemoryTrail } from '../../../src/infra/memory/trail.ts';
import { listenerWith } from '../../support/targets.ts';
import { Connection } from './connection.ts';
import { DATABASE_ENDED, EPOCHS } from './database.ts';
import { type Exchange, exchange, type Message } from './http.ts';
import type { World } from './world.ts';

/** The service's own parts in one process, from HTTP to the port of the log, on a simulated log. */

const RESTART_MS = 50;

/** The log has no tree: its proofs are not a part of the world. */
const NO_TRAIL = new MemoryTrail();

interface Parts {
  readonly app: RequestListener;
  readonly commands: CommandProcessor;
}

/** An instance that is started again whenever it has ended. */
export class Instance {
  readonly number: number;
  readonly #world: World;
  #parts: Parts | undefined;
  #connection: Connection | undefined;
  /** Grows with each end: what was begun before it is never answered. */
  #life = 0;

  constructor(world: World, number: number) {
    this.#world = world;
    this.number = number;
  }

  get isUp(): boolean {
    return this.#parts !== undefined;
  }

  /** Starts the process; tries again until the database can be read. */
  async start(): Promise<void> {
    const life = this.#life;
    const { database, isFar } = this.#world;
    const connection = new Connection(this.#world, database, isFar);
    const parts = await this.#open(connection).catch(() => undefined);
    if (life !== this.#life || this.#world.isOver) return connection.close();
    if (parts === undefined) {
      void connection.close();
      this.#world.time.after(RESTART_MS, () => void this.start());
      return;
    }
    this.#connection = connection;
    this.#parts = parts;
    this.#world.note(`instance ${this.number} is up`);
  }

  /** Ends the process at once; another one starts in its place. */
  kill(why: string): void {
    if (!this.isUp) return;
    this.#world.note(`instance ${this.number} ends: ${why}`);
    const waiting = this.#parts?.commands.waiting.length ?? 0;
    if (waiting > 0) this.#world.happened('an instance ended with a queue');
    this.#life += 1;
    this.#parts = undefined;
    void this.#connection?.close();
    // The database is in the same process.
    if (!this.#world.isFar) this.#world.database.restart();
    this.#world.time.after(RESTART_MS, () => void this.start());
  }

  /** Sends a request. Its reply never comes if the process ends first. Undefined if it is not up. */
  send(message: Message): Exchange | undefined {
    const [life, parts] = [this.#life, this.#parts];
    if (parts === undefined) return undefined;
    const { reply, cut } = exchange(parts.app, message);
    const unlessEnded = new Promise<Awaited<typeof reply>>((resolve) => {
      reply.then((answer) => life === this.#life && resolve(answer));
    });
    return { reply: unlessEnded, cut };
  }

  async #open(connection: Connection): Promise<Parts> {
    const { random, isFar, time, fault, keys } = this.#world;
    const listMemory = new ListMemory(Number.POSITIVE_INFINITY);
    const list = new OrderList<ListChunk>(listMemory.encode);
    const readModel = new ReadModel(fault.reader?.(connection) ?? connection, list);
    await readModel.current();
    // As the two engines do: one list for both sides, or a writer with an image of its own.
    const sound = isFar
      ? Writer.startOf(list).makeWriter(connection, ALL_IDS)
      : await Writer.open(connection, () => time.wallMs);
    const writer = fault.writer?.(sound, connection) ?? sound;
    readModel.follow(() => this.#world.happened('a list could not follow the log'));
    const life = this.#life;
    const decided = (request: readonly Submission[], outcomes: readonly Outcome[]) => {
      if (life === this.#life) this.#world.decided(request, outcomes);
    };
    const commands = new WatchedProcessor(
      decided,
      this.#watched(writer),
      (cause) => this.#stopped(cause),
      {
        inDoubt: isFar ? 'go on' : 'stop',
        utilization: () => (this.#world.isBusy ? 1 : random.below(100) / 100),
      },
    );
    const store = { epochs: EPOCHS, log: connection, trail: NO_TRAIL, keys, refusals: REFUSALS };
    return { app: listenerWith(store, { commands, readModel, listMemory }), commands };
  }

  /** The service stops after an outcome in doubt, if the database is in its process. */
  #stopped(cause: string): void {
    const isRight = !this.#world.isFar && cause === DATABASE_ENDED;
    if (!isRight) this.#world.fail(`the writer is lost: ${cause}`);
    this.kill(cause);
  }

  /** Notes the states of batches that a search has to reach. */
  #watched(writer: BatchWriter): BatchWriter {
    return {
      get takesMore() {
        return writer.takesMore === true;
      },
      execute: (batch, latecomers = () => []) => {
        return writer.execute(batch, () => {
          const late = latecomers();
          if (late.length > 0) this.#world.happened('latecomers joined a batch');
          return late;
        });
      },
    };
  }
}

const REFUSALS = new MemoryRefusals();

/** Shows the outcome of every command to the world, beside its client. */
class WatchedProcessor extends CommandProcessor {
  readonly #decided: (request: readonly Submission[], outcomes: readonly Outcome[]) => void;

  constructor(
    decided: (request: readonly Submission[], outcomes: readonly Outcome[]) => void,
    ...given: ConstructorParameters<typeof CommandProcessor>
  ) {
    super(...given);
    this.#decided = decided;
  }

  override async submit(submission: Submission, client?: Client): Promise<Outcome> {
    const outcome = await super.submit(submission, client);
    this.#decided([submission], [outcome]);
    return outcome;
  }

  override async submitGroup(
    submissions: readonly Submission[],
    client?: Client,
  ): Promise<readonly Outcome[]> {
    const outcomes = await super.submitGroup(submissions, client);
    this.#decided(submissions, outcomes);
    return outcomes;
  }
}
