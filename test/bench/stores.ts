import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Submission } from '../../src/app/log/submission.ts';
import { Writer } from '../../src/app/write/writer.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { headFileOf } from '../../src/infra/sqlite/head-file.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/store.ts';
import { newFolder } from './processes.ts';
import { Skip } from './row.ts';

/** The number of commands in one transaction while a store is filled. */
const BATCH_ORDERS = 5_000;

export const SHIP_DATE = '2026-06-01T12:00:00.000Z' as Instant;

/** A store's file, and the last position of its log. */
export interface StoreFile {
  readonly file: string;
  /** Its address if it is in PostgreSQL; the file is unused then. */
  readonly url?: string;
  readonly orders: number;
  readonly head: number;
}

/** Creates stores of every size, each filled once through the real write side, then copied. */
export class Stores {
  readonly #folder = newFolder();
  readonly #filled = new Map<string, Promise<StoreFile>>();

  /** Returns a copy, in a folder of its own, of a store with the given number of pending orders. */
  async pending(orders: number): Promise<StoreFile> {
    return copy(await this.#once(`pending-${orders}`, (file) => fillPending(file, orders)));
  }

  /**
   * Returns the same with a second event for every other order: half of these shipped, half
   * cancelled.
   */
  async lived(orders: number): Promise<StoreFile> {
    const filled = this.#once(`lived-${orders}`, async (file) => {
      const { file: pending } = await this.#once(`pending-${orders}`, (file) =>
        fillPending(file, orders),
      );
      copyStore(pending, file);
      await execute(file, orders, [live]);
      return { file, orders, head: orders + Math.floor(orders / 2) };
    });
    return copy(await filled);
  }

  /**
   * Returns a store with half as many events again as orders, all of which are shipments; the first
   * orders are pending. It is no copy, because it may be too large for several. Throws {@link Skip}.
   * @param limitMs The longest time in milliseconds.
   */
  async alone(orders: number, pending: number, limitMs: number): Promise<StoreFile> {
    const file = join(newFolder(), 'store.db');
    const shipEvenAfter: CommandFor = (id) => {
      if (id <= pending || id % 2 === 1) return undefined;
      return { type: 'ShipOrder', orderId: BigInt(id) as OrderId, shipDate: SHIP_DATE };
    };
    await execute(file, orders, [place, shipEvenAfter], limitMs);
    return { file, orders, head: orders + Math.floor(orders / 2) - Math.floor(pending / 2) };
  }

  #once(name: string, fill: (file: string) => Promise<StoreFile>): Promise<StoreFile> {
    const filled = this.#filled.get(name) ?? fill(join(this.#folder, `${name}.db`));
    this.#filled.set(name, filled);
    return filled;
  }
}

async function fillPending(file: string, orders: number): Promise<StoreFile> {
  await execute(file, orders, [place]);
  return { file, orders, head: orders };
}

type CommandFor = (id: number) => Submission['command'] | undefined;

/**
 * Executes commands for each of the ids 1 to `orders` through the write side: batch by batch, those of
 * the first kind, then those of the next.
 * @param limitMs The longest time in milliseconds.
 */
async function execute(
  file: string,
  orders: number,
  kinds: readonly CommandFor[],
  limitMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const end = performance.now() + limitMs;
  const store = openSqliteForCommandLine(file);
  const writer = await Writer.open(store.log);
  for (let first = 1; first <= orders; first += BATCH_ORDERS) {
    const count = Math.min(BATCH_ORDERS, orders - first + 1);
    const ids = Array.from({ length: count }, (_, n) => first + n);
    for (const commandFor of kinds) {
      const commands = ids.map(commandFor).filter((command) => command !== undefined);
      const outcomes = await writer.execute(
        commands.map((command) => ({ command, by: 'bench', commandId: 'bench' })),
      );
      if (outcomes.some(({ kind }) => kind !== 'accepted'))
        throw new Error('a store was not filled');
    }
    if (performance.now() > end) throw new Skip(`only ${first} orders were placed in time`);
  }
  // Closing the last connection moves everything from the WAL into the file, which can be copied
  // then.
  await store.close();
  if (existsSync(`${file}-wal`)) throw new Error(`${file} was not closed completely`);
}

function place(id: number): Submission['command'] {
  return {
    type: 'PlaceOrder',
    orderId: BigInt(id) as OrderId,
    petId: BigInt(1 + (id % 1_000)) as PetId,
    quantity: 1 + (id % 5),
    ...(id % 4 === 0 ? {} : { shipDate: shipDateOf(id) }),
  };
}

// Neighbours ship on different days, as in reality, so that caching one date does not help the
// next.
function shipDateOf(id: number): Instant {
  const time = Date.parse(SHIP_DATE) + (id % 97) * 86_400_000 + (id % 9_973) * 1_000;
  return new Date(time).toISOString() as Instant;
}

function live(id: number): Submission['command'] | undefined {
  const orderId = BigInt(id) as OrderId;
  if (id % 4 === 2) return { type: 'ShipOrder', orderId, shipDate: SHIP_DATE };
  return id % 4 === 0 ? { type: 'CancelOrder', orderId } : undefined;
}

function copy({ file, ...rest }: StoreFile): StoreFile {
  const copied = join(newFolder(), 'store.db');
  copyStore(file, copied);
  return { file: copied, ...rest };
}

/** Copies a closed store with its head file, without which it would be refused. */
function copyStore(from: string, to: string): void {
  for (const name of [(file: string) => file, headFileOf]) {
    copyFileSync(name(from), name(to), constants.COPYFILE_FICLONE);
  }
}
