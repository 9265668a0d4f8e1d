/**
 * Epochs: the periods of a log without a loss (docs/adr/0020).
 *
 * A log begins in epoch `0`. Each time that it is cut, by a restored backup or by a failover that
 * lost events, a statement of the break is recorded, and the log continues in the next epoch. The
 * epoch's id is its number and a hash of that statement, which names the epoch before. So a
 * signature made in an epoch covers all statements up to it, and two logs that continue from the
 * same position never have a later epoch in common.
 */

import { randomBytes } from 'node:crypto';
import { MAX_INT64 } from '../../domain/order-id.ts';
import { isBreak } from './break-form.ts';
import { sha256 } from './merkle-tree.ts';

/** The cause of a break. */
export type BreakReason = 'copy_continued' | 'loss_accepted';

/** The state of the log before it was cut, as the head file outside the database recorded it. */
export interface KnownBefore {
  readonly epoch: string;
  readonly position: number;
  /** 32 bytes in base64; null if unknown. */
  readonly root: string | null;
}

/** A break, as it is recorded: a cut that ends one epoch and begins the next. */
export interface Break {
  /** The number of the epoch that begins with it, from 1. */
  readonly epoch: number;
  /** The id of the epoch that ended with it. */
  readonly before: string;
  readonly store: string;
  readonly at: string;
  readonly reason: BreakReason;
  /** The last position that both epochs have in common, and the root there. */
  readonly position: number;
  readonly root: string;
  /** The newest state that is known to have been signed or acknowledged before; null for none. */
  readonly known: KnownBefore | null;
  /** Upper bound of the positions assigned before; null if unknown. */
  readonly positionsUpTo: number | null;
  /** Upper bound of the order ids assigned before. */
  readonly idsUpTo: string;
}

/** The ids that an epoch assigns: upwards from `above`, exclusive; then downwards from `top`. */
export interface IdRange {
  readonly above: bigint;
  readonly top: bigint;
}

/** The ids that the service may assign in the first epoch: all positive ones. */
export const ALL_IDS: IdRange = { above: 0n, top: MAX_INT64 };

/** A position named by a client, with the epoch in which it was assigned, if given. */
export interface Place {
  /** As in {@link Epochs.id}, or as in {@link Epochs.tag}. */
  readonly epoch?: string | undefined;
  readonly position: number;
}

/** Thrown when the statements of breaks are not as recorded: no chain, or another store's. */
export class DamagedEpochs extends Error {
  override readonly name = 'DamagedEpochs';
}

export const FIRST_EPOCH = '0';

/** Ids skipped if the assigned ones are unknown: more than a store assigns between two backups. */
export const UNKNOWN_IDS = 1_000_000_000n;

const STATEMENT_FORMAT = 'store-orders/break/v1';
/** Hexadecimal digits of the statement's hash in an epoch's id, and in its tag. */
const [ID_HASH_DIGITS, TAG_HASH_DIGITS] = [32, 8];

/** Returns the statement of a break, one line of canonical JSON (RFC 8785), hashed in the id. */
export function breakStatement(about: Break, nonce = randomBytes(8).toString('hex')): string {
  const { at, before, epoch, idsUpTo, known, position, positionsUpTo, reason, root, store } = about;
  return JSON.stringify({
    at,
    before,
    epoch,
    format: STATEMENT_FORMAT,
    idsUpTo,
    known: known && { epoch: known.epoch, position: known.position, root: known.root },
    // Two copies of one backup that are restored in the same millisecond are two logs.
    nonce,
    position,
    positionsUpTo,
    reason,
    root,
    store,
  });
}

/** Returns the number of the epoch with an id, or with a tag. */
export function epochNumberOf(id: string): number {
  return Number.parseInt(id, 10);
}

/** All epochs that a log has been in. */
export class Epochs {
  readonly storeId: string;
  /** The statements of all breaks, as they are recorded. */
  readonly statements: readonly string[];
  readonly breaks: readonly Break[];
  readonly #ids: readonly string[];

  /**
   * @param statements From the first break on. Throws {@link DamagedEpochs} unless each follows the
   * one before and they are this store's.
   */
  constructor(storeId: string, statements: readonly string[] = []) {
    this.storeId = storeId;
    this.statements = statements;
    const ids = [FIRST_EPOCH];
    const breaks: Break[] = [];
    for (const [index, statement] of statements.entries()) {
      const read = readStatement(statement);
      const follows =
        read?.epoch === index + 1 &&
        read.before === ids.at(-1) &&
        read.store === storeId &&
        read.position >= (breaks.at(-1)?.position ?? 0);
      if (!follows) throw new DamagedEpochs(`the statement of epoch ${index + 1} is not whole`);
      breaks.push(read);
      ids.push(`${index + 1}.${sha256(statement).toString('hex').slice(0, ID_HASH_DIGITS)}`);
    }
    this.breaks = breaks;
    this.#ids = ids;
  }

  /** The number of the epoch that the log is in. */
  get number(): number {
    return this.breaks.length;
  }

  /** The id of the epoch that the log is in. */
  get id(): string {
    return this.#ids[this.number] as string;
  }

  /** The id, shortened: for ETags, and for clients that name positions. */
  get tag(): string {
    return tagOf(this.id);
  }

  /** The prefix by which states of different logs differ, as in an ETag: store and epoch. */
  get logName(): string {
    return this.number === 0 ? this.storeId : `${this.storeId}.${this.tag}`;
  }

  /** The ids that may be assigned to new orders. */
  get ids(): IdRange {
    const last = this.breaks.at(-1);
    const above = BigInt(last?.idsUpTo ?? 0);
    // After an import has used the very last id, ids are assigned downwards.
    const isUsedUp = above === MAX_INT64;
    return { above, top: isUsedUp ? MAX_INT64 - BigInt(this.number) * UNKNOWN_IDS : MAX_INT64 };
  }

  /** Returns the statement of a break that ends the current epoch. */
  statementOf(about: Omit<Break, 'epoch' | 'before' | 'store'>): string {
    const { number, id: before, storeId: store } = this;
    return breakStatement({ ...about, epoch: number + 1, before, store });
  }

  /** Returns true if the log has been in an epoch, by its id. */
  has(epoch: string): boolean {
    return this.#ids.includes(epoch);
  }

  /** Returns the break that ended an epoch; `undefined` for the current and for unknown ones. */
  endOf(epoch: string): Break | undefined {
    const index = this.#ids.indexOf(epoch);
    return index === -1 ? undefined : this.breaks[index];
  }

  /** Returns the name of the log for a position: with the epoch where it was assigned twice. */
  nameAt(position: number): string {
    const tag = this.#tagAt(position);
    return tag === undefined ? this.storeId : `${this.storeId}.${tag}`;
  }

  /** Returns a position as clients get it: with its epoch where it was assigned twice. */
  write(position: number): string {
    const tag = this.#tagAt(position);
    return tag === undefined ? `${position}` : `${tag}:${position}`;
  }

  /** Explains that a place is not in this log; `undefined` where it is, or may come to be. */
  problemOf({ epoch, position }: Place): string | undefined {
    if (epoch === undefined) {
      const twice = this.#twice(position);
      if (twice === undefined) return undefined;
      const now = this.write(position);
      return `position ${position} was given twice: ${inWords(twice)}. That of now is ${now}`;
    }
    const index = this.#ids.findIndex((id) => id === epoch || tagOf(id) === epoch);
    if (index === -1) return `the log has never been in epoch ${epoch}`;
    const end = this.breaks[index];
    if (end === undefined || position <= end.position) return undefined;
    return `position ${position} of epoch ${epoch} is lost: ${inWords(end)}`;
  }

  /** Returns the tag of a position's epoch; `undefined` unless it was assigned in two epochs. */
  #tagAt(position: number): string | undefined {
    if (this.#twice(position) === undefined) return undefined;
    const index = this.breaks.findLastIndex(({ position: cut }) => position > cut);
    return tagOf(this.#ids[index + 1] as string);
  }

  /** Returns the first break that cut off a position which may have been assigned before. */
  #twice(position: number): Break | undefined {
    return this.breaks.find(({ position: cut, positionsUpTo: upTo }) => {
      return position > cut && position <= (upTo ?? Number.POSITIVE_INFINITY);
    });
  }
}

/** Describes a break, for messages. */
export function inWords({ position, at, epoch }: Break): string {
  return `the log was cut at position ${position} on ${at} and went on in epoch ${epoch}`;
}

function tagOf(id: string): string {
  const [number = '', hash] = id.split('.');
  return hash === undefined ? number : `${number}.${hash.slice(0, TAG_HASH_DIGITS)}`;
}

/** Reads a statement; `undefined` where it is not one in its canonical form. */
function readStatement(statement: string): Break | undefined {
  let read: Break & { readonly nonce: string };
  try {
    read = Object(JSON.parse(statement));
    if (breakStatement(read, read.nonce) !== statement) return undefined;
  } catch {
    return undefined;
  }
  return isBreak(read) ? read : undefined;
}
