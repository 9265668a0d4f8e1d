import { stat } from 'node:fs/promises';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { interruptible } from './shared/interrupt.ts';
import { targetOf } from './shared/new-file.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

/** Defines `backup`: copies a SQLite store to a new file. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command)
    .argument('<file>', 'the new file; it must not exist')
    .example('Copy the store beside the running service', 'backup copy.db')
    .action((file: string, options: JsonOption) => backup(file, options, commandLine));
}

async function backup(file: string, options: JsonOption, commandLine: CommandLine): Promise<void> {
  // The folder of a link's target has the copy until it is complete: a rename would replace the link.
  const target = targetOf(file);
  await interruptible((signal) => withStore(commandLine, (store) => store.backup(target, signal)));
  const { size } = await stat(file);
  const text = `Wrote ${file}, ${size} bytes.\n`;
  printResult(commandLine.terminal.stdout, options, { value: { file, bytes: size }, text });
}
