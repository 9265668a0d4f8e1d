/**
 * The guard before SQLite. When SQLite opens a file, it takes over the frames of the `-wal` file up
 * to the first that is not whole, and drops everything behind that without a word: one flipped bit,
 * and acknowledged events are gone. After a power cut that is right, because the end of the file
 * may be half written. So the guard has to tell the one from the other.
 *
 * The principle: SQLite begins to write a transaction only when the one before it is on the disk
 * ({@link syncWal} closes the one gap in that). A frame's sum goes on from the sum of the frame
 * that its writer had before it. So a frame that follows a commit proves that the commit, and all
 * that was before it, was on the disk when the frame was written. If anything up to that commit is
 * not whole now, it was damaged afterwards, and by no power cut. Why leftovers of dropped
 * transactions and of earlier rounds through the file prove nothing of the kind, and what the guard
 * cannot see, is in docs/adr/0012.
 */

import { closeSync, fsyncSync, openSync, readSync } from 'node:fs';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';
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

/** The damaged place of a `-wal` file; frames count from 1. */
type Damage = 'its header' | `frame ${number}`;

/** The bytes of frames that are read at once. */
const PIECE_BYTES = 1_048_576;

/** The sum before a frame where none is known. */
const NOTHING: Checksum = [0, 0];

/** Throws {@link CannotStart} where SQLite would drop committed transactions of a store's file. */
export function refuseDamagedWal(file: string): void {
  const damage = damageIn(`${file}-wal`);
  if (damage === undefined) return;
  throw new CannotStart(
    `${file}-wal is damaged at ${damage}, and committed transactions follow it. ` +
      'Nothing was changed. Restore a backup, or accept their loss: store-orders accept-loss',
  );
}

/**
 * Returns the place where a `-wal` file is damaged so that SQLite would drop what was committed.
 */
export function damageIn(wal: string): Damage | undefined {
  const damage = findDamage(wal);
  // Somebody else may be writing, so that what is behind is read in a newer state than what is in
  // front. But what proves a damage was written after all that it proves: a second look, begun
  // later, finds that whole, unless it is damaged indeed.
  return damage === undefined || findDamage(wal) !== damage ? undefined : damage;
}

/**
 * Makes what is in the `-wal` file durable. A process that is killed while it commits may leave a
 * whole transaction behind that never reached the disk, and SQLite takes it over. To be called when
 * SQLite has done so, before anything is served or written.
 */
export function syncWal(file: string): void {
  reading(`${file}-wal`, fsyncSync);
}

/**
 * Returns true where a start would find a transaction in a `-wal` file behind so many committed
 * frames.
 * @param done The header of a file all of which is in the store's file. Where it is still there,
 * the file was not begun again, whatever was tried.
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

/** The header of a `-wal` file; `undefined` where it has none. */
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
    // Begun again from its start meanwhile: whoever did that had found it whole.
    return damage && headerBytes(fd)?.equals(bytes) ? damage : undefined;
  });
}

/** The first frame that is not whole, if a commit behind it was on the disk before. */
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

/** Returns true where a frame behind a damaged header proves a commit. */
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
 * Returns true where a frame was written when the one in front of it was the end of a transaction
 * that was on the disk. What `last` says of itself counts only if it was written together with the
 * sum that `frame` goes on from: where its header is in one sector, or where its sum is right. And
 * if that sum itself is damaged, the one that it should have tells the same.
 */
function proves(frame: Frame, last: Frame, before: Checksum): boolean {
  if (!last.commits) return false;
  if (frame.follows(last.sumAfter(before))) return true;
  return frame.follows(last.checksum) && (last.hasWholeHeader || last.follows(before));
}

/** The frames that are in the file in full length, whatever is in them. */
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

// To close a file would release the locks that this process holds on it (fcntl(2)), but SQLite
// takes its locks on the store's file and on the index, never on the -wal file.
function reading<Result>(wal: string, read: (fd: number) => Result): Result | undefined {
  let fd: number;
  try {
    fd = openSync(wal, 'r');
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
