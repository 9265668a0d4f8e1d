import { ALL_IDS } from '../../../src/app/log/epochs.ts';
import type { Outcome, Submission } from '../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../src/app/ports/batch-writer.ts';
import { ReadModel } from '../../../src/app/read/read-model.ts';
import { OrderList, type OrderView } from '../../../src/app/state/order-list.ts';
import { CommandProcessor } from '../../../src/app/write/command-processor.ts';
import type { Client } from '../../../src/app/write/waiting-request.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import { Connection } from './connection.ts';
import { DATABASE_ENDED } from './database.ts';
import type { World } from './world.ts';

/** The service's own parts in one process: the queue, the writer and the list, on a simulated log. */

const RESTART_MS = 50;

type List = OrderList<readonly OrderView[]>;

interface Parts {
  readonly commands: CommandProcessor;
  readonly readModel: ReadModel<readonly OrderView[]>;
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
    if ((this.#parts?.commands.waiting.length ?? 0) > 0)
      this.#world.happened('an instance ended with a queue');
    this.#life += 1;
    this.#parts = undefined;
    void this.#connection?.close();
    // The database is in the same process.
    if (!this.#world.isFar) this.#world.database.restart();
    this.#world.time.after(RESTART_MS, () => void this.start());
  }

  /** Resolves with outcomes; never, if the process ends first. Undefined if it is not up. */
  submit(request: readonly Submission[], client: Client): Promise<readonly Outcome[]> | undefined {
    const [life, commands] = [this.#life, this.#parts?.commands];
    if (commands === undefined) return undefined;
    const outcomes =
      request[0]?.group === undefined
        ? commands.submit(request[0] as Submission, client).then((outcome) => [outcome])
        : commands.submitGroup(request, client);
    return this.#unlessEnded(life, outcomes);
  }

  /** Resolves with the list; never, if the process ends first. Undefined if it is not up. */
  list(): Promise<List> | undefined {
    const [life, readModel] = [this.#life, this.#parts?.readModel];
    return readModel && this.#unlessEnded(life, readModel.current());
  }

  async #open(connection: Connection): Promise<Parts> {
    const { random, isFar, time } = this.#world;
    const list: List = new OrderList((orders) => orders);
    const { fault } = this.#world;
    const readModel = new ReadModel(fault.reader?.(connection) ?? connection, list);
    await readModel.current();
    // As the two engines do: one list for both sides, or a writer with an image of its own.
    const sound = isFar
      ? Writer.startOf(list).makeWriter(connection, ALL_IDS)
      : await Writer.open(connection, () => time.wallMs);
    const writer = fault.writer?.(sound, connection) ?? sound;
    readModel.follow(() => this.#world.happened('a list could not follow the log'));
    const commands = new CommandProcessor(this.#watched(writer), (cause) => this.#stopped(cause), {
      inDoubt: isFar ? 'go on' : 'stop',
      utilization: () => (this.#world.isBusy ? 1 : random.below(100) / 100),
    });
    return { commands, readModel };
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

  #unlessEnded<Result>(life: number, result: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      result.then(
        (value) => life === this.#life && resolve(value),
        (error) => life === this.#life && reject(error),
      );
    });
  }
}
