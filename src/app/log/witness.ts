/**
 * Witnesses: records outside the database of the newest acknowledged state of its log, by which a
 * loss of acknowledged events is detected.
 */

import type { Instant } from '../../domain/instant.ts';
import { MAX_INT64 } from '../../domain/order-id.ts';
import { type BreakReason, Epochs, inWords, type KnownBefore, UNKNOWN_IDS } from './epochs.ts';
import { highestOf } from './recorded-event.ts';

/**
 * The state of a log as of its last acknowledgement, recorded outside of its database. A log that
 * contradicts it has lost acknowledged events.
 */
export interface Witness {
  readonly storeId: string;
  readonly epoch: string;
  readonly position: number;
  /** 64 hexadecimal digits; `undefined` where it was unknown. */
  readonly root: string | undefined;
  /** The highest position that the log has had in any epoch. */
  readonly reached: number;
  /** The highest id of an order; `undefined` where it was unknown. */
  readonly highestId: bigint | undefined;
}

/** The part of a log that is compared with a witness. */
export interface WitnessedLog {
  /** `undefined` where there is no store. */
  readonly storeId: string | undefined;
  readonly epochs: Epochs;
  /** The position of its newest event. */
  readonly position: number;
  /** The root at the witness's position, 64 hexadecimal digits; `undefined` beyond the tree. */
  readonly root: string | undefined;
}

/** Returns a sentence on how a log contradicts a witness; `undefined` where it does not. */
export function contradictionOf(witness: Witness, log: WitnessedLog): string | undefined {
  const { epochs } = log;
  const acknowledged = `position ${witness.position} was acknowledged`;
  const isOther = `is not the log whose ${acknowledged}`;
  if (log.storeId !== undefined && log.storeId !== witness.storeId) return isOther;
  if (log.storeId !== undefined && !epochs.has(witness.epoch)) {
    return `${isOther}: it was in epoch ${witness.epoch} by then`;
  }
  const end = epochs.endOf(witness.epoch);
  if (end !== undefined && witness.position > end.position) {
    // This loss is recorded. But no id and no position assigned before it may be assigned again.
    const isCovered =
      (witness.highestId ?? 0n) <= epochs.ids.above &&
      witness.position <= (end.positionsUpTo ?? Number.POSITIVE_INFINITY);
    if (isCovered) return undefined;
    const more = `more than was given up when ${inWords(end)}`;
    return `lacks position ${witness.position}, which was acknowledged, and ${more}`;
  }
  if (log.position < witness.position) {
    return `ends at position ${log.position}, but ${acknowledged}`;
  }
  const isComparable = witness.root !== undefined && log.root !== undefined;
  return isComparable && witness.root !== log.root ? isOther : undefined;
}

/** Upper bounds of the positions and ids assigned before a log was cut: see {@link Break}. */
interface Given {
  readonly positionsUpTo: number | null;
  readonly idsUpTo: bigint;
}

/**
 * Returns upper bounds of the positions and ids that were assigned before a log was cut.
 * @param witness Undefined where there is none, or where it may have been behind.
 * @param ids Those that are known to have been assigned.
 */
export function givenBefore(witness: Witness | undefined, ids: readonly bigint[]): Given {
  const known = witness?.highestId;
  const highest = highestOf([known ?? 0n, ...ids]);
  const idsUpTo = known === undefined ? highest + UNKNOWN_IDS : highest;
  return {
    positionsUpTo: witness?.reached ?? null,
    idsUpTo: idsUpTo < MAX_INT64 ? idsUpTo : MAX_INT64,
  };
}

/** Returns the part of a witness that the statement of a break contains. */
export function knownBefore(witness: Witness | undefined): KnownBefore | null {
  if (witness === undefined) return null;
  const { epoch, position, root } = witness;
  const base64 = root === undefined ? null : Buffer.from(root, 'hex').toString('base64');
  return { epoch, position, root: base64 };
}

/** The end of an epoch: the cause and the position of a cut, and the state known before it. */
interface Cut {
  readonly at: Instant;
  readonly reason: BreakReason;
  /** The last position of the log, and the root of its tree there. */
  readonly position: number;
  readonly root: Buffer;
  /** The highest id of an order in the log. */
  readonly highestId: bigint;
  /** The witness outside the database; one of another store counts as none. */
  readonly witness: Witness | undefined;
  /** True if the witness certainly covers everything that was acknowledged. */
  readonly isExact: boolean;
}

/** Returns the statement of a break, and the first witness of the epoch that begins with it. */
export function breakAfter(
  before: Epochs,
  { at, reason, position, root, highestId, witness, isExact }: Cut,
): { readonly statement: string; readonly witness: Witness } {
  const { storeId } = before;
  const known = witness?.storeId === storeId ? witness : undefined;
  const ids = [highestId, before.ids.above, known?.highestId ?? 0n];
  const given = givenBefore(isExact ? known : undefined, ids);
  const statement = before.statementOf({
    at,
    reason,
    position,
    root: root.toString('base64'),
    known: knownBefore(known),
    positionsUpTo: given.positionsUpTo,
    idsUpTo: String(given.idsUpTo),
  });
  const { id: epoch } = new Epochs(storeId, [...before.statements, statement]);
  const reached = Math.max(position, known?.reached ?? 0);
  const next = { storeId, epoch, position, root: root.toString('hex'), reached };
  return { statement, witness: { ...next, highestId: given.idsUpTo } };
}
