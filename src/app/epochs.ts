import { randomBytes } from 'node:crypto';
import { MAX_INT64 } from '../domain/order-id.ts';
import { sha256 } from './sha256.ts';

/**
 * Epochs: a log that has lost its end goes on under another name (docs/adr/0020).
 *
 * A log begins in epoch `0`. Each time that it is cut, by a backup that was put back or by a failover
 * that lost events, a statement of the break is recorded, and the log goes on in the next epoch. The
 * epoch's id is its number and a hash of that statement, which names the epoch before. So whatever is
 * signed in an epoch covers all statements up to it, and two logs that went on from the same place
 * never have an epoch in common.
 */

/** Why an epoch began. */
export type BreakReason = 'copy_continued' | 'loss_accepted';

/** What somebody outside the database knew of the log before it was cut. */
export interface KnownBefore {
  readonly epoch: string;
  readonly position: number;
  /** 32 bytes in base64; null where it was not known. */
  readonly root: string | null;
}

/** What is recorded of a break. */
export interface Break {
  /** The number of the epoch that begins with it, from 1. */
  readonly epoch: number;
  /** The id of the epoch that ended with it. */
  readonly before: string;
  /** The id of the store. */
  readonly store: string;
  readonly at: string;
  readonly reason: BreakReason;
  /** Where the log was cut: the last position that both epochs have in common, and the root there. */
  readonly position: number;
  readonly root: string;
  /** The highest that is known to have been signed or acknowledged before. */
  readonly known: KnownBefore | null;
  /** No position above this one was ever given before; null where that is not known. */
  readonly positionsUpTo: number | null;
  /** No order id above this one was ever given before. */
  readonly idsUpTo: string;
}

/** The ids that an epoch gives: those above `above`; when these are used up, those up to `top`. */
export interface IdRange {
  readonly above: bigint;
  readonly top: bigint;
}

/** All ids that the service may give, in the first epoch. */
export const ALL_IDS: IdRange = { above: 0n, top: MAX_INT64 };

/** A position, and the epoch in which it was given, if whoever names it says so. */
export interface Place {
  /** As in {@link Epochs.tag}. */
  readonly epoch?: string | undefined;
  readonly position: number;
}

/** The statements of the breaks cannot be what was recorded. */
export class DamagedEpochs extends Error {
  override readonly name = 'DamagedEpochs';
}

/** The id of the first epoch. */
export const FIRST_EPOCH = '0';

/** Ids left out where nobody knows which were given: more than any store gives between two backups. */
export const UNKNOWN_IDS = 1_000_000_000n;

const FORMAT = 'store-orders/break/v1';
/** Hexadecimal digits of the hash in an epoch's id, and in its tag. */
const [ID_DIGITS, TAG_DIGITS] = [32, 8];

/** The statement of a break, as one line of canonical JSON (RFC 8785). Its hash is in the epoch's id. */
export function breakStatement(about: Break, nonce = randomBytes(8).toString('hex')): string {
  const { at, before, epoch, idsUpTo, known, position, positionsUpTo, reason, root, store } = about;
  return JSON.stringify({
    at,
    before,
    epoch,
    format: FORMAT,
    idsUpTo,
    known: known && { epoch: known.epoch, position: known.position, root: known.root },
    // Two copies of one backup that are put back in the same millisecond are two logs.
    nonce,
    position,
    positionsUpTo,
    reason,
    root,
    store,
  });
}

/** The number of the epoch with an id, or with a tag. */
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
   * @param statements From the first break on. Throws {@link DamagedEpochs} where they do not follow
   * each other, or are another store's.
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
      ids.push(`${index + 1}.${sha256(statement).toString('hex').slice(0, ID_DIGITS)}`);
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

  /** The same, short: for ETags and for those who name positions. */
  get tag(): string {
    return tagOf(this.id);
  }

  /** What the log goes by where its states are told apart, as in an ETag: store and epoch. */
  get logName(): string {
    return this.number === 0 ? this.storeId : `${this.storeId}.${this.tag}`;
  }

  /** The ids that may be given to new orders. */
  get ids(): IdRange {
    const last = this.breaks.at(-1);
    const above = BigInt(last?.idsUpTo ?? 0);
    // Where an import has taken the very last id, ids are given downwards.
    const isUsedUp = above === MAX_INT64;
    return { above, top: isUsedUp ? MAX_INT64 - BigInt(this.number) * UNKNOWN_IDS : MAX_INT64 };
  }

  /** The statement of a break that cuts the log here and now. */
  statementOf(about: Omit<Break, 'epoch' | 'before' | 'store'>): string {
    const { number, id: before, storeId: store } = this;
    return breakStatement({ ...about, epoch: number + 1, before, store });
  }

  /** Whether the log has been in an epoch. */
  has(epoch: string): boolean {
    return this.#ids.includes(epoch);
  }

  /** The break that ended an epoch; `undefined` for the one that the log is in, and for unknown ones. */
  endOf(epoch: string): Break | undefined {
    const index = this.#ids.indexOf(epoch);
    return index === -1 ? undefined : this.breaks[index];
  }

  /** What names the log that has the event at a position: its epoch, too, where there were two such. */
  nameAt(position: number): string {
    const tag = this.#tagAt(position);
    return tag === undefined ? this.storeId : `${this.storeId}.${tag}`;
  }

  /** A position as it is handed out: with its epoch where there were two such. */
  write(position: number): string {
    const tag = this.#tagAt(position);
    return tag === undefined ? `${position}` : `${tag}:${position}`;
  }

  /** Why a place is none of this log as it is now; `undefined` where it is one, or is to come. */
  problemOf({ epoch, position }: Place): string | undefined {
    if (epoch === undefined) {
      const twice = this.#twice(position);
      if (twice === undefined) return undefined;
      return `position ${position} was given twice: ${inWords(twice)}. That of now is ${this.write(position)}`;
    }
    const index = this.#ids.findIndex((id) => tagOf(id) === epoch);
    if (index === -1) return `the log has never been in epoch ${epoch}`;
    const end = this.breaks[index];
    if (end === undefined || position <= end.position) return undefined;
    return `position ${position} of epoch ${epoch} is lost: ${inWords(end)}`;
  }

  /** The tag of the epoch in which a position was given, if it was given in another one as well. */
  #tagAt(position: number): string | undefined {
    if (this.#twice(position) === undefined) return undefined;
    const index = this.breaks.findLastIndex(({ position: cut }) => position > cut);
    return tagOf(this.#ids[index + 1] as string);
  }

  #twice(position: number): Break | undefined {
    return this.breaks.find(({ position: cut, positionsUpTo: upTo }) => {
      return position > cut && position <= (upTo ?? Number.POSITIVE_INFINITY);
    });
  }
}

/** A break, for people. */
export function inWords({ position, at, epoch }: Break): string {
  return `the log was cut at position ${position} on ${at} and went on in epoch ${epoch}`;
}

function tagOf(id: string): string {
  const [number = '', hash] = id.split('.');
  return hash === undefined ? number : `${number}.${hash.slice(0, TAG_DIGITS)}`;
}

/** What a statement says; `undefined` where it is none, or is not in the one form that it can have. */
function readStatement(statement: string): Break | undefined {
  let read: Break & { readonly nonce: string };
  try {
    read = Object(JSON.parse(statement));
    if (breakStatement(read, read.nonce) !== statement) return undefined;
  } catch {
    return undefined;
  }
  const isWhole = [read.epoch, read.position, read.positionsUpTo ?? 0].every(
    (number) => Number.isSafeInteger(number) && number >= 0,
  );
  return isWhole && /^\d{1,19}$/.test(read.idsUpTo) ? read : undefined;
}
