import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { newEvent, placed } from '../events.ts';

/**
 * Continues a store in a new epoch, and kills itself in front of its nth write of the head file. Prints
 * `done` if it makes fewer.
 */
const [, , file = '', how = '', nth = ''] = process.argv;
let left = Number(nth);
const heads = new Set<unknown>();

for (const name of ['openSync', 'writeSync', 'fsyncSync', 'writeFileSync', 'renameSync'] as const) {
  const original = fs[name] as (...given: unknown[]) => unknown;
  Object.assign(fs, {
    [name](...given: unknown[]) {
      // A new head file is durable with its folder.
      const isPath = String(given[0]).includes('-head') || given[0] === dirname(file);
      const isOfHead = heads.has(given[0]) || isPath;
      if (isOfHead && name !== 'openSync') left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      const result = original(...given);
      if (name === 'openSync') heads[isOfHead ? 'add' : 'delete'](result);
      return result;
    },
  });
}
syncBuiltinESMExports();

if (how === 'accept-loss') await acceptLossInSqlite(file);
const store = openSqliteForCommandLine(file);
await store.log.append(await store.log.head(), () => [newEvent(placed(99n))]);
await store.close();
console.log('done');
