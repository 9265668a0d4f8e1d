import Table from 'cli-table3';
import type { Output } from './command-line.ts';
import { print } from './print.ts';

/** Prints rows below a head: as a table on a terminal, elsewhere with tabs between the columns. */
export function printTable(
  output: Output,
  head: readonly string[],
  rows: readonly string[][],
): Promise<void> {
  if (!output.isTTY) return print(lines([head, ...rows]), output);
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows);
  return print([`${table}\n`], output);
}

function* lines(rows: readonly (readonly string[])[]): Generator<string> {
  for (const row of rows) yield `${row.join('\t')}\n`;
}
