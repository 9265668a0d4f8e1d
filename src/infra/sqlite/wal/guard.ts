/**
 * Detects damage of the `-wal` file that SQLite would hide. When SQLite opens a store, it applies
 * the frames of that file up to the first invalid one and silently drops the rest: one flipped bit,
 * and acknowledged events are gone. After a power cut that is right, because the end of the file
 * may be half written. This guard tells the two apart.
 *
 * The principle: SQLite begins to write a transaction only when the previous one is on the disk
 * ({@link syncWal} closes the one gap in that). The checksum of a frame continues that of the frame
 * before it. So a frame that follows a commit proves that the commit, and everything before it, was
 * on the disk when the frame was written. If anything up to that commit is invalid now, it was
 * damaged later, and not by a power cut. docs/adr/0012 explains why leftovers of dropped
 * transactions, and of earlier rounds through the file, prove nothing, and which damage the guard
 * cannot detect.
 */

import { closeSync, fsyncSync, openSync, readSync } from 'node:fs';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import {
  type Checksum,
  Frame,
  frameBytes,
  HEADER_BYTES,
  type Header,
  LAYOUTS,
  type Layout,
  parseHeader,
} from './format.ts';

/** The place of the damage in a `-wal` file; frames are numbered from 1. */
type Damage = 'its header' | `frame ${number}`;

/** The size of one read, in bytes. */
const PIECE_BYTES = 1_048_576;

/** Stands for the checksum before a frame if that is unknown. */
const NOTHING: Checksum = [0, 0];

/** Throws {@link UserError} if SQLite would drop committed transactions of a store's file. */
export function refuseDamagedWal(file: string): void {
  const damage = damageIn(`${file}-wal`);
  if (damage === undefined) return;
  throw new UserError(
    `${file}-wal is damaged at ${damage}, and committed transactions follow it. ` +
      'Nothing was changed. Restore a backup, or accept their loss: store-orders accept-loss',
  );
}

/**
 * Returns the place of damage in a `-wal` file because of which SQLite would drop commits.
 * @param look Returns the first damage that it finds, in a file that may be written meanwhile.
 */
export function damageIn(wal: string, look = findDamage): Damage | undefined {
  const damage = look(wal);
  // Another process may be writing, so the end of the file may be read in a newer state than its
  // beginning. Whatever proves damage was written after everything that it proves, so a second
  // look, which begins later, finds all of that valid unless it is really damaged.
  return damage === undefined || look(wal) !== damage ? undefined : damage;
}

/**
 * Flushes the `-wal` file. A process killed during a commit may leave a whole transaction that
 * never reached the disk, which SQLite then applies. Must be called after SQLite has opened the
 * store, before anything is served or written.
 */
export function syncWal(file: string): void {
  reading(`${file}-wal`, fsyncSync);
}

/**
 * Returns true if a start would apply a transaction behind the committed frames of a `-wal` file.
 * @param done The header of the file when all of it was last in the store's file. If it is
 *   unchanged, the file was not restarted since.
 */
export function hasCommitBehind(wal: string, committed: number, done: Buffer | undefined): boolean {
  const found = reading(wal, (fd) => {
    const bytes = headerBytes(fd);
    const header = bytes && parseHeader(bytes);
    if (header === undefined || (committed === 0 && done?.equals(bytes as Buffer))) return false;
    let end = header.checksum;
    for (const frame of frames(fd, header)) {
      if (frame.number > committed) {
        if (frame.salts !== header.salts || !frame.follows(end)) return false;
        if (frame.commits) return true;
      }
      end = frame.checksum;
    }
    return false;
  });
  return found === true;
}

/**
 * Returns true if the first `count` frames of a `-wal` file are as SQLite has written them, or if the
 * file was restarted during the look. They must be committed: SQLite writes others anew.
 */
export function areWhole(wal: string, count: number): boolean {
  const found = reading(wal, (fd) => {
    const bytes = headerBytes(fd);
    const header = bytes && parseHeader(bytes);
    const whole = header === undefined ? 0 : wholeFrames(header, fd, count);
    return whole === count || headerBytes(fd)?.equals(bytes as Buffer) === false;
  });
  return found === true;
}

/** Returns the number of frames, at most `count`, before the first one that is invalid. */
function wholeFrames(header: Header, fd: number, count: number): number {
  let end = header.checksum;
  let whole = 0;
  for (const frame of frames(fd, header)) {
    if (whole === count || frame.salts !== header.salts || !frame.follows(end)) break;
    end = frame.checksum;
    whole = frame.number;
  }
  return whole;
}

/** Returns the header of a `-wal` file; `undefined` if it has none. */
export function readHeader(wal: string): Buffer | undefined {
  return reading(wal, headerBytes);
}

function findDamage(wal: string): Damage | undefined {
  return reading(wal, (fd) => {
    const bytes = headerBytes(fd);
    if (bytes === undefined) return undefined;
    const header = parseHeader(bytes);
    const damage =
      header !== undefined
        ? damageUnder(header, fd)
        : LAYOUTS.some((layout) => hasCommits(layout, fd)) && 'its header';
    // Restarted meanwhile, by a process that had found the file valid.
    return damage && headerBytes(fd)?.equals(bytes) ? damage : undefined;
  });
}

/** Returns the first invalid frame if a later commit proves that it was once on the disk. */
function damageUnder(header: Header, fd: number): Damage | undefined {
  let damaged: number | undefined;
  let before = NOTHING;
  let last: Frame | undefined;
  for (const frame of frames(fd, header)) {
    const end = last?.checksum ?? header.checksum;
    const belongs = frame.salts === header.salts;
    if (damaged === undefined) {
      if (!belongs || !frame.follows(end)) damaged = frame.number;
    } else if (belongs && last !== undefined && proves(frame, last, before)) {
      return `frame ${damaged}`;
    }
    before = end;
    last = frame;
  }
  return undefined;
}

/** Returns true if a frame behind a damaged header proves a commit. */
function hasCommits(layout: Layout, fd: number): boolean {
  let before = NOTHING;
  let last: Frame | undefined;
  for (const frame of frames(fd, layout)) {
    if (last?.salts === frame.salts && proves(frame, last, before)) return true;
    before = last?.checksum ?? NOTHING;
    last = frame;
  }
  return false;
}

/**
 * Returns true if a frame proves that the frame before it ended a transaction that was on the disk.
 * The commit mark of `last` counts only if it was written together with the checksum that `frame`
 * continues: if its header is within one sector, or if its checksum is right. If that checksum
 * itself is damaged, the computed one serves instead.
 */
function proves(frame: Frame, last: Frame, before: Checksum): boolean {
  if (!last.commits) return false;
  if (frame.follows(last.sumAfter(before))) return true;
  return frame.follows(last.checksum) && (last.hasWholeHeader || last.follows(before));
}

/** Yields the frames of full length in the file, valid or not. */
function* frames(fd: number, layout: Layout): Iterable<Frame> {
  const size = frameBytes(layout);
  const count = Math.floor(PIECE_BYTES / size);
  for (let first = 0; ; first += count) {
    const bytes = Buffer.allocUnsafe(count * size);
    const length = readSync(fd, bytes, { position: HEADER_BYTES + first * size });
    const whole = Math.floor(length / size);
    for (let index = 0; index < whole; index++) {
      const frame = bytes.subarray(index * size, (index + 1) * size);
      yield new Frame(first + index + 1, frame, layout);
    }
    if (whole < count) return;
  }
}

function headerBytes(fd: number): Buffer | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  return readSync(fd, bytes, { position: 0 }) === HEADER_BYTES ? bytes : undefined;
}

/**
 * Returns what a function reads from an open file; `undefined` if there is no file. Closing a file
 * releases all locks of this process on it (fcntl(2)): SQLite locks the store's file and the index, which
 * must not be read so while a connection is open, but never the `-wal` or `-journal`.
 */
export function reading<Result>(file: string, read: (fd: number) => Result): Result | undefined {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}
