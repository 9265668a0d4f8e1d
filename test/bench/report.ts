import { execFileSync } from 'node:child_process';
import { cpus, totalmem, type } from 'node:os';
import Table from 'cli-table3';
import { figure, type Row } from './row.ts';

const HEAD = [
  'Row',
  'Store Orders',
  'Compared with',
  'Result',
  'Required',
  'Aim',
  'Verdict',
  'CPU µs/request',
];

/** Returns the rows as a table for a terminal. */
export function asTable(rows: readonly Row[]): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } });
  table.push(...rows.map(cellsOf));
  return table.toString();
}

/** Returns the rows as a Markdown table, below the circumstances of the measurement. */
export function asMarkdown(rows: readonly Row[], about: About): string {
  const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `${describe(about)}\n\n${table}\n`;
}

/** Returns the rows and all their samples as JSON. */
export function asJson(rows: readonly Row[], about: About): string {
  return `${JSON.stringify({ ...about, rows }, null, 2)}\n`;
}

function cellsOf(row: Row): string[] {
  const { name, measured, reference, value, unit = '', target, verdict, note, cpu = '' } = row;
  const sign = target?.better === 'more' ? '≥' : '≤';
  const bar = (number: number | undefined) =>
    number === undefined ? '' : `${sign} ${number}${unit}`;
  return [
    name,
    measured,
    reference,
    value === undefined ? '' : `${figure(value)}${unit}`,
    bar(target?.required),
    bar(target?.aim),
    note === undefined ? verdict : `${verdict}: ${note}`,
    cpu,
  ];
}

/** Returns the circumstances of the measurement, without which its numbers mean nothing. */
export interface About {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly node: string;
  readonly load: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly orders: number;
}

export function aboutThis(settings: Pick<About, 'load' | 'rounds' | 'seconds' | 'orders'>): About {
  const [{ model } = { model: 'unknown CPU' }, ...more] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${type()}, ${1 + more.length} × ${model.trim()}, ${memory} GB`,
    node: process.version,
    ...settings,
  };
}

export function describe({ date, commit, machine, node, load, ...settings }: About): string {
  const { rounds, seconds, orders } = settings;
  return (
    `${date}, commit ${commit}, ${machine}, Node.js ${node}, ${load}, ` +
    `${rounds} rounds of ${seconds} s, largest store ${figure(orders)} orders.`
  );
}

function commit(): string {
  try {
    const asked = ['rev-parse', '--short', 'HEAD'];
    const options = { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', asked, options).trim();
  } catch {
    return 'unknown';
  }
}
