import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type CommandLine, withStore } from './shared/command-line.ts';

/** Adds `backup`: copies a SQLite store to a new file. */
export function addBackup(program: Command, commandLine: CommandLine): void {
  program
    .command('backup')
    .description('copy the store to a new file, as of one moment, while the service may run')
    .argument('<file>', 'where to; it must not exist')
    .action((file: string) => backup(file, commandLine));
}

async function backup(file: string, commandLine: CommandLine): Promise<void> {
  await withStore(commandLine, (store) => store.backup(file));
  const { size } = await stat(file);
  commandLine.terminal.stdout.write(`Wrote ${file}, ${size} bytes.\n`);
}
