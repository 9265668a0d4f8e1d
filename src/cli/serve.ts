import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.ts';

/** Adds `serve`: runs the service. */
export function addServe(program: Command, { composition }: CommandLine): void {
  program
    .command('serve')
    .description('run the service until it is stopped (SIGTERM, Ctrl-C)')
    .option(
      '--wait <seconds>',
      'how long to wait for an unreachable PostgreSQL; overrides DATABASE_WAIT',
    )
    .action(({ wait }: { wait?: string }) =>
      composition.serve(wait === undefined ? {} : { DATABASE_WAIT: wait }),
    );
}
