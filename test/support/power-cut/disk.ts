import type { Random } from '../random.ts';

/** An operation on a file. The name is the suffix after the name of the store's file. */
export type Change =
  | { readonly what: 'write'; readonly name: string; readonly at: number; readonly bytes: Buffer }
  | { readonly what: 'truncate'; readonly name: string; readonly size: number }
  | { readonly what: 'remove'; readonly name: string }
  | { readonly what: 'flush'; readonly name: string };

/** The contents of the existing files, by name. */
export type Files = ReadonlyMap<string, Buffer>;

/** The bytes that a disk writes atomically. */
const SECTOR_BYTES = 512;

interface File {
  /** The contents that a power cut certainly leaves; `undefined` if the file does not exist. */
  durable: Buffer | undefined;
  /** The later operations, of which any part may be on the disk, in any order. */
  since: Change[];
}

/** Simulates files as a process sees them, and as a power cut may leave them. */
export class Disk {
  readonly #files = new Map<string, File>();

  constructor(durable: Files) {
    for (const [name, bytes] of durable) this.#files.set(name, { durable: bytes, since: [] });
  }

  do(change: Change): void {
    const file = this.#files.get(change.name) ?? { durable: undefined, since: [] };
    this.#files.set(change.name, file);
    if (change.what === 'flush') {
      file.durable = replay(file, () => true);
      file.since = [];
    } else {
      file.since.push(change);
    }
  }

  /** Returns the files that the next process sees after the previous one ended. */
  contents(): Files {
    return this.#each((file) => replay(file, () => true));
  }

  /** Returns files that the next process may see after a power cut. */
  afterPowerCut(random: Random): Files {
    return this.#each((file) => {
      const share = random.oneOf([0, 0.05, 0.5, 0.95, 1, random.fraction()]);
      return replay(file, () => random.fraction() < share);
    });
  }

  #each(contentsOf: (file: File) => Buffer | undefined): Files {
    const files = [...this.#files].map(([name, file]) => [name, contentsOf(file)] as const);
    return new Map(files.filter((entry): entry is [string, Buffer] => entry[1] !== undefined));
  }
}

/**
 * Returns the contents on the disk if, for each sector, only the writes reached it that `reaches`
 * selects; and likewise each truncation and removal.
 */
function replay({ durable, since }: File, reaches: () => boolean): Buffer | undefined {
  let seen = durable;
  let onDisk = durable;
  for (const change of since) {
    switch (change.what) {
      case 'write': {
        seen = resized(seen, Math.max(seen?.length ?? 0, change.at + change.bytes.length));
        change.bytes.copy(seen, change.at);
        const end = change.at + change.bytes.length;
        for (let at = change.at - (change.at % SECTOR_BYTES); at < end; at += SECTOR_BYTES) {
          if (!reaches()) continue;
          const sector = seen.subarray(at, at + SECTOR_BYTES);
          onDisk = resized(onDisk, Math.max(onDisk?.length ?? 0, at + sector.length));
          sector.copy(onDisk, at);
        }
        // The length may be on the disk before the data.
        if (reaches()) onDisk = resized(onDisk, Math.max(onDisk?.length ?? 0, seen.length));
        break;
      }
      case 'truncate':
        seen = resized(seen, change.size);
        if (reaches()) onDisk = resized(onDisk, change.size);
        break;
      case 'remove':
        // Later writes go to another file of this name.
        if (!reaches()) return onDisk;
        seen = undefined;
        onDisk = undefined;
        break;
      case 'flush':
        throw new Error('a flush leaves nothing open');
    }
  }
  return onDisk;
}

/** Returns a copy with another length, padded with zeros. */
function resized(bytes: Buffer | undefined, length: number): Buffer {
  const copy = Buffer.alloc(length);
  bytes?.copy(copy);
  return copy;
}
