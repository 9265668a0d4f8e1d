import type { ApiKey } from '../app/ports/key-store.ts';
import type { RecordedRefusal } from '../app/ports/refusal-trail.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { wholeNumber } from './shared/options.ts';
import { print, say } from './shared/print.ts';
import { type JsonOption, jsonLine } from './shared/results.ts';
import { printTable } from './shared/table.ts';

const COLUMNS = ['position', 'at', 'key', 'request', 'code', 'request id'] as const;
const [DEFAULT_LIMIT, MAX_LIMIT] = [100, 9_999_999] as const;

interface Options extends JsonOption {
  readonly limit: number;
}

/** Adds `audit refusals`: lists refused requests. */
export function addAuditRefusals(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('refusals')
    .description('list refused requests, oldest first')
    .option('--limit <count>', 'how many of the newest', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .option('--json', 'as JSON, one refusal a line')
    .example('Show the last ten', 'audit refusals --limit 10')
    .action((options: Options) => refusals(options, commandLine));
}

async function refusals({ limit, json }: Options, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  const { newest, keys } = await withStore(commandLine, async (store) => {
    // One more than are listed, to see if there are older ones.
    return { newest: await store.refusals.newest(limit + 1), keys: await store.keys.list() };
  });
  const listed = newest.slice(-limit);
  if (json) {
    const lines = listed.values().map(({ position, record }) => jsonLine({ position, ...record }));
    await print(lines, stdout);
  } else
    await printTable(
      stdout,
      COLUMNS,
      listed.map((it) => rowOf(it, keys)),
      COLUMNS.slice(2),
    );
  const last = listed.at(-1);
  if (newest.length > listed.length && last !== undefined) say(stderr, olderThan(limit, last));
}

/** Returns in words that there are older refusals, with the option that lists all: positions count from 1. */
function olderThan(limit: number, { position }: RecordedRefusal): string {
  const listed =
    limit === 1 ? 'Only the newest refusal is' : `Only the newest ${limit} refusals are`;
  return `${listed} listed; --limit ${Math.min(position, MAX_LIMIT)} lists all of them.\n`;
}

function rowOf({ position, record }: RecordedRefusal, keys: readonly ApiKey[]): string[] {
  if ('leftOut' in record) {
    return [`${position}`, record.at, '', `${record.leftOut} more were too many at once`, '', ''];
  }
  const { at, keyId, method, path, code, requestId } = record;
  const name = keys.find(({ id }) => id === keyId)?.name;
  // The id in a key that is not valid does not show who sent it.
  const who = code === 'unauthorized' ? `not ${keyId ?? 'a key'}` : `${keyId} (${name})`;
  return [`${position}`, at, who, `${method} ${path}`, code, requestId];
}
