import { Option } from 'commander';
import type { ApiKey } from '../app/ports/key-store.ts';
import type { RecordedRefusal } from '../app/ports/refusal-trail.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { wholeNumber } from './shared/options.ts';
import { print } from './shared/print.ts';
import { printTable } from './shared/table.ts';

const COLUMNS = ['position', 'at', 'key', 'request', 'code', 'request id'] as const;
const DEFAULT_LIMIT = 100;

interface Options {
  readonly limit: number;
  readonly json?: true;
}

/** Adds `audit refusals`: lists refused requests. */
export function addAuditRefusals(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('refusals')
    .description('list refused requests, oldest first')
    .addOption(
      new Option('--limit <count>', 'how many of the newest')
        .argParser(wholeNumber(1, 9_999_999))
        .default(DEFAULT_LIMIT),
    )
    .option('--json', 'as JSON, one refusal a line')
    .example('Show the last ten', 'audit refusals --limit 10')
    .action((options: Options) => refusals(options, commandLine));
}

async function refusals({ limit, json }: Options, commandLine: CommandLine): Promise<void> {
  const { stdout } = commandLine.terminal;
  const { kept, keys } = await withStore(commandLine, async (store) => {
    return { kept: await store.refusals.newest(limit), keys: await store.keys.list() };
  });
  if (json) return print(kept.values().map(asJson), stdout);
  const rows = kept.map((refusal) => rowOf(refusal, keys));
  await printTable(stdout, COLUMNS, rows, COLUMNS.slice(2));
}

function asJson({ position, record }: RecordedRefusal): string {
  return `${JSON.stringify({ position, ...record })}\n`;
}

function rowOf({ position, record }: RecordedRefusal, keys: readonly ApiKey[]): string[] {
  if ('leftOut' in record) {
    return [`${position}`, record.at, '', `${record.leftOut} more were too many at once`, '', ''];
  }
  const { at, keyId, method, path, code, requestId } = record;
  const name = keys.find(({ id }) => id === keyId)?.name;
  // Nobody has shown to be who is named in what is no valid key.
  const who = code === 'unauthorized' ? `not ${keyId ?? 'a key'}` : `${keyId} (${name})`;
  return [`${position}`, at, who, `${method} ${path}`, code, requestId];
}
