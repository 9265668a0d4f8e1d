import { type ApiKey, mintKeyText, type Scope } from '../../src/app/api-key.ts';
import type { TreeHead } from '../../src/app/audit/merkle-tree.ts';
import { keyRecord } from '../../src/app/first-key.ts';
import type { RecordedEvent } from '../../src/app/recorded-event.ts';
import type { Outcome, Submission } from '../../src/app/submission.ts';
import { Writer } from '../../src/app/writer.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/sqlite-store.ts';

export interface ImportedOrder {
  readonly id: bigint;
  readonly petId?: bigint;
  readonly quantity?: number;
  readonly shipDate?: string;
}

/** Works on a service's file beside the running service, as the command line tools do. */
export class Beside implements AsyncDisposable {
  readonly #store: ReturnType<typeof openSqliteForCommandLine>;

  constructor(file: string) {
    this.#store = openSqliteForCommandLine(file);
  }

  /** Adds a key and returns its text. */
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

  async revoke(key: string): Promise<void> {
    const id = key.split('_')[1] as string;
    await this.#store.keys.revoke(id, instant(Date.now()));
  }

  /** Has commands decided and recorded, as an import does. */
  async submit(commands: readonly Submission['command'][]): Promise<readonly Outcome[]> {
    const writer = await Writer.open(this.#store.log);
    return writer.execute(
      commands.map((command) => ({ command, by: 'import', commandId: 'import' })),
    );
  }

  /** Places orders whose ids come from elsewhere. */
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

  /** The position of the newest event. */
  head(): Promise<number> {
    return this.#store.log.head();
  }

  /** The tree over the log. */
  treeHead(): Promise<TreeHead> {
    return this.#store.trail.treeHead();
  }

  /** Every event after a position. */
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
