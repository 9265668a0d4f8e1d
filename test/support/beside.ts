import { setTimeout } from 'node:timers/promises';
import { keyIdOf, mintKeyText } from '../../src/app/keys/api-key.ts';
import { keyRecord } from '../../src/app/keys/first-key.ts';
import type { TreeHead } from '../../src/app/log/merkle-tree.ts';
import type { RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { Outcome, Submission } from '../../src/app/log/submission.ts';
import type { ApiKey, KeyLimits, Scope } from '../../src/app/ports/key-store.ts';
import { Writer } from '../../src/app/write/writer.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { lockForServer } from '../../src/infra/sqlite/start/server-lock.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/store.ts';

export interface ImportedOrder {
  readonly id: bigint;
  readonly petId?: bigint;
  readonly quantity?: number;
  readonly shipDate?: string;
}

/**
 * The time in which a running service has come upon events that another process has appended: it looks for
 * them every 100 ms. The import, the only command that appends to a store that is served, waits likewise.
 */
const NOTICED_MS = 300;

/** Accesses a service's file beside the running service, as the command line does. */
export class Beside implements AsyncDisposable {
  readonly #file: string;
  readonly #store: ReturnType<typeof openSqliteForCommandLine>;
  /** Kept, because a new one reads the whole log. It comes upon the events of others by itself. */
  #writer: Promise<Writer> | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#store = openSqliteForCommandLine(file);
  }

  /** Adds an API key and returns its text. */
  async addKey(scopes: readonly Scope[], expiresAt?: number): Promise<string> {
    const text = mintKeyText();
    const record: Omit<ApiKey, 'id' | 'hash'> = {
      name: 'test',
      scopes,
      createdAt: instant(Date.now()),
      ...(expiresAt === undefined ? {} : { expiresAt: instant(expiresAt) }),
    };
    await this.#store.keys.add(keyRecord(text, record));
    return text;
  }

  async limit(key: string, limits: KeyLimits): Promise<void> {
    await this.#store.keys.limit(keyIdOf(key) as string, limits);
  }

  async revoke(key: string): Promise<void> {
    const id = key.split('_')[1] as string;
    await this.#store.keys.revoke(id, instant(Date.now()));
  }

  /** Executes commands as an import does. Resolves when a running service knows their events. */
  async submit(commands: readonly Submission['command'][]): Promise<readonly Outcome[]> {
    this.#writer ??= Writer.open(this.#store.log);
    const writer = await this.#writer;
    const outcomes = await writer.execute(
      commands.map((command) => ({ command, by: 'import', commandId: 'import' })),
    );
    if (this.#isServed()) await setTimeout(NOTICED_MS);
    return outcomes;
  }

  #isServed(): boolean {
    try {
      lockForServer(this.#file)();
      return false;
    } catch {
      return true;
    }
  }

  /** Places orders with given ids. */
  async place(orders: readonly ImportedOrder[]): Promise<void> {
    const outcomes = await this.submit(
      orders.map(({ id, petId = 1n, quantity = 1, shipDate }) => ({
        type: 'PlaceOrder',
        orderId: id as OrderId,
        petId: petId as PetId,
        quantity,
        ...(shipDate === undefined ? {} : { shipDate: shipDate as Instant }),
      })),
    );
    const refused = outcomes.find(({ kind }) => kind !== 'accepted');
    if (refused !== undefined) throw new Error(`not imported: ${JSON.stringify(refused)}`);
  }

  /** Returns the position of the latest event. */
  head(): Promise<number> {
    return this.#store.log.head();
  }

  /** Returns the size and the root of the log's tree. */
  treeHead(): Promise<TreeHead> {
    return this.#store.trail.treeHead();
  }

  /** Returns every event after a position. */
  async events(after = 0): Promise<readonly RecordedEvent[]> {
    return (await Array.fromAsync(this.#store.log.read(after))).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
  }
}

function instant(time: number): Instant {
  return new Date(time).toISOString() as Instant;
}
