import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from './disk.ts';

/**
 * Records a program's operations on files, with a library that is preloaded before the C library.
 */
export class Recorder {
  readonly #folder: string;
  readonly #library: string;

  /** @param folder The folder in which the library is built. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#library = join(folder, 'record-writes.so');
    const source = join(import.meta.dirname, 'record-writes.c');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', this.#library, source, '-ldl']);
  }

  /** Returns every operation of a program in `programs` on files whose path begins with `file`. */
  record(program: string, file: string, ...given: readonly string[]): readonly Change[] {
    const recording = join(this.#folder, 'recording');
    rmSync(recording, { force: true });
    const path = join(import.meta.dirname, '..', 'programs', `${program}.ts`);
    const env = {
      ...process.env,
      LD_PRELOAD: this.#library,
      RECORD_FILES: file,
      RECORD_TO: recording,
    };
    const { status, stderr } = spawnSync(process.execPath, [path, file, ...given], { env });
    // null: the program was killed, as its arguments demand.
    if (status !== 0 && status !== null) throw new Error(String(stderr));
    return existsSync(recording) ? changesIn(readFileSync(recording)) : [];
  }
}

function changesIn(recording: Buffer): readonly Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < recording.length; ) {
    const end = recording.indexOf('\n', at);
    const [what, number, length, name = ''] = recording.toString('utf8', at, end).split(' ');
    at = end + 1 + Number(length);
    // The index and the lock do not outlive a process.
    if (name === '-shm' || name.startsWith('-server')) continue;
    changes.push(changeFrom(what, name, Number(number), recording.subarray(end + 1, at)));
  }
  return changes;
}

function changeFrom(what: string | undefined, name: string, number: number, bytes: Buffer): Change {
  switch (what) {
    case 'w':
      return { what: 'write', name, at: number, bytes };
    case 't':
      return { what: 'truncate', name, size: number };
    case 'u':
      return { what: 'remove', name };
    case 's':
      return { what: 'flush', name };
    default:
      throw new Error(`not a recording: ${what}`);
  }
}
