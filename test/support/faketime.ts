import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './service.ts';

/** Debian's library that shows a process another wall clock, one that can be set while it runs. */
const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').filter(existsSync);

/** Why tests with a clock that is set have to be skipped; `undefined` where they run. */
export const NO_FAKETIME = LIBRARY === undefined ? 'faketime is not installed' : undefined;

/** A wall clock for processes that are started with its environment; what it does not touch is real. */
export class SteppedClock {
  readonly #file = join(newFolder(), 'offset');
  readonly env: Readonly<Record<string, string>> = {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME_TIMESTAMP_FILE: this.#file,
    FAKETIME_NO_CACHE: '1',
    // The time that goes by is not the clock's to set (clock_gettime(2), CLOCK_MONOTONIC).
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };

  constructor() {
    this.set('+0');
  }

  /** Sets the clock so far off the real one: seconds, or with a unit, such as `-1h` or `+8000y`. */
  set(offset: string): void {
    writeFileSync(this.#file, `${offset}\n`);
  }
}
