import { readFileSync, writeFileSync } from 'node:fs';
import { type Killed, kill } from './kill.ts';
import { MUTANTS } from './mutants.ts';
import { HEAD, PAGE, rowsOf, withTable } from './table.ts';

/** Writes the table of mutants into its page anew: `node test/kit-mutants/write-table.ts`. */

const killed: Killed[] = [];
for (const mutant of MUTANTS) killed.push(await kill(mutant));

writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), HEAD, rowsOf(killed)));
