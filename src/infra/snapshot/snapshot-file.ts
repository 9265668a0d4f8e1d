/** The snapshot of a store, in a file on this machine. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CLOCKS } from '../../app/clock.ts';
import type { PackedImage, PackedList } from '../../app/log/packed-fold.ts';
import type {
  FoundOrder,
  LoadedSnapshot,
  SnapshotSearch,
  Snapshots,
} from '../../app/ports/snapshots.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { SEGMENT_ENTRIES } from '../../app/state/column.ts';
import { IdIndex } from '../../app/state/id-index.ts';
import { ENTRY_MEANINGS, eventsAt, imageColumns } from '../../app/state/image-columns.ts';
import type { OrderId } from '../../domain/order-id.ts';
import type { Pace } from '../checking/keep-checking.ts';
import { makeFolder } from '../process/make-folder.ts';
import { giveToStoreOwner } from '../process/store-owner.ts';
import { renewInThread } from './renewal.ts';
import { type Fill, partsOf, SnapshotReader } from './snapshot-layout.ts';

/** The number is raised whenever what is folded from the log changes, or how it is kept. */
const FORMAT = `12 ${ENTRY_MEANINGS}`;

const KEY_BYTES = 32;

/** A file that is written for longer than this was left behind by a process that was killed. */
const LEFTOVER_MS = 3_600_000;

/** The result of a search without a snapshot. */
export const NOT_FOUND: FoundOrder = { position: 0, positions: [] };

interface Snapshot {
  readonly origin: Origin;
  readonly list: PackedList;
}

/** The log and the program that a snapshot was made of. One of another origin is not used. */
interface Origin {
  readonly format: string;
  /** The program's version: what another one folds from the same events may differ. */
  readonly version: string;
  readonly store: string;
  /** The root of the log's tree at the snapshot's position, in hexadecimal. */
  readonly log: string;
}

/** Returns the root of a log's tree at a position; `undefined` beyond its end. */
export type RootAt = (position: number) => Promise<Uint8Array | undefined>;

/** The store of a server, for the thread that renews the snapshot. */
export interface ServedStore {
  readonly engine: 'sqlite' | 'postgres';
  /** The store's file, or the address of its database. */
  readonly at: string;
}

/**
 * The snapshot of a store in a file. It is derived data, so it need not survive a power cut: a torn
 * file has another digest and is not used.
 */
export class SnapshotFile implements Snapshots, SnapshotSearch {
  readonly #file: string;
  readonly #storeId: string;
  readonly #rootAt: RootAt;
  readonly #served: ServedStore | undefined;
  /** Until it is set, no snapshot was made with it. */
  #key: Uint8Array = randomBytes(KEY_BYTES);

  /**
   * @param file The snapshot's file.
   * @param served Absent for a snapshot that is not renewed here.
   */
  constructor(file: string, storeId: string, rootAt: RootAt, served?: ServedStore) {
    this.#file = file;
    this.#storeId = storeId;
    this.#rootAt = rootAt;
    this.#served = served;
  }

  sealWith(key: Uint8Array): void {
    this.#key = key;
  }

  async load(): Promise<LoadedSnapshot> {
    const read = this.#read((reader) => reader.whole() as Snapshot | undefined);
    const reason = typeof read === 'string' ? read : await this.#otherPartOf(read);
    if (reason !== undefined) return { kind: 'none', reason };
    return { kind: 'found', list: (read as Snapshot).list };
  }

  async find(orderId: OrderId): Promise<FoundOrder> {
    const read = this.#read((reader) => {
      const { value, fill } = reader.partly();
      const snapshot = value as Snapshot;
      const order = foundIn(snapshot.list.image, fill, orderId);
      return order && { snapshot, order };
    });
    if (typeof read === 'string') return NOT_FOUND;
    return (await this.#otherPartOf(read.snapshot)) === undefined ? read.order : NOT_FOUND;
  }

  /**
   * Reads from the file. Returns the reason where that is not possible. A damaged file is removed: it is of
   * no use, and the check of the store would find it and end a start that can do without.
   */
  #read<Value extends object>(use: (reader: SnapshotReader) => Value | undefined): Value | string {
    let fd: number | undefined;
    try {
      fd = openSync(this.#file, 'r');
      const reader = SnapshotReader.open(fd);
      if (reader?.isSealedWith(this.#key) === false) return 'it is sealed with another key';
      const value = reader && use(reader);
      if (value !== undefined) return value;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? 'there is none' : message;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
    try {
      rmSync(this.#file, { force: true });
      return 'it is damaged';
    } catch {
      // Its disk may be mounted read-only, which the start survives.
      return 'it is damaged, and cannot be removed';
    }
  }

  /** Returns the part of its origin by which a snapshot is none of this log, in words. */
  async #otherPartOf({ origin, list }: Snapshot): Promise<string | undefined> {
    const due = await this.#originAt(list.image.position);
    for (const [part, expected] of Object.entries(due)) {
      if (origin[part as keyof Origin] !== expected) return `it belongs to another ${part}`;
    }
    return undefined;
  }

  async save(list: PackedList): Promise<void> {
    const origin = await this.#originAt(list.image.position);
    const parts = partsOf({ origin, list } satisfies Snapshot, this.#key);
    // Instances of a store in a database may share the file.
    const unfinished = `${this.#file}-new-${process.pid}`;
    try {
      makeFolder(dirname(this.#file));
      await removeLeftovers(this.#file);
      await writeFile(unfinished, parts, { mode: 0o600 });
      giveToStoreOwner(unfinished);
      await rename(unfinished, this.#file);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  renew(signal: AbortSignal): Promise<number> {
    if (this.#served === undefined) throw new Error('the snapshot is renewed elsewhere');
    const { engine, at } = this.#served;
    const given = { at, storeId: this.#storeId, file: this.#file, key: this.#key };
    return renewInThread(engine, given, signal);
  }

  async #originAt(position: number): Promise<Origin> {
    const root = await this.#rootAt(position);
    const log = root === undefined ? '' : Buffer.from(root).toString('hex');
    return { format: FORMAT, version: VERSION, store: this.#storeId, log };
  }
}

/** Removes what writers that were killed have left behind. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  const begins = `${basename(file)}-new`;
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(begins))) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written !== undefined && CLOCKS.wall() - written.mtimeMs > LEFTOVER_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/**
 * Returns the events of an order in an image whose arrays are still to be read; `undefined` where they
 * are damaged. Of the columns, the entries of the order alone are read, so that the size of the snapshot
 * does not matter.
 */
function foundIn(
  { position, slots, columns }: PackedImage,
  fill: Fill,
  orderId: OrderId,
): FoundOrder | undefined {
  // Ids that do not count up are looked up in a hash table, which has to be there as a whole.
  if (slots.table.size > 0 && !fill(slots.table.table)) return undefined;
  const slot = new IdIndex(slots).slotOf(orderId);
  if (slot === -1) return { position, positions: [] };
  const { statuses, placedPositions, endPositions } = columns;
  const isRead = [statuses, placedPositions, endPositions].every(({ segments }) => {
    const segment = segments[Math.floor(slot / SEGMENT_ENTRIES)];
    const place = slot % SEGMENT_ENTRIES;
    // A segment without offsets is as it is, and one of a sparse column may not reach so far.
    return segment === undefined || place >= segment.offsets.length
      ? true
      : fill(segment.offsets, place, place + 1);
  });
  return isRead ? { position, ...eventsAt(imageColumns(columns), slot) } : undefined;
}

/** Returns the snapshot's file beside another file of a store. */
export function snapshotBeside(file: string): string {
  return `${file}-snapshot`;
}

/** Throws {@link DamagedStore} where a snapshot is not what was written. */
export async function checkSnapshot(name: string, pace: Pace): Promise<void> {
  if (!existsSync(name)) return;
  const fd = openSync(name, 'r');
  try {
    const isWhole = await SnapshotReader.open(fd)?.check(pace);
    if (isWhole === true || isReplaced(fd, name)) return;
    throw new DamagedStore(`${name} is damaged: delete it`);
  } finally {
    closeSync(fd);
  }
}

/** True if a file that was opened has been removed since, or has become another. */
function isReplaced(fd: number, name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.ino !== fstatSync(fd).ino;
}

const VERSION = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
