import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../../docs/markdown.ts';
import { several } from '../../kit/conformance/trial.ts';
import { withTable } from '../table.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import type { Fault } from './faulty.ts';
import { PROMISES } from './promises.ts';
import { AT_ONCE, HEAD, PAGE, PROMISE_HEAD, rowOf } from './table.ts';

/**
 * Writes the tables of faults into their page: `node test/kit-mutants/contract/write-table.ts`, with
 * ten seeds or the number given. With a text, only the rows of the faults whose names contain it;
 * the others stay as they are.
 */

const [, , seeds = '10', part = ''] = process.argv;

async function writeTable(head: string, faults: readonly Fault[]): Promise<void> {
  const rows = faults.map(({ name }) => [name, '', '0 of 0'] as readonly string[]);
  const known = new Map(tableOf(PAGE, head).map((row) => [row[0], row]));
  await several(faults.length, AT_ONCE, async (index) => {
    const fault = faults[index] as Fault;
    const isAsked = fault.name.includes(part);
    const row = isAsked
      ? await rowOf(fault, Number(seeds), head === PROMISE_HEAD)
      : known.get(fault.name);
    if (row === undefined) return;
    rows[index] = row;
    process.stderr.write(`${row.join(' | ')}\n`);
  });
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), head, rows));
}

await writeTable(HEAD, CONTRACT_FAULTS);
await writeTable(PROMISE_HEAD, PROMISES);
