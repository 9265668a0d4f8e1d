import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.ts';

/** Adds `accept-loss`: begins a new epoch on the rest of a damaged log. */
export function addAcceptLoss(program: Command, { composition, terminal }: CommandLine): void {
  program
    .command('accept-loss')
    .description('accept the loss of events and continue in a new epoch')
    .action(async () => {
      const { head, epoch, copy } = await (await composition.engine()).acceptLoss();
      terminal.stdout.write(
        `The log now ends at position ${head}, and continues in epoch ${epoch}.\n`,
      );
      if (copy !== undefined) terminal.stderr.write(`The damaged file was kept as ${copy}.\n`);
    });
}
