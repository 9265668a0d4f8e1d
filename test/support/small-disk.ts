import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** True if the tests may mount a file system; root in a container may not. */
export const canMount = mountsHere();

/** A file system in memory, small enough to be filled to the last byte. */
export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;

  /** Mounts one for the running test. */
  constructor(kibibytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'store-orders-disk-'));
    this.#ballast = join(this.folder, 'ballast');
    this.resize(kibibytes, true);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', this.folder]);
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Fills the disk, except for the given number of KiB. */
  fill(leave = 0): void {
    const room = join(this.folder, 'room');
    if (leave > 0) this.#write(room, leave * 1_024);
    this.#write(this.#ballast);
    rmSync(room, { force: true });
  }

  /** Frees the filled space. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  remount(option: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${option}`, this.folder]);
  }

  /** From here on its files can be opened for reading only, while what has them open writes on. */
  coverReadOnly(): void {
    const uncover = coverReadOnly(this.folder);
    onTestFinished(uncover);
  }

  resize(kibibytes: number, isNew = false): void {
    const how = isNew ? ['-t', 'tmpfs'] : [];
    const size = `${isNew ? '' : 'remount,'}size=${kibibytes}k,mode=700`;
    execFileSync('mount', [...how, '-o', size, ...(isNew ? ['tmpfs'] : []), this.folder]);
  }

  #write(file: string, bytes = Number.POSITIVE_INFINITY): void {
    const fd = openSync(file, 'a', 0o600);
    try {
      for (let left = bytes, piece = 65_536; left > 0 && piece >= 1; ) {
        try {
          left -= writeSync(fd, Buffer.alloc(Math.min(piece, left)));
        } catch {
          piece /= 2;
        }
      }
    } finally {
      closeSync(fd);
    }
  }
}

/**
 * Lets a file, or those in a folder, be opened for reading only, while what has them open writes on.
 * Returns a function that ends this.
 */
export function coverReadOnly(path: string): () => void {
  execFileSync('mount', ['--bind', path, path]);
  execFileSync('mount', ['-o', 'remount,bind,ro', path]);
  return () => void execFileSync('umount', ['--lazy', path]);
}

/** Limits the size of the files that a running process writes, for real errors without root. */
export function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

function mountsHere(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder]);
  if (status === 0) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}
