import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Changes, plantIn } from '../../support/planted.ts';

/** The service with one promise broken, as somebody might break it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly changes: Changes;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a commit does not wait for the disk',
    file: 'connection/session.js',
    changes: [
      [`WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END`, `WHEN '' THEN '' ELSE 'off' END`],
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
  plantIn(join(folder, 'dist/infra/postgres', file), changes);
  return join(folder, 'dist/main.js');
}
