import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.ts';

/** Adds `migrate`: brings the schema in PostgreSQL up to date. */
export function addMigrate(program: Command, { composition, terminal }: CommandLine): void {
  program
    .command('migrate')
    .description('bring a store in PostgreSQL up to date, and make the roles that go with it')
    .action(async () => {
      const { from, to, restored } = await (await composition.engine()).migrate();
      const done = from === to ? `is at version ${to}` : `went from version ${from} to ${to}`;
      terminal.stdout.write(`The schema ${done}.\n`);
      for (const flaw of restored) terminal.stdout.write(`Restored: ${flaw}.\n`);
      if (restored.length === 0) return;
      terminal.stdout.write('See what was changed meanwhile: store-orders verify\n');
    });
}
