/**
 * A folder of tiles (C2SP tlog-tiles) as a reader has it, and the comparison of its files with a
 * tree. Partial tiles of earlier checkpoints may be there: each is the beginning of the wider one.
 */
import { areSameBytes, textIn } from '../../app/audit/proofs/bytes.ts';
import { FULL_WIDTH, readTileName, type TileName, writeTileName } from './tile-names.ts';
import type { TileRow } from './tile-tree.ts';

const HASH_BYTES = 32;
/** The length of an entry has two bytes. */
const MAX_ENTRY_BYTES = 65_535;
const MAX_CHECKPOINT_BYTES = 1 << 20;
const CHECKPOINT = 'checkpoint';

/** The files of a folder by their paths in it, with slashes. */
export type Folder = ReadonlyMap<string, Blob>;

/**
 * Returns the folder of tiles among chosen files: the one that has a file `checkpoint`, the nearest to
 * the top. `undefined` if there is none, or more than one.
 */
export function folderIn(files: Folder): Folder | undefined {
  const tops = [...files.keys()].filter((path) => path.split('/').at(-1) === CHECKPOINT);
  const depthOf = (path: string) => path.split('/').length;
  const least = Math.min(...tops.map(depthOf));
  const [top, other] = tops.filter((path) => depthOf(path) === least);
  if (top === undefined || other !== undefined) return undefined;
  const prefix = top.slice(0, -CHECKPOINT.length);
  const inside = [...files].filter(([path]) => path.startsWith(prefix));
  return new Map(inside.map(([path, file]) => [path.slice(prefix.length), file]));
}

/** The reason why a file is not as the tree requires, as a clause with the names of the files. */
export interface FileProblem {
  readonly problem: string;
}

export class TileFolder {
  /** True if any file has entries. Without them, only the hashes can be checked. */
  readonly hasEntries: boolean;
  readonly #files: Folder;
  /** The widths that there are of each tile, by its path without a width. */
  readonly #widths = new Map<string, number[]>();
  /** The paths that are compared as a whole. */
  readonly #checked = new Set([CHECKPOINT]);

  constructor(files: Folder) {
    this.#files = files;
    const names = [...files.keys()].flatMap((path) => readTileName(path) ?? []);
    for (const name of names) {
      const path = writeTileName({ ...name, width: FULL_WIDTH });
      this.#widths.set(path, [...(this.#widths.get(path) ?? []), name.width]);
    }
    this.hasEntries = names.some(({ level }) => level === 'entries');
  }

  /** The number of files that were compared as a whole. */
  get checked(): number {
    return this.#checked.size;
  }

  /** Returns the paths of files that were not: of later checkpoints, or of something else. */
  unchecked(): readonly string[] {
    const isHidden = (path: string) => path.split('/').some((element) => element.startsWith('.'));
    return [...this.#files.keys()].filter((path) => !this.#checked.has(path) && !isHidden(path));
  }

  async checkpoint(): Promise<string | FileProblem> {
    const bytes = await this.#read(CHECKPOINT, 0, MAX_CHECKPOINT_BYTES);
    if ('problem' in bytes) return bytes;
    const text = textIn(bytes);
    return text ?? { problem: `${CHECKPOINT} is not UTF-8` };
  }

  /** Returns the hashes of a tile, as it is. It must be compared with the tree that it leads to. */
  async hashes(tile: TileName): Promise<readonly Uint8Array[] | FileProblem> {
    const [name] = this.#namesOf(tile);
    if (name === undefined) return missing(tile);
    const bytes = await this.#hashBytes(name);
    return 'problem' in bytes ? bytes : hashesIn(bytes).slice(0, tile.width);
  }

  /** Returns the entries of a bundle, after the narrower and wider ones agree with it. */
  async entries(bundle: TileName): Promise<readonly Uint8Array[] | FileProblem> {
    const [name, ...others] = this.#namesOf(bundle);
    if (name === undefined) return missing(bundle);
    const found = await this.#entriesOf(name);
    if ('problem' in found) return found;
    const due = found.slice(0, bundle.width);
    this.#note(name, bundle.width);
    for (const other of others) {
      const also = await this.#entriesOf(other);
      if ('problem' in also) return also;
      const at = firstDifference(due, also);
      if (at !== undefined) {
        return {
          problem: `${writeTileName(other)} has another entry ${at} than ${writeTileName(name)}`,
        };
      }
      this.#note(other, bundle.width);
    }
    return due;
  }

  /** Compares all files of a tile with a row of the tree. */
  async compare({ level, index, hashes }: TileRow): Promise<FileProblem | undefined> {
    const tile = { level, index, width: hashes.length };
    const names = this.#namesOf(tile);
    if (names.length === 0) return missing(tile);
    for (const name of names) {
      const bytes = await this.#hashBytes(name);
      if ('problem' in bytes) return bytes;
      const at = firstDifference(hashes, hashesIn(bytes));
      if (at !== undefined) return { problem: differs(name, at, hashes.length) };
      this.#note(name, hashes.length);
    }
    return undefined;
  }

  /** Returns the names of a tile's files, the one that is due first; none if that is missing. */
  #namesOf(tile: TileName): readonly TileName[] {
    const widths = this.#widths.get(writeTileName({ ...tile, width: FULL_WIDTH })) ?? [];
    // A log may delete partial tiles once the full one is there.
    const due = [tile.width, FULL_WIDTH].find((width) => widths.includes(width));
    if (due === undefined) return [];
    const others = widths.filter((width) => width !== due);
    return [due, ...others].map((width) => ({ ...tile, width }));
  }

  #note(name: TileName, width: number): void {
    // The rest of a wider one is of a later checkpoint.
    if (name.width <= width) this.#checked.add(writeTileName(name));
  }

  async #hashBytes(name: TileName): Promise<Uint8Array | FileProblem> {
    const length = name.width * HASH_BYTES;
    return this.#read(writeTileName(name), length, length);
  }

  async #entriesOf(name: TileName): Promise<readonly Uint8Array[] | FileProblem> {
    const path = writeTileName(name);
    const bytes = await this.#read(path, 0, name.width * (2 + MAX_ENTRY_BYTES));
    if ('problem' in bytes) return bytes;
    const entries = entriesIn(bytes);
    const isWhole = entries?.length === name.width;
    return isWhole ? entries : { problem: `${path} is no bundle of ${name.width} entries` };
  }

  async #read(path: string, min: number, max: number): Promise<Uint8Array | FileProblem> {
    const file = this.#files.get(path) ?? new Blob([]);
    if (file.size >= min && file.size <= max) return new Uint8Array(await file.arrayBuffer());
    return { problem: `${path} has ${file.size} bytes, which is not its length` };
  }
}

function missing(tile: TileName): FileProblem {
  return { problem: `${writeTileName(tile)} is missing` };
}

/** @param width The width of the bundle, of which there may be narrower tiles. */
function differs(name: TileName, at: number, width: number): string {
  const path = writeTileName(name);
  const place = name.index * FULL_WIDTH + at;
  if (name.level === 0) {
    const bundle = writeTileName({ level: 'entries', index: name.index, width });
    return `${path} and ${bundle} differ: hash ${at} is not that of record ${at}`;
  }
  const below = writeTileName({ level: Number(name.level) - 1, index: place, width: FULL_WIDTH });
  return `${path} and ${below} differ: hash ${at} of the first is not that above the second`;
}

/** Returns the first place at which both have something, and not the same. */
function firstDifference(
  some: readonly Uint8Array[],
  others: readonly Uint8Array[],
): number | undefined {
  const at = some.findIndex((one, place) => {
    const other = others[place];
    return other !== undefined && !areSameBytes(one, other);
  });
  return at < 0 ? undefined : at;
}

function hashesIn(bytes: Uint8Array): Uint8Array[] {
  const count = bytes.length / HASH_BYTES;
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** Returns the entries of a bundle; `undefined` if the last one is cut off. */
function entriesIn(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const end = at + 2 + view.getUint16(at);
    if (end > bytes.length) return undefined;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return at === bytes.length ? entries : undefined;
}
