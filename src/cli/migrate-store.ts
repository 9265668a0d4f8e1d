import type { Command } from 'commander';
import { copyStore } from '../app/copy-store.ts';
import type { CommandLine } from './command-line.ts';
import { withProgress } from './progress.ts';

const EXPLANATION = `
An address is as in DATABASE_URL: sqlite:FILE, or postgres://USER@HOST/DATABASE. Stop everything that
uses the store first. The copy has the same events to the byte, the same keys and the same id; the
store itself stays as it is. A copy that was interrupted goes on with the same command.`;

interface Addresses {
  readonly from: string;
  readonly to: string;
}

export function addMigrateStore(program: Command, commandLine: CommandLine): void {
  program
    .command('migrate-store')
    .description('copy a store from one engine to another, with every proof as it was')
    .requiredOption('--from <address>', 'the store that is there')
    .requiredOption('--to <address>', 'where the copy is to be; nothing may be there yet')
    .addHelpText('after', EXPLANATION)
    .action((addresses: Addresses) => migrateStore(addresses, commandLine));
}

async function migrateStore(
  addresses: Addresses,
  { composition, terminal }: CommandLine,
): Promise<void> {
  const from = await composition.openOriginal(addresses.from);
  try {
    const to = await composition.openCopy(addresses.to, from.id);
    try {
      const total = (await from.trail.treeHead()).size;
      const { size, root } = await withProgress(terminal.stderr, 'Copying', total, (advance) =>
        copyStore(from, to, advance),
      );
      terminal.stdout.write(`Copied the store: ${size} events, root ${root}.\n`);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
