/**
 * The versions of the list that clients are still reading. Versions share all chunks that have not
 * changed between them, so an old one costs only the chunks replaced since. Each of these is
 * counted once, however many versions have it, and freed with the last of them. The total size of
 * all old versions is limited: beyond it, the readers of the oldest are cut off.
 *
 * The accounting is that of ZFS for snapshots: a replaced chunk is retained by the newest version
 * that has it, and handed to the next older one that has it, if any, when that version ends.
 */
import type { EncodedList } from '../../app/state/encoded-lists.ts';

/** A chunk, with the first and the last version that it is known to be in. */
export interface VersionedChunk {
  readonly bytes: number;
  firstIn?: number;
  lastIn?: number;
}

interface Version<Chunk> {
  readonly number: number;
  readonly list: EncodedList<Chunk>;
  /** Functions that cut off its readers. */
  readonly readers: Set<() => void>;
  /** The chunks that no newer version has, with the bytes that were counted for each. */
  readonly retained: { readonly chunk: Chunk; readonly bytes: number }[];
}

/** A reader's place in a version. */
export interface Reading<Chunk> {
  readonly list: EncodedList<Chunk>;
  /** Must be called when the reader has received everything, or has disconnected. */
  readonly leave: () => void;
}

/** The versions of one list that are being read. */
export class ListVersions<Chunk extends VersionedChunk> {
  readonly #maxBytes: number;
  /** The versions being read, oldest first. */
  readonly #read: Version<Chunk>[] = [];
  /**
   * The newest version, read or not, while any is being read: the list itself frees what it
   * replaces.
   */
  #newest: Version<Chunk> | undefined;
  #count = 0;
  #retainedBytes = 0;
  #cutOff = 0;

  /** @param maxBytes The most bytes of chunks that only old versions have. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of chunks that only old versions have. */
  get retainedBytes(): number {
    return this.#retainedBytes;
  }

  /** The number of readers that were cut off. */
  get cutOff(): number {
    return this.#cutOff;
  }

  /**
   * Begins to read a list, or a newer one if there is one.
   * @param cutOff Cuts off the reader: called if old versions take too much memory and this is the
   *   oldest.
   */
  read(list: EncodedList<Chunk>, cutOff: () => void): Reading<Chunk> {
    const version = this.#versionOf(list);
    if (version.readers.size === 0) this.#read.push(version);
    // Requests may share a function, so each gets one of its own.
    const reader = () => cutOff();
    version.readers.add(reader);
    return { list: version.list, leave: () => this.#leave(version, reader) };
  }

  #versionOf(list: EncodedList<Chunk>): Version<Chunk> {
    const before = this.#newest;
    if (before !== undefined && list.position <= before.list.position) return before;
    this.#count += 1;
    const number = this.#count;
    for (const chunk of list.chunks) {
      chunk.firstIn ??= number;
      chunk.lastIn = number;
    }
    for (const chunk of before?.list.chunks ?? []) {
      if (chunk.lastIn !== number) this.#retain(chunk, chunk.bytes, this.#read.at(-1));
    }
    this.#bound();
    const version = { number, list, readers: new Set<() => void>(), retained: [] };
    this.#newest = version;
    return version;
  }

  /** Counts a replaced chunk for the newest version that has it. */
  #retain(chunk: Chunk, bytes: number, newest: Version<Chunk> | undefined): void {
    if (newest === undefined || newest.number < (chunk.firstIn as number)) return;
    newest.retained.push({ chunk, bytes });
    this.#retainedBytes += bytes;
  }

  #leave(version: Version<Chunk>, reader: () => void): void {
    if (!version.readers.delete(reader) || version.readers.size > 0) return;
    const place = this.#read.indexOf(version);
    this.#read.splice(place, 1);
    if (this.#read.length === 0) this.#newest = undefined;
    const older = this.#read[place - 1];
    for (const { chunk, bytes } of version.retained.splice(0)) {
      this.#retainedBytes -= bytes;
      this.#retain(chunk, bytes, older);
    }
  }

  #bound(): void {
    while (this.#retainedBytes > this.#maxBytes) {
      const [oldest] = this.#read as [Version<Chunk>];
      for (const reader of [...oldest.readers]) {
        this.#cutOff += 1;
        reader();
        this.#leave(oldest, reader);
      }
    }
  }
}
