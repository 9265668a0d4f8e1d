import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

export function addAcceptLoss(program: Command, { composition, terminal }: CommandLine): void {
  program
    .command('accept-loss')
    .description('give up what stands behind the damage in the -wal file that a start told of')
    .action(async () => {
      const { head, copy } = await composition.acceptLoss();
      terminal.stdout.write(`The log now ends at position ${head}.\n`);
      terminal.stderr.write(`The damaged file was kept as ${copy}.\n`);
    });
}
