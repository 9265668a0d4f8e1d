import { readFileSync, writeFileSync } from 'node:fs';
import { type Killed, kill } from './kill.ts';
import { MUTANTS } from './mutants.ts';
import { HEAD, PAGE, rowsOf } from './table.ts';

/** Writes the table of mutants into its page anew: `node test/kit-mutants/write-table.ts`. */

const killed: Killed[] = [];
for (const mutant of MUTANTS) killed.push(await kill(mutant));

const rows = rowsOf(killed).map((cells) => `| ${cells.join(' | ')} |`);
const table = new RegExp(`(\\| ${HEAD.replaceAll('|', '\\|')} \\|\n\\|[-|]+\\|\n)(?:\\|.*\n)*`);
const page = readFileSync(PAGE, 'utf8');
writeFileSync(
  PAGE,
  page.replace(table, (_, head) => `${head}${rows.join('\n')}\n`),
);
