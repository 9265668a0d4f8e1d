import { WRONG_DECISIONS } from './commands.ts';
import { WRONG_ANSWERS } from './http.ts';
import { BAD_LOGS } from './log.ts';
import type { Mutant } from './mutated.ts';

/** Services that are broken on purpose. The kit has to find out every one of them. */
export const MUTANTS: readonly Mutant[] = [...WRONG_DECISIONS, ...BAD_LOGS, ...WRONG_ANSWERS];
