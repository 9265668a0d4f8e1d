import type { Command } from 'commander';
import { type CommandLine, withStore } from './command-line.ts';

const EXPLANATION = `
For a signing key that is lost, or that others may have. Move its file away first, if it is
there, and keep it. A key that was put into its place is taken; otherwise one is made. The store
keeps a record of each. What the old key has signed still holds by the old public key. A server
that is running goes on with the old key: restart it.`;

export function addAuditNewKey(audit: Command, commandLine: CommandLine): void {
  audit
    .command('new-key')
    .description('sign with another key from now on, and print its public half')
    .addHelpText('after', EXPLANATION)
    .action(() => newKey(commandLine));
}

async function newKey(commandLine: CommandLine): Promise<void> {
  const { composition, terminal } = commandLine;
  const { file, verifierKey, isMade, before } = await withStore(commandLine, (store) =>
    composition.newSigningKey(store),
  );
  terminal.stderr.write(
    `${isMade ? 'Made' : 'Found'} the key in ${file}: it signs from now on.\n` +
      (before === undefined ? '' : `Until now it was ${before}\n`) +
      'Give the new public key to everybody who has the old one. Restart a running server.\n',
  );
  terminal.stdout.write(`${verifierKey}\n`);
}
