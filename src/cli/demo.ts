import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.ts';

/** Adds `demo`: runs the service on throw-away data. */
export function addDemo(program: Command, { composition }: CommandLine): void {
  program
    .command('demo')
    .description('run the service on throw-away data, with orders of every state in it')
    .action(() => composition.demo());
}
