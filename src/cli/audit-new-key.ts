import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

const EXPLANATION = `
For a signing key that is lost or may have been stolen. Move its file away first, if there is
one, and keep it. A key file in its place is used; otherwise a key is created. The store keeps a
record of each. The old public key still verifies what the old key has signed. A running server
continues with the old key, and so does a follower that posts: restart both.`;

/** Adds `audit new-key`: changes the signing key. */
export function addAuditNewKey(audit: ExplainedCommand, commandLine: CommandLine): void {
  withJson(audit.command('new-key'))
    .description('change the signing key, and print the public half of the new one')
    .explain(EXPLANATION)
    .example('Change the key, and keep its public half', 'audit new-key > log.vkey')
    .action((options: JsonOption) => newKey(options, commandLine));
}

async function newKey(options: JsonOption, commandLine: CommandLine): Promise<void> {
  const { composition, terminal } = commandLine;
  const { file, verifierKey, isMade, before } = await withStore(commandLine, (store) =>
    composition.newSigningKey(store),
  );
  terminal.stderr.write(
    `${isMade ? 'Made' : 'Found'} the key in ${file}: it signs from now on.\n` +
      (before === undefined ? '' : `Until now it was ${before}\n`) +
      'Give the new public key to everybody who has the old one. Restart a running server, ' +
      'and then the followers that post.\n',
  );
  const value = { file, verifierKey, isMade, before };
  printResult(terminal.stdout, options, { value, text: `${verifierKey}\n` });
}
