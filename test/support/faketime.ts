import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './service.ts';

/** Debian's libfaketime, which gives a process a wall clock that can be set while it runs. */
const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').filter(existsSync);

/** The reason to skip tests that set the clock; `undefined` if they can run. */
export const NO_FAKETIME = LIBRARY === undefined ? 'faketime is not installed' : undefined;

/**
 * A fake wall clock for processes that are started with its environment. Other clocks stay real.
 */
export class SteppedClock {
  readonly #file = join(newFolder(), 'offset');
  readonly env: Readonly<Record<string, string>> = {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME_TIMESTAMP_FILE: this.#file,
    FAKETIME_NO_CACHE: '1',
    // Monotonic time is not faked, since nobody can set it (clock_gettime(2), CLOCK_MONOTONIC).
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };

  constructor() {
    this.set('+0');
  }

  /**
   * Sets the clock's offset from the real one: seconds, or with a unit, such as `-1h` or `+8000y`.
   */
  set(offset: string): void {
    writeFileSync(this.#file, `${offset}\n`);
  }
}
