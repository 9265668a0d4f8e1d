import type { FileHandle } from 'node:fs/promises';
import { base64Of } from '../app/audit/proofs/bytes.ts';
import type { TreeHead } from '../app/audit/proofs/verifier.ts';
import type { Fill } from '../app/ports/store.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStoreOrNew } from './shared/command-line.ts';
import { refuted } from './shared/exit-codes.ts';
import { withFile } from './shared/lines.ts';
import { addKey } from './shared/options.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';
import { readTrail } from './shared/trail-lines.ts';
import { placeOf } from './shared/verify-report.ts';

const EXPLANATION = `
It checks every event as verify does, the root, and that the key has signed every line. All
events are imported or none, also where it is interrupted; then run it again. The store gets
neither the key that has signed nor the API keys: it is another store, with the same history.`;

const SIGNED = `Checked: the signatures of the public key, on the checkpoint and on every line; each event, by
the rules of a log; their root, which is the one that was signed.
`;
const UNSIGNED = `Checked: each event, by the rules of a log; their root, which is the one that the file names.
Not checked: who signed it, and whether it was signed at all. Anybody can write such a file.
`;

interface ImportOptions extends JsonOption {
  readonly key: readonly string[];
  readonly unsigned?: boolean;
}

/** Adds `audit import`: takes over an export into an empty store. */
export function addAuditImport(audit: ExplainedCommand, commandLine: CommandLine): void {
  const command = withJson(audit.command('import'));
  command
    .description('import the log of an export into an empty store')
    .argument('<file>', 'what audit export has written')
    .option(
      '--key <key>',
      'the public key, or a file with it, that must have signed it',
      addKey,
      [],
    )
    .option('--unsigned', 'import it without checking who signed it')
    .explain(EXPLANATION)
    .example('Import an export, checking its signatures', 'audit import log.ndjson --key log.vkey')
    .action((file: string, { key, unsigned = false, ...options }: ImportOptions) => {
      if (unsigned === key.length > 0) {
        command.error(
          'error: pass the public key of the exported log with --key; to import a file whose ' +
            'author is unknown, pass --unsigned',
        );
      }
      return importTrail(file, { key, ...options }, commandLine);
    });
}

async function importTrail(
  file: string,
  { key: keys, ...options }: ImportOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { composition, terminal } = commandLine;
  const takeFrom = async (input: FileHandle, take: Parameters<Fill>[0]): Promise<TreeHead> => {
    const decode = await composition.decoder();
    const read = await readTrail(input, 'Importing', terminal.stderr, { decode, keys, take });
    const { size, root, finding } = read;
    if (finding === undefined) return { size, root };
    const what = `${file}: ${placeOf(finding)}${finding.problem}`;
    throw refuted(`${what}\nNothing was imported.`);
  };
  await withFile(file, (input) =>
    withStoreOrNew(commandLine, (store) => store.takeOver((take) => takeFrom(input, take))),
  );
  terminal.stderr.write(keys.length > 0 ? SIGNED : UNSIGNED);
  const { size, root } = await withStoreOrNew(commandLine, ({ trail }) => trail.treeHead());
  const rootText = base64Of(root);
  const value = { events: size, root: rootText, signed: keys.length > 0 };
  const text = `Imported ${size} events. Their root is ${rootText}\n`;
  printResult(terminal.stdout, options, { value, text });
}
