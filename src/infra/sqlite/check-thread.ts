/** The thread that repeatedly reads and checks all files of a store. */

import { runChecks } from '../checking/keep-checking.ts';
import { checkSqliteStore } from './store-check.ts';

await runChecks(checkSqliteStore);
