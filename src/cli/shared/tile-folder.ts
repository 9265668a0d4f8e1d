/**
 * The folder that `audit tiles` writes. A file is there as a whole or not at all, and one that is there
 * already is compared: it may have been damaged since, or be of another log.
 */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  isInNameOf,
  readNote,
  readNoteKey,
  verifyConsistency,
  verifyNote,
} from '../../app/audit/proofs/verifier.ts';
import type { Prover, SignedCheckpoint } from '../../app/audit/proving/prover.ts';
import type { BuiltTile } from '../../app/audit/proving/tile-builder.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { TILE_HASHES } from '../../app/log/merkle-proofs.ts';
import { HASH_BYTES, leafHash, type TreeHead } from '../../app/log/merkle-tree.ts';
import { bundleOf, hashesIn, pathOf, recordsIn, type TilePlace } from '../../app/log/tiles.ts';
import { readBounded, requireSmallFile, TooLong } from '../../infra/process/small-file.ts';
import { type Failure, refuted } from './exit-codes.ts';
import { unwritable } from './new-file.ts';

/** The longest bundle: each record has two bytes for its length before it. */
const MAX_BUNDLE_BYTES = TILE_HASHES * (2 + 0xff_ff);

/** The end of the name of a file until it is written. */
const UNFINISHED = '.unfinished';

const TAKEN =
  'is written by another `store-orders audit tiles`, too: let it finish, and run this one again.';

export class TileFolder {
  written = 0;
  readonly #folder: string;
  readonly #hashesOnly: boolean;
  readonly #signal: AbortSignal;

  constructor(folder: string, hashesOnly: boolean, signal: AbortSignal) {
    this.#folder = folder;
    this.#hashesOnly = hashesOnly;
    this.#signal = signal;
  }

  /**
   * Throws {@link UserError} for a folder of something else, or of a log that this one does not extend, and
   * {@link Failure} for a checkpoint that is damaged or of another history: it may be the proof of a fork.
   */
  async requireOf(prover: Prover, now: SignedCheckpoint): Promise<void> {
    const folder = this.#folder;
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() === false) throw new UserError(`${folder} is not a folder.`);
    const names = stats === undefined ? [] : readdirSync(folder);
    const foreign = names.find((name) => !/^(?:checkpoint|tile)(?:\.unfinished)?$/.test(name));
    if (foreign !== undefined) {
      throw new UserError(`${folder} has ${foreign} in it, and is not a folder of tiles.`);
    }
    if (!names.includes('checkpoint')) return;
    const about = `The checkpoint in ${folder}`;
    const there = headIn(about, requireSmallFile(join(folder, 'checkpoint')), prover, now);
    if (there.size > now.size) {
      throw new UserError(`${folder} has ${there.size} events, and the log ${now.size}.`);
    }
    const proof = await prover.consistency(there.size, now.size);
    if (verifyConsistency(there, now, proof).ok) return;
    throw refuted(`${about} is of another history than the log: keep it, and use a new folder.`);
  }

  /**
   * Returns the leaves behind a full tile that an earlier run has written; none if there is none. The
   * records are hashed anew, so that the tile of their hashes, which is compared, is of these records.
   */
  leavesAt(index: number): readonly Buffer[] {
    const level = this.#hashesOnly ? 0 : 'entries';
    const place: TilePlace = { level, index, width: TILE_HASHES };
    const bytes = this.#read(join('tile', pathOf(place)), MAX_BUNDLE_BYTES) ?? Buffer.of();
    const leaves = this.#hashesOnly ? hashesIn(bytes) : recordsIn(bytes)?.map(leafHash);
    if (leaves?.length !== TILE_HASHES) return [];
    this.#requireSame(place, bytes, this.#widthsAt(place));
    return leaves;
  }

  async writeEntries(place: TilePlace, records: readonly string[]): Promise<void> {
    if (!this.#hashesOnly) await this.#writeNew(place, bundleOf(records), 0o600);
  }

  async writeAll(tiles: readonly BuiltTile[]): Promise<void> {
    for (const { place, bytes } of tiles) await this.#writeNew(place, bytes);
  }

  /** Writes a file, and returns when its bytes are on the disk. After a power cut, its name can be missing. */
  async write(path: string, bytes: Buffer, mode = 0o644): Promise<void> {
    this.#signal.throwIfAborted();
    const file = join(this.#folder, path);
    const unfinished = `${file}${UNFINISHED}`;
    try {
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(unfinished, 'w', mode);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, file);
    } catch (error) {
      // Another run's may be there by now.
      if (isGone(error)) throw new UserError(`${file} ${TAKEN}`);
      await rm(unfinished, { force: true }).catch(() => {});
      throw unwritable(file, error);
    }
    this.written += 1;
  }

  async #writeNew(place: TilePlace, bytes: Buffer, mode?: number): Promise<void> {
    this.#requireSame(place, bytes);
    const path = join('tile', pathOf(place));
    if (!existsSync(join(this.#folder, path))) await this.write(path, bytes, mode);
  }

  /**
   * Throws {@link Failure} if a file at this place has other bytes, or one of the same tile from when it
   * was narrower other bytes than the beginning of these.
   */
  #requireSame(
    place: TilePlace,
    bytes: Buffer,
    widths: readonly number[] = [...this.#widthsAt(place), TILE_HASHES],
  ): void {
    for (const width of widths) {
      if (width > place.width) continue;
      const path = join('tile', pathOf({ ...place, width }));
      const there = this.#read(path, bytes.length);
      if (there?.equals(beginningOf(place, bytes, width)) === false) throw notOfTheLog(path);
    }
  }

  /** Returns the widths of the partial tiles at a place. Removes what a run that was killed has left there. */
  #widthsAt(place: TilePlace): readonly number[] {
    const partial = join(this.#folder, 'tile', dirname(pathOf({ ...place, width: 1 })));
    if (!existsSync(partial)) return [];
    const names = readdirSync(partial);
    for (const name of names) {
      if (name.endsWith(UNFINISHED)) rmSync(join(partial, name), { force: true });
    }
    return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
  }

  /** Returns the bytes of a file, and none of one that has too many; `undefined` if it is not there. */
  #read(path: string, maxBytes: number): Buffer | undefined {
    const file = join(this.#folder, path);
    if (!existsSync(file)) return undefined;
    try {
      return readBounded(file, maxBytes);
    } catch (error) {
      if (error instanceof TooLong) return Buffer.of();
      throw new UserError(`${file} cannot be read: ${(error as Error).message}`);
    }
  }
}

/** Returns true if a file was not there any more when it was to get its name. */
function isGone(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && syscall === 'rename';
}

const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;

/**
 * Returns the head in a checkpoint of this log. An earlier key may have signed it, which is not at hand: so
 * the caller compares its root with the log, which says more than a signature.
 */
function headIn(
  about: string,
  note: string,
  { verifierKey }: Prover,
  now: SignedCheckpoint,
): TreeHead {
  const read = readNote(note);
  if (!read.ok) throw refuted(`${about}: ${read.reason}.`);
  const { text, signatures } = read.value;
  const [, origin = '', size, root = ''] = CHECKPOINT.exec(text) ?? [];
  const key = readNoteKey(verifierKey);
  if (!key.ok) throw new UserError(`The key of the log: ${key.reason}.`);
  const isByKey = signatures.some((each) => isInNameOf(each, key.value));
  const signed = verifyNote(note, verifierKey);
  if (isByKey && !signed.ok) throw refuted(`${about}: ${signed.reason}.`);
  if (origin.split('+', 1)[0] !== key.value.name)
    throw new UserError(`${about} is of another log.`);
  if (!now.note.startsWith(`${origin}\n`)) {
    throw new UserError(`${about} is of before the log was cut: use a new folder.`);
  }
  return { size: Number(size), root: Buffer.from(root, 'base64') };
}

/** Returns the error for a folder whose files contradict the log, of which one may be known. */
export function notOfTheLog(path?: string): Failure {
  const first = path === undefined ? '' : `, as ${path} shows`;
  return refuted(
    `The tiles are not those of the log${first}: use a new folder, or store-orders verify.`,
  );
}

/** Returns a narrower tile or bundle, which is the beginning of a wider one. */
function beginningOf({ level }: TilePlace, bytes: Buffer, width: number): Buffer {
  if (level !== 'entries') return bytes.subarray(0, width * HASH_BYTES);
  let end = 0;
  for (let record = 0; record < width; record += 1) end += 2 + bytes.readUInt16BE(end);
  return bytes.subarray(0, end);
}
