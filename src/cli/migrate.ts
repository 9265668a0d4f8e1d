import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

export function addMigrate(program: Command, { composition, terminal }: CommandLine): void {
  program
    .command('migrate')
    .description('bring a store in PostgreSQL up to date, and make the roles that go with it')
    .action(async () => {
      const { from, to } = await composition.migrate();
      const done = from === to ? `is at version ${to}` : `went from version ${from} to ${to}`;
      terminal.stdout.write(`The schema ${done}.\n`);
    });
}
