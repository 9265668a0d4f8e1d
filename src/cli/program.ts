/** The command line: its program and its exit codes. */

import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { withoutLongRuns, withoutSecrets } from '../app/secrets.ts';
import { COMMANDS, commandsFor, NAMES } from './commands.ts';
import { ExplainedCommand } from './shared/command.ts';
import type { CommandLine, Composition, Terminal } from './shared/command-line.ts';
import { type EXIT_CODES, Failure } from './shared/exit-codes.ts';
import { OutputWatch, printable } from './shared/print.ts';

const NAME = 'store-orders';

const NOTES = 'Without a command, the service is run. Each command has examples in its own --help.';

/** Runs the command line. Resolves with one of the {@link EXIT_CODES}. */
export async function run(
  argv: readonly string[],
  composition: Composition,
  terminal: Terminal = process,
): Promise<number> {
  const outputs = new OutputWatch(terminal);
  const code = await codeOf(argv, { composition, terminal });
  const failure = await outputs.failure();
  if (failure === undefined) return code;
  terminal.stderr.write(prefixed(failure));
  return code === 0 ? 1 : code;
}

async function codeOf(argv: readonly string[], commandLine: CommandLine): Promise<number> {
  const [first = 'serve', ...others] = argv.slice(2);
  const words = [first, ...others];
  try {
    const program = await programFor(commandLine, commandsFor(words));
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    // Help and --version end here as well, with exit code 0; commander has printed the text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { stderr } = commandLine.terminal;
    stderr.write(prefixed(messageOf(error)));
    return error instanceof Failure ? error.exitCode : 1;
  }
}

/** Returns an error's message. One of the system's that nothing has worded names its file first. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, path } = error as NodeJS.ErrnoException;
  return path === undefined ? message : `${path} cannot be used: ${message}.`;
}

/**
 * Returns the program with all its commands.
 * @param loaded The commands that get their options and actions; of the others only the name and
 *   the summary are known.
 */
export async function programFor(
  commandLine: CommandLine,
  loaded = NAMES,
): Promise<ExplainedCommand> {
  const { stdout, stderr } = commandLine.terminal;
  const program = new ExplainedCommand(NAME)
    .description('An event-sourced order service for a pet store.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand(false)
    .explain(NOTES)
    .example('Run the service', 'serve')
    .example('Explain a command', 'help keys create')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
      // Commander's errors repeat arguments, which may be secrets.
      outputError: (text) => stderr.write(prefixed(withoutLongRuns(text.replace(/^error: /, '')))),
    });
  // Subcommands inherit what is set so far.
  for (const [group, commands] of Object.entries(COMMANDS)) {
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program.command(name).description(summary).helpGroup(group);
      if (loaded.includes(name)) (await load()).define(command.helpCommand(false), commandLine);
    }
  }
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function prefixed(text: string): string {
  return printable(withoutSecrets(text)).trimEnd().replaceAll(/^/gm, `${NAME}: `).concat('\n');
}
