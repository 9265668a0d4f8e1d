import Table from 'cli-table3';
import type { Output } from './command-line.ts';

/** Writes rows below a head: as a table on a terminal, elsewhere with tabs between the columns. */
export function writeTable(
  output: Output,
  head: readonly string[],
  rows: readonly string[][],
): void {
  if (output.isTTY) {
    const table = new Table({ head: [...head], style: { head: [], border: [] } });
    table.push(...rows);
    output.write(`${table}\n`);
  } else {
    for (const row of [head, ...rows]) output.write(`${row.join('\t')}\n`);
  }
}
