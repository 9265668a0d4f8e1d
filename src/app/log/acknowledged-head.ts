/**
 * Records outside the database of the newest acknowledged state of its log, by which a
 * loss of acknowledged events is detected.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../domain/instant.ts';
import { MAX_INT64 } from '../../domain/order-id.ts';
import { type BreakReason, Epochs, inWords, type KnownBefore, UNKNOWN_IDS } from './epochs.ts';
import { highestOf } from './recorded-event.ts';

/**
 * The state of a log as of its last acknowledgement, recorded outside of its database. A log that
 * contradicts it has lost acknowledged events.
 */
export interface AcknowledgedHead {
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

/** The part of a log that is compared with an acknowledged head. */
export interface ComparedLog {
  /** `undefined` where there is no store. */
  readonly storeId: string | undefined;
  readonly epochs: Epochs;
  /** The position of its newest event. */
  readonly position: number;
  /** The root at the acknowledged position, 64 hexadecimal digits; `undefined` beyond the tree. */
  readonly root: string | undefined;
}

/** Returns a sentence on how a log contradicts an acknowledged head; `undefined` where it does not. */
export function contradictionOf(
  acknowledged: AcknowledgedHead,
  log: ComparedLog,
): string | undefined {
  const { epochs } = log;
  const wasAcknowledged = `position ${acknowledged.position} was acknowledged`;
  const isOther = `is not the log whose ${wasAcknowledged}`;
  if (log.storeId !== undefined && log.storeId !== acknowledged.storeId) return isOther;
  if (log.storeId !== undefined && !epochs.has(acknowledged.epoch)) {
    return `${isOther}: it was in epoch ${acknowledged.epoch} by then`;
  }
  const end = epochs.endOf(acknowledged.epoch);
  if (end !== undefined && acknowledged.position > end.position) {
    // This loss is recorded. But no id and no position assigned before it may be assigned again.
    const isCovered =
      (acknowledged.highestId ?? 0n) <= epochs.ids.above &&
      acknowledged.position <= (end.positionsUpTo ?? Number.POSITIVE_INFINITY);
    if (isCovered) return undefined;
    const more = `more than was given up when ${inWords(end)}`;
    return `lacks position ${acknowledged.position}, which was acknowledged, and ${more}`;
  }
  if (log.position < acknowledged.position) {
    return `ends at position ${log.position}, but ${wasAcknowledged}`;
  }
  const isComparable = acknowledged.root !== undefined && log.root !== undefined;
  return isComparable && acknowledged.root !== log.root ? isOther : undefined;
}

/** Returns true if a log is in the epoch that began when the loss of an acknowledged head was accepted. */
export function isLossAccepted(acknowledged: AcknowledgedHead, { breaks }: Epochs): boolean {
  const last = breaks.at(-1);
  const known = knownBefore(acknowledged);
  return last?.reason === 'loss_accepted' && isDeepStrictEqual(last.known, known);
}

/** Upper bounds of the positions and ids assigned before a log was cut: see {@link Break}. */
interface Given {
  readonly positionsUpTo: number | null;
  readonly idsUpTo: bigint;
}

/**
 * Returns upper bounds of the positions and ids that were assigned before a log was cut.
 * @param acknowledged Undefined where there is none, or where it may have been behind.
 * @param ids Those that are known to have been assigned.
 */
export function givenBefore(
  acknowledged: AcknowledgedHead | undefined,
  ids: readonly bigint[],
): Given {
  const known = acknowledged?.highestId;
  const highest = highestOf([known ?? 0n, ...ids]);
  const idsUpTo = known === undefined ? highest + UNKNOWN_IDS : highest;
  return {
    positionsUpTo: acknowledged?.reached ?? null,
    idsUpTo: idsUpTo < MAX_INT64 ? idsUpTo : MAX_INT64,
  };
}

/** Returns the part of an acknowledged head that the statement of a break contains. */
export function knownBefore(acknowledged: AcknowledgedHead | undefined): KnownBefore | null {
  if (acknowledged === undefined) return null;
  const { epoch, position, root } = acknowledged;
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
  /** As recorded outside the database; one of another store counts as none. */
  readonly acknowledged: AcknowledgedHead | undefined;
  /** True if that certainly covers everything that was acknowledged. */
  readonly isExact: boolean;
}

/** Returns the statement of a break, and the first head of the epoch that begins with it. */
export function breakAfter(
  before: Epochs,
  { at, reason, position, root, highestId, acknowledged, isExact }: Cut,
): { readonly statement: string; readonly acknowledged: AcknowledgedHead } {
  const { storeId } = before;
  const known = acknowledged?.storeId === storeId ? acknowledged : undefined;
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
  return { statement, acknowledged: { ...next, highestId: given.idsUpTo } };
}
