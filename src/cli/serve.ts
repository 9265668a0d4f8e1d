import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

export function addServe(program: Command, { composition }: CommandLine): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM, Ctrl-C)')
    .action(() => composition.serve());
}
