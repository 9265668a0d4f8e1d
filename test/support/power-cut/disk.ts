import type { Random } from '../random.ts';

/** One thing that was done to a file; the name is what follows the store's file's name. */
export type Change =
  | { readonly what: 'write'; readonly name: string; readonly at: number; readonly bytes: Buffer }
  | { readonly what: 'truncate'; readonly name: string; readonly size: number }
  | { readonly what: 'remove'; readonly name: string }
  | { readonly what: 'flush'; readonly name: string };

/** The contents of the files that are there, by name. */
export type Files = ReadonlyMap<string, Buffer>;

/** What a disk writes whole or not at all, in bytes. */
const SECTOR = 512;

interface File {
  /** What a power cut leaves for certain; `undefined` where the file is not there. */
  durable: Buffer | undefined;
  /** What was done since, and may be on the disk in any part, in any order. */
  since: Change[];
}

/** Files as a process sees them, and as a power cut may leave them. */
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

  /** What the next process sees, if only the last one ended. */
  contents(): Files {
    return this.#each((file) => replay(file, () => true));
  }

  /** What the next process may see after a power cut. */
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
 * What is on the disk if each sector went there after some of the writes to it, and not after
 * others, as `reaches` says; and each truncation and removal likewise.
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
        for (let at = change.at - (change.at % SECTOR); at < end; at += SECTOR) {
          if (!reaches()) continue;
          const sector = seen.subarray(at, at + SECTOR);
          onDisk = resized(onDisk, Math.max(onDisk?.length ?? 0, at + sector.length));
          sector.copy(onDisk, at);
        }
        // The length may be there before what it makes room for.
        if (reaches()) onDisk = resized(onDisk, Math.max(onDisk?.length ?? 0, seen.length));
        break;
      }
      case 'truncate':
        seen = resized(seen, change.size);
        if (reaches()) onDisk = resized(onDisk, change.size);
        break;
      case 'remove':
        // What is written afterwards goes to another file of this name.
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

/** A copy of another length, filled up with zeros. */
function resized(bytes: Buffer | undefined, length: number): Buffer {
  const copy = Buffer.alloc(length);
  bytes?.copy(copy);
  return copy;
}
