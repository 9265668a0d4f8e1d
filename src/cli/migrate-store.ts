import type { Command } from 'commander';
import { copyStore } from '../app/lifecycle/copy-store.ts';
import type { CommandLine } from './shared/command-line.ts';
import { withProgress } from './shared/progress.ts';

const EXPLANATION = `
An address is as in DATABASE_URL: sqlite:FILE, or postgres://USER@HOST/DATABASE. Stop everything that
uses the store first. The copy has the same events to the byte, the same keys and the same id; the
store itself is not changed. The same command continues a copy that was interrupted.`;

interface Addresses {
  readonly from: string;
  readonly to: string;
}

/** Adds `migrate-store`: copies a store from one engine to another. */
export function addMigrateStore(program: Command, commandLine: CommandLine): void {
  program
    .command('migrate-store')
    .description('copy a store from one engine to another, with every proof unchanged')
    .requiredOption('--from <address>', 'the existing store')
    .requiredOption('--to <address>', 'the place of the copy, which must be empty')
    .addHelpText('after', EXPLANATION)
    .action((addresses: Addresses) => migrateStore(addresses, commandLine));
}

async function migrateStore(
  addresses: Addresses,
  { composition, terminal }: CommandLine,
): Promise<void> {
  const from = await (await composition.engine(addresses.from)).openOriginal();
  try {
    const to = await (await composition.engine(addresses.to)).openCopy(from.id);
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
