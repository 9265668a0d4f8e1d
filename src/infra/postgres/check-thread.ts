/** The thread that repeatedly reads and checks a whole store. */

import { runChecks } from '../checking/keep-checking.ts';
import { loaded } from '../process/start-thread.ts';
import { checkPostgresStore } from './store-check.ts';

loaded();

await runChecks(checkPostgresStore);
