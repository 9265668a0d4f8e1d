import { treeRoot } from '../../app/audit/merkle-proofs.ts';
import { Frontier } from '../../app/audit/merkle-tree.ts';
import { StoreUnavailable } from '../../app/ports/store.ts';
import type { Queryable, Statement } from './database.ts';
import type { EdgeWitness } from './local-witness.ts';
import { MerkleTables, sizeOf } from './merkle-tables.ts';

const EPOCH: Statement = {
  name: 'epoch',
  text: 'SELECT coalesce(max(number), 0) FROM store_orders.epochs',
};

/** The log in the database is not the one that this instance has told its clients of. */
export class OtherLog extends StoreUnavailable {}

/**
 * The newest head of the log that this instance has seen, by its tree's right edge. Clients may
 * have been told of it, so it must never be gone: after a failover to a standby that was behind,
 * the log is another one, and to go on with it would be to deny what was acknowledged.
 */
export class KnownHead {
  #edge = new Frontier().pack();
  readonly #witness: EdgeWitness | undefined;

  readonly #epoch: number | undefined;

  /**
   * @param witness Told of each newer edge, before anybody else is.
   * @param epoch The number of the epoch that the log is in; undefined where that does not matter.
   */
  constructor(witness?: EdgeWitness, epoch?: number) {
    this.#witness = witness;
    this.#epoch = epoch;
  }

  /** What is known now: to be read before the database is asked, and compared with its answer. */
  get edge(): Buffer {
    return this.#edge;
  }

  /**
   * Notes an edge that was read, if it is newer. Throws {@link OtherLog} if it cannot be.
   * @param highestId The highest id among the events that this instance has added with it.
   */
  note(read: Buffer, before: Buffer, highestId?: bigint): void {
    const [size, known] = [sizeOf(read), sizeOf(before)];
    if (size < known) throw otherLog(known, `it ends at position ${size}`);
    if (size === known && !read.equals(before)) throw otherLog(known, 'it is another one there');
    if (size <= sizeOf(this.#edge)) return;
    this.#edge = read;
    this.#witness?.note(read, highestId);
  }

  /** Sees whether the log, as a new connection shows it, still has all that is known of it. */
  async compare(connection: Queryable): Promise<void> {
    const before = this.#edge;
    const known = sizeOf(before);
    await this.#requireEpoch(connection, known);
    if (known === 0) return;
    const tree = new MerkleTables(connection);
    const edge = await tree.edge();
    if (sizeOf(edge) < known) throw otherLog(known, `it ends at position ${sizeOf(edge)}`);
    await tree.requireWhole();
    const root = Frontier.unpack(before).root();
    if (!root.equals(await treeRoot(known, tree))) throw otherLog(known, 'it is another one there');
    // Not before: what has gone on in another way is never to be known.
    this.note(edge, before);
  }

  /** What this instance has in memory may be of what was given up with the epoch before. */
  async #requireEpoch(connection: Queryable, known: number): Promise<void> {
    if (this.#epoch === undefined) return;
    const [[number] = [0]] = await connection.query<[number]>(EPOCH);
    if (number === this.#epoch) return;
    throw otherLog(known, `it goes on in epoch ${number}: restart this instance`);
  }
}

function otherLog(known: number, wrong: string): OtherLog {
  return new OtherLog(
    new Error(`the log has lost what was acknowledged up to position ${known}: ${wrong}`),
  );
}
