import { CLOCKS } from '../../app/clock.ts';
import type { TreeSource } from '../../app/log/merkle-proofs.ts';
import { leafHash, sizeOf } from '../../app/log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../app/log/recorded-event.ts';
import {
  type AppendResult,
  type Decide,
  type OutcomeName,
  UnreadableEvent,
} from '../../app/ports/event-log.ts';
import { decode } from '../events/codec.ts';
import { CHUNK_ROWS } from '../events/row-mapping.ts';
import { type Appending, failureIn, resultOf } from './append-result.ts';
import { BEGIN, type Begun, type Change, changeBy, isWritten } from './batch.ts';
import { type Connection, inOrder } from './connection/connection.ts';
import { isHeldUp } from './connection/errors.ts';
import { readKept } from './kept-outcomes-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/**
 * Appends under the lock of the log, in two round trips; other appends wait meanwhile. The first
 * locks the log and reads the events that this instance has not seen; the second writes and
 * commits. See the drawing in docs/append-protocols.md, "append under the lock".
 */
export class AppendLocked {
  readonly #appending: Appending;
  #isShared = false;

  constructor(appending: Appending) {
    this.#appending = appending;
  }

  /**
   * True if another instance had appended before the last batch: the next one then locks first,
   * too.
   */
  get isShared(): boolean {
    return this.#isShared;
  }

  async append(
    connection: Connection,
    seen: number,
    decide: Decide,
    names: readonly OutcomeName[],
  ): Promise<AppendResult> {
    let begun: Begun;
    try {
      begun = await this.#appending.reporting(() => this.#begin(connection, seen, names));
    } catch (error) {
      connection.release(error as Error);
      if (isHeldUp(error as Error)) this.#appending.refused(error as Error);
      // Damage is permanent, unlike a failed connection.
      if (error instanceof UnreadableEvent) throw error;
      return { kind: 'unavailable', cause: error as Error };
    }
    this.#isShared = begun.newer.length > 0;
    let change: Change;
    try {
      change = changeBy(begun, decide, () => this.#appending.notifier.isDue());
    } catch (error) {
      await connection.rollBack();
      throw error;
    }
    const forget = this.#appending.known.expect(change.edge);
    const [written, committed] = await Promise.allSettled([
      change.isNothing || isWritten(connection, change.write),
      connection.run('COMMIT'),
    ]);
    const isRoom = written.status === 'rejected' || written.value;
    const error =
      failureIn(written) ??
      failureIn(committed) ??
      // Never observed: the lock excludes other appends.
      (isRoom ? undefined : new Error('the log has grown under its lock'));
    return resultOf(this.#appending, connection, change, true, error).finally(forget);
  }

  // One round trip: all statements are sent before the first is answered. Each sees everything that
  // was committed when it began, so a read after the lock returns the newest events.
  async #begin(
    connection: Connection,
    seen: number,
    names: readonly OutcomeName[],
  ): Promise<Begun> {
    const { known } = this.#appending;
    const before = known.edge;
    const [, edge, first, kept] = await inOrder(
      connection.run(BEGIN),
      this.#lockedEdge(connection),
      readStored(connection, seen, CHUNK_ROWS),
      readKept(connection, names),
    );
    const stored = [...first];
    while (seen + stored.length < sizeOf(edge)) {
      const last = seen + stored.length;
      const next = await readStored(connection, last, CHUNK_ROWS);
      if (next.length === 0) {
        await new MerkleTables(connection).requireWhole();
        // A damaged index: it finds the end of the log, and not what is in front of it.
        throw new UnreadableEvent(last + 1, 'it is missing');
      }
      stored.push(...next);
    }
    await known.follow(edge, before, treeWith(stored, seen, new MerkleTables(connection)));
    return { edge, newer: stored.map(decode), kept };
  }

  async #lockedEdge(connection: Connection): Promise<Buffer> {
    const begunMs = CLOCKS.elapsed();
    const edge = await new MerkleTables(connection).lockedEdge();
    this.#appending.lockWaits.observe((CLOCKS.elapsed() - begunMs) / 1_000);
    return edge;
  }
}

/** Returns a tree whose leaves after a position are those of events that were read already. */
function treeWith(stored: readonly StoredFields[], after: number, tree: TreeSource): TreeSource {
  return {
    leaves(from, count) {
      if (from < after) return tree.leaves(from, count);
      const some = stored.slice(from - after, from - after + count);
      return some.map((event) => leafHash(recordOf(event)));
    },
    nodes: (height, from, count) => tree.nodes(height, from, count),
  };
}
