import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The service with one promise broken, as somebody might break it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** The text of the program that is replaced, and the replacement. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a commit does not wait for the disk',
    file: 'connection/session.js',
    changes: [
      [
        `set_config('synchronous_commit', 'on', false)`,
        `set_config('synchronous_commit', 'off', false)`,
      ],
      [`WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')`, ''],
      [`['on', 'remote_apply'].includes(synchronousCommit)`, 'true'],
    ],
  },
  {
    name: 'a commit without an answer is taken for none',
    file: 'append-result.js',
    changes: [
      [
        'switch (await findLostCommit(appending.db, change, wasLocked, appending.maxSearchMs))',
        `switch ('not recorded')`,
      ],
    ],
  },
];

/** Makes a copy of the program with a mutant in it, and returns what is to be started. */
export function build({ file, changes }: Mutant, folder: string): string {
  for (const name of ['dist', 'docs', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const changed = join(folder, 'dist/infra/postgres', file);
  let text = readFileSync(changed, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} does not have: ${from}`);
    text = text.replace(from, to);
  }
  writeFileSync(changed, text);
  return join(folder, 'dist/main.js');
}
