/** The thread that repeatedly reads and checks a whole store. */

import { runChecks } from '../checking/keep-checking.ts';
import { checkPostgresStore } from './store-check.ts';

await runChecks(checkPostgresStore);
