import { sizeOf } from '../../app/log/merkle-tree.ts';
import type { AppendResult, Decide } from '../../app/ports/event-log.ts';
import { KeptInBatch } from '../events/kept-in-batch.ts';
import { type Appending, failureIn, resultOf } from './append-result.ts';
import { type Change, changeBy, isWritten } from './batch.ts';
import type { Connection } from './connection/connection.ts';
import { MerkleTables } from './merkle-tables.ts';

/** An append in flight, behind which another may be sent on the same connection. */
interface Sent {
  readonly connection: Connection;
  readonly change: Change;
  /** Undefined if the append was overtaken. */
  readonly result: Promise<AppendResult | undefined>;
}

/**
 * Appends with one statement, in one round trip, as long as no other instance appends: the
 * statement writes only if the log's edge is still the one that this instance knows. Appends are
 * pipelined: the next may be sent before the result of the one in flight. It is decided on the
 * events of that one, and conditional on its edge, so it is recorded only if that one was, exactly
 * as it was decided. See the drawing in docs/append-protocols.md, "append alone".
 */
export class AppendAlone {
  readonly #appending: Appending;
  /** The newest append, while it is in flight. */
  #sent: Sent | undefined;

  constructor(appending: Appending) {
    this.#appending = appending;
  }

  /** The append in flight that another may follow. */
  get inFlight(): Sent | undefined {
    const isUsable = this.#sent?.connection.isOpen === true && !this.#appending.db.isRefused;
    return isUsable ? this.#sent : undefined;
  }

  /**
   * Returns the append in flight if it ends at the position up to which the next has seen the log.
   */
  followed(seen: number): Sent | undefined {
    const sent = this.inFlight;
    return sent !== undefined && sizeOf(sent.change.edge) === seen ? sent : undefined;
  }

  /**
   * Appends to the log as this instance knows it. Returns undefined if it was overtaken by an
   * append of another instance: then nothing was recorded, and the decisions are void.
   * @param before The append in flight on the same connection, if any, whose events this decision
   * includes.
   */
  append(connection: Connection, decide: Decide, before?: Sent): Promise<AppendResult | undefined> {
    const { known, notifier } = this.#appending;
    const edge = before?.change.edge ?? known.edge;
    const kept = new KeptInBatch([], () => undefined);
    const change = changeBy({ edge, newer: [], kept }, decide, () => notifier.isDue());
    // If every command is refused, nothing is written: the refusals hold if the edge is still the
    // head.
    const reply = change.isNothing ? isHead(connection, edge) : isWritten(connection, change.write);
    const forget = known.expect(change.edge);
    const result = this.#resultOf(connection, change, reply, before).finally(forget);
    this.#sent = { connection, change, result };
    return result;
  }

  async #resultOf(
    connection: Connection,
    change: Change,
    reply: Promise<boolean>,
    before: Sent | undefined,
  ): Promise<AppendResult | undefined> {
    const [answer] = await Promise.allSettled([reply]);
    if (this.#sent?.change === change) this.#sent = undefined;
    if (answer.status === 'fulfilled' && !answer.value) return undefined;
    const error = failureIn(answer);
    if (error !== undefined && before !== undefined) {
      // An append that follows one of unknown outcome has an unknown outcome, too.
      const first = await before.result;
      if (first?.kind !== 'appended') return first;
    }
    return resultOf(this.#appending, connection, change, false, error);
  }
}

async function isHead(connection: Connection, edge: Buffer): Promise<boolean> {
  return (await new MerkleTables(connection).edge()).equals(edge);
}
