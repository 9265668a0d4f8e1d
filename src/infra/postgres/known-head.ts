/** The newest head of the log that an instance has seen, which every later head must extend. */

import { isExtension } from '../../app/audit/trail/extension.ts';
import { type TreeSource, treeRoot } from '../../app/log/merkle-proofs.ts';
import { Frontier, sizeOf } from '../../app/log/merkle-tree.ts';
import { StoreUnavailable } from '../../app/ports/store.ts';
import type { HeadFile } from '../head/head-file.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { requireEpochsIn } from './database.ts';
import { HERE, HOME_FORM, isHandedOver, isSameDatabase } from './epochs-table.ts';
import { MerkleTables } from './merkle-tables.ts';

/** The interval between attempts to find the right log again, in milliseconds. */
const RECONSIDER_INTERVAL_MS = 1_000;

const EPOCH: Statement = {
  name: 'epoch',
  text: `SELECT coalesce(max(number), 0), (SELECT home FROM store_orders.store),
                (SELECT id FROM store_orders.store), (${HERE.text})
           FROM store_orders.epochs`,
};
type EpochRow = [number: number, home: string | null, id: string, here: string];

const OTHER_LOG_THERE = 'it is another one there';

/**
 * Thrown when the log in the database does not extend the head that this instance has acknowledged.
 */
export class OtherLog extends StoreUnavailable {}

export interface KnownHeadOptions {
  /** Notes each newer edge on this machine, before an event is acknowledged. */
  readonly headFile?: HeadFile | undefined;
  /** Called when the head file cannot be written, with the reason, and when it can again. */
  readonly noted?: (trouble: Error | undefined) => void;
  /** The id of the store when it was opened; absent: any id is accepted. */
  readonly storeId?: string;
  /** The number of the epoch of the log when it was opened; absent: any epoch is accepted. */
  readonly epoch?: number;
  /** Called when the database has another log. */
  readonly replaced?: (cause: Error) => void;
  /** Called when the database has the right log again. */
  readonly restored?: () => void;
}

/**
 * The newest head of the log that this instance has seen, as the tree's right edge. It may have
 * been acknowledged to clients, so every later log must contain it. After a failover to a standby
 * that was behind, it does not, and appending to it would contradict acknowledged events. The
 * database is then refused, until a new connection shows the right log again.
 */
export class KnownHead {
  #edge = new Frontier().pack();
  /** The edges of this instance's appends in flight, which it has computed itself. */
  readonly #own = new Set<Buffer>();
  readonly #db: Database;
  readonly #options: KnownHeadOptions;
  /** True while the newest edge is not in the head file. */
  #isUnwritten = false;
  #reconsidering: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(db: Database, options: KnownHeadOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** The newest edge. Must be read before the database, to compare it with the answer. */
  get edge(): Buffer {
    return this.#edge;
  }

  /** Announces an append of this instance, which leads to an edge, until the function is called. */
  expect(edge: Buffer): () => void {
    this.#own.add(edge);
    return () => this.#own.delete(edge);
  }

  /**
   * Notes an edge that was read, if it is newer. Throws {@link OtherLog} unless it extends the newest
   * edge: a longer log may be another one. Takes a read of the new events, unless they are of an
   * append in flight; {@link edge} is then at least as new as `read`. Throws {@link StoreUnavailable}
   * if it is newer while no commit is confirmed: a failover might take it back.
   * @param before The newest edge when the read began.
   * @param source The tree as it was read, or a newer one.
   */
  async follow(read: Buffer, before: Buffer, source: TreeSource): Promise<void> {
    const { silence } = this.#db.standbys;
    if (silence && sizeOf(read) > sizeOf(this.#edge)) throw new StoreUnavailable(silence);
    for (let known = this.#edge; sizeOf(read) > sizeOf(known); known = this.#edge) {
      const isOwn = this.#own.values().some((edge) => edge.equals(read));
      if (!isOwn && !(await isExtension(known, read, source))) {
        throw this.#refuse(sizeOf(known), OTHER_LOG_THERE);
      }
      // Otherwise, a newer edge was noted meanwhile.
      if (known === this.#edge) break;
    }
    this.note(read, before);
  }

  /**
   * Notes an edge that extends the newest one, if it is newer. Throws {@link OtherLog} if it
   * contradicts `before`.
   * @param before The newest edge when the read began.
   * @param highestId The highest id among the events that this instance has added with it.
   */
  note(read: Buffer, before: Buffer, highestId?: bigint): void {
    const [size, known] = [sizeOf(read), sizeOf(before)];
    if (size < known) throw this.#refuse(known, `it ends at position ${size}`);
    if (size === known && !read.equals(before)) throw this.#refuse(known, OTHER_LOG_THERE);
    if (size > sizeOf(this.#edge)) this.#edge = read;
    else if (!this.#isUnwritten) return;
    this.#write(highestId);
  }

  /**
   * Notes the known edge on this machine. If that fails, each later call of {@link note} tries again:
   * an event that the database has recorded is acknowledged nevertheless.
   */
  #write(highestId?: bigint): void {
    const { headFile, noted } = this.#options;
    if (headFile === undefined) return;
    const tree = Frontier.unpack(this.#edge);
    headFile.tryToWrite({ position: tree.size, root: tree.root().toString('hex') }, highestId);
    const { unwritten } = headFile;
    if (this.#isUnwritten === (unwritten !== undefined)) return;
    this.#isUnwritten = unwritten !== undefined;
    noted?.(unwritten);
  }

  /** Throws {@link OtherLog} unless the log on a new connection extends the known head. */
  async compare(connection: Queryable): Promise<void> {
    const before = this.#edge;
    const known = sizeOf(before);
    await this.requireSameStore(connection);
    if (known === 0) return;
    const tree = new MerkleTables(connection);
    const edge = await tree.edge();
    if (sizeOf(edge) < known) throw this.#refuse(known, `it ends at position ${sizeOf(edge)}`);
    await tree.requireWhole();
    const root = Frontier.unpack(before).root();
    if (!root.equals(await treeRoot(known, tree))) throw this.#refuse(known, OTHER_LOG_THERE);
    // Only after the comparison: an edge of another history must never become the known one.
    await this.follow(edge, before, tree);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#reconsidering);
    this.#options.headFile?.restore();
    this.#options.headFile?.close();
  }

  /**
   * Throws if the store has another id, is a copy in another database, which goes on in an epoch of its
   * own, or if its log has another epoch. Of what a newer one gave up, this
   * instance may have folded events, which a restart does not. An older one is of another database,
   * such as an old copy.
   */
  async requireSameStore(connection: Queryable): Promise<void> {
    const { storeId, epoch } = this.#options;
    if (epoch === undefined) return;
    const known = sizeOf(this.#edge);
    const [[number, home, id, here] = [0, null, '', '']] = await connection.query<EpochRow>(EPOCH);
    if (isHandedOver(home)) throw this.#refuse(known, 'it was moved to another place');
    if (storeId !== undefined && id !== storeId)
      throw this.#refuse(known, `it is of the store ${id}, and this instance serves ${storeId}`);
    // The server's own id is compared at a start: to read it takes a right, and a query more.
    if (home !== null && HOME_FORM.test(home) && !isSameDatabase(home, `/${here}`))
      throw this.#refuse(known, 'it is a copy: stop all instances, and start them again');
    if (number === epoch) return;
    // A row that nobody has recorded begins no epoch, and a restart would be refused because of it.
    await requireEpochsIn(connection);
    throw this.#refuse(
      known,
      number > epoch
        ? `it continues in epoch ${number}: restart this instance`
        : `it is in epoch ${number}, and this instance in epoch ${epoch}: it is an older or another one`,
    );
  }

  #refuse(known: number, wrong: string): OtherLog {
    const error = new OtherLog(
      new Error(`the log lacks acknowledged events up to position ${known}: ${wrong}`),
    );
    if (this.#db.refuse(error)) {
      this.#options.replaced?.(error);
      this.#reconsiderLater();
    }
    return error;
  }

  #reconsiderLater(): void {
    this.#reconsidering = setTimeout(async () => {
      try {
        await this.#db.reconsider();
        this.#options.restored?.();
      } catch {
        if (!this.#isClosed) this.#reconsiderLater();
      }
    }, RECONSIDER_INTERVAL_MS).unref();
  }
}
