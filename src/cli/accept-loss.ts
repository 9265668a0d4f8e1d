import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

export function addAcceptLoss(program: Command, { composition, terminal }: CommandLine): void {
  program
    .command('accept-loss')
    .description(
      'go on with a log that a start has refused, without what it has lost, in a new epoch',
    )
    .action(async () => {
      const { head, epoch, copy } = await composition.acceptLoss();
      terminal.stdout.write(
        `The log now ends at position ${head}, and goes on in epoch ${epoch}.\n`,
      );
      if (copy !== undefined) terminal.stderr.write(`The damaged file was kept as ${copy}.\n`);
    });
}
