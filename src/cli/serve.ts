import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

export function addServe(program: Command, { composition }: CommandLine): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM, Ctrl-C)')
    .option(
      '--wait <seconds>',
      'how long to wait for PostgreSQL, if it is away; wins over DATABASE_WAIT',
    )
    .action(({ wait }: { wait?: string }) =>
      composition.serve(wait === undefined ? {} : { DATABASE_WAIT: wait }),
    );
}
