import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../../docs/markdown.ts';
import { several } from '../../kit/conformance/trial.ts';
import { withTable } from '../table.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import type { Fault } from './faulty.ts';
import { AT_ONCE, HEAD, PAGE, rowOf } from './table.ts';

/**
 * Writes the table of faults into its page: `node test/kit-mutants/contract/write-table.ts`, with
 * ten seeds or the number given. With a text, only the rows of the faults whose names contain it;
 * the others stay as they are.
 */

const [, , seeds = '10', part = ''] = process.argv;
const rows = CONTRACT_FAULTS.map(({ name }) => [name, '', '0 of 0'] as readonly string[]);
const known = new Map(tableOf(PAGE, HEAD).map((row) => [row[0], row]));
await several(CONTRACT_FAULTS.length, AT_ONCE, async (index) => {
  const fault = CONTRACT_FAULTS[index] as Fault;
  const row = fault.name.includes(part) ? await rowOf(fault, Number(seeds)) : known.get(fault.name);
  if (row === undefined) return;
  rows[index] = row;
  process.stderr.write(`${row.join(' | ')}\n`);
});
writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), HEAD, rows));
