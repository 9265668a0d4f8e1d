import type { Command } from 'commander';
import type { TreeHead } from '../app/audit/verifier.ts';
import { addKey } from './add-key.ts';
import { type CommandLine, withStore } from './command-line.ts';
import { Refuted } from './refuted.ts';
import { readTrail } from './trail-lines.ts';
import { placeOf } from './verify-report.ts';

const EXPLANATION = `
It checks every event as verify does, and the root at the end. All events are imported or none,
also where it is interrupted; then run it again. The store gets neither the key that has signed
nor the API keys: it is another store, with the same past.`;

interface ImportOptions {
  readonly key: readonly string[];
}

export function addAuditImport(audit: Command, commandLine: CommandLine): void {
  audit
    .command('import')
    .description('take over all that happened from an export, into an empty store')
    .argument('<file>', 'what audit export has written')
    .option(
      '--key <key>',
      'the public key, or a file with it, that must have signed it',
      addKey,
      [],
    )
    .addHelpText('after', EXPLANATION)
    .action((file: string, { key }: ImportOptions) => importTrail(file, key, commandLine));
}

async function importTrail(
  file: string,
  keys: readonly string[],
  commandLine: CommandLine,
): Promise<void> {
  const { composition, terminal } = commandLine;
  await withStore(commandLine, (store) =>
    store.takeOver(async (take): Promise<TreeHead> => {
      const { decode } = composition;
      const read = await readTrail(file, 'Importing', terminal.stderr, { decode, keys, take });
      const { size, root, finding } = read;
      if (finding === undefined) return { size, root };
      const what = `${file}: ${placeOf(finding)}${finding.problem}`;
      throw new Refuted(`${what}\nNothing was imported.`);
    }),
  );
  const { size, root } = await withStore(commandLine, ({ trail }) => trail.treeHead());
  const text = Buffer.from(root).toString('base64');
  terminal.stdout.write(`Imported ${size} events. Their root is ${text}\n`);
}
