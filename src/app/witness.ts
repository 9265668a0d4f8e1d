import { MAX_INT64 } from '../domain/order-id.ts';
import { type Epochs, inWords, type KnownBefore, UNKNOWN_IDS } from './epochs.ts';

/**
 * A witness: what was known of a log outside of its database when somebody was last told of it. A log
 * that does not agree with it has lost what was acknowledged.
 */
export interface Witness {
  readonly storeId: string;
  /** The id of the epoch. */
  readonly epoch: string;
  readonly position: number;
  /** 64 hexadecimal digits; `undefined` where it was not known. */
  readonly root: string | undefined;
  /** The highest position that the log has had in any epoch. */
  readonly reached: number;
  /** The highest id of an order; `undefined` where it was not known. */
  readonly highestId: bigint | undefined;
}

/** A log, as far as a witness can be compared with it. */
export interface WitnessedLog {
  /** `undefined` where there is no store. */
  readonly storeId: string | undefined;
  readonly epochs: Epochs;
  /** The position of its newest event. */
  readonly position: number;
  /** The root at the position of the witness, 64 hexadecimal digits, where a tree goes as far. */
  readonly root: string | undefined;
}

/** How a log contradicts a witness, in plain words; `undefined` where it does not. */
export function contradictionOf(witness: Witness, log: WitnessedLog): string | undefined {
  const { epochs } = log;
  const acknowledged = `position ${witness.position} was acknowledged`;
  const isOther = `is not the one of which ${acknowledged}`;
  if (log.storeId !== undefined && log.storeId !== witness.storeId) return isOther;
  if (log.storeId !== undefined && !epochs.has(witness.epoch)) {
    return `${isOther}: it was in epoch ${witness.epoch} by then`;
  }
  const end = epochs.endOf(witness.epoch);
  if (end !== undefined && witness.position > end.position) {
    // That much is known to be lost. But nothing that was given before may be given again.
    const isCovered =
      (witness.highestId ?? 0n) <= epochs.ids.above &&
      witness.position <= (end.positionsUpTo ?? Number.POSITIVE_INFINITY);
    if (isCovered) return undefined;
    return `lacks that ${acknowledged}, and more than was given up when ${inWords(end)}`;
  }
  if (log.position < witness.position) {
    return `ends at position ${log.position}, but ${acknowledged}`;
  }
  const isComparable = witness.root !== undefined && log.root !== undefined;
  return isComparable && witness.root !== log.root ? isOther : undefined;
}

/** What a log has given before it was cut: {@link Break}. */
export interface Given {
  readonly positionsUpTo: number | null;
  readonly idsUpTo: bigint;
}

/**
 * What may have been given before a log was cut.
 * @param witness Undefined where there is none, or where it may have been behind.
 * @param ids Those that are known to have been given.
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

/** The highest of some ids, at least 0. */
export function highestOf(ids: readonly bigint[]): bigint {
  return ids.reduce((one, other) => (one > other ? one : other), 0n);
}

/** What the statement of a break says of a witness. */
export function knownBefore(witness: Witness | undefined): KnownBefore | null {
  if (witness === undefined) return null;
  const { epoch, position, root } = witness;
  const base64 = root === undefined ? null : Buffer.from(root, 'hex').toString('base64');
  return { epoch, position, root: base64 };
}
