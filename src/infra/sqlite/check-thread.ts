/** The thread that repeatedly reads and checks all files of a store. */

import { runChecks } from '../checking/keep-checking.ts';
import { loaded } from '../process/start-thread.ts';
import { loadSqlite } from './load-sqlite.ts';
import { checkSqliteStore } from './store-check.ts';

loadSqlite();
loaded();

await runChecks(checkSqliteStore);
