import Table from 'cli-table3';
import type { Output } from './command-line.ts';
import { print } from './print.ts';

/** Prints rows below a head: as a table on a terminal, elsewhere with tabs between the columns. */
export function printTable(
  output: Output,
  head: readonly string[],
  rows: readonly string[][],
): Promise<void> {
  if (!output.isTTY) {
    const lines = [head, ...rows].values().map((row) => `${row.join('\t')}\n`);
    return print(lines, output);
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows);
  return print([`${table}\n`], output);
}
