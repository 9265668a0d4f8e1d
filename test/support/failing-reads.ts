/** Reads of a program that fail as those of a failing disk do. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from '../bench/load.ts';

/** The reason why no read can be made to fail here; undefined if one can. */
export const cannotFail =
  process.platform === 'linux' && isInstalled('cc') ? undefined : 'no cc, or not Linux';

/** Fails reads of a store's database by a library that is preloaded before the C library. */
export class FailingReads {
  /** The environment of a program whose reads are to fail. */
  readonly env: Readonly<Record<string, string>>;
  readonly #failures: string;

  /**
   * @param folder The folder in which the library is built.
   * @param file The beginning of the paths of the files.
   */
  constructor(folder: string, file: string) {
    const library = join(folder, 'failing-reads.so');
    const source = join(import.meta.dirname, 'failing-reads.c');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
    this.#failures = join(folder, 'failures');
    this.env = { LD_PRELOAD: library, FAILING_FILES: file, FAILING_READS: this.#failures };
  }

  /** Fails the next reads, of which the first ones may succeed. */
  fail(count: number, afterReads = 0): void {
    // The last byte is taken first.
    writeFileSync(this.#failures, 'e'.repeat(count) + 'k'.repeat(afterReads));
  }

  /** Returns the number of reads that are still to fail. */
  get left(): number {
    return readFileSync(this.#failures, 'utf8').replaceAll('k', '').length;
  }
}
