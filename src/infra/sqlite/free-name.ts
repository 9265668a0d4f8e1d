/** The check of a name that a new store's file is to have. */

import { existsSync } from 'node:fs';
import { UserError } from '../../app/lifecycle/user-error.ts';

/** The ends of the names of SQLite's own files, which it would delete beside a new file. */
const ENDS_OF_SQLITE = ['-wal', '-shm', '-journal'];

/** The end of the name of a file that belongs to the store without it. */
const END_OF_OTHER = /-(?:wal|shm|journal|head|server|refusals|snapshot|signing-key|cosigned)$/;

/** Throws {@link UserError} if there is a file of this name, or if it is one of another store's files. */
export function requireFree(file: string): void {
  for (const end of ['', ...ENDS_OF_SQLITE]) {
    if (existsSync(file + end)) {
      throw new UserError(`${file}${end} is there already and was left as it is.`);
    }
  }
  const store = file.replace(END_OF_OTHER, '');
  if (store !== file && existsSync(store)) {
    throw new UserError(`${file} is the name of a file of the store ${store}: choose another one.`);
  }
}
