/** The command line: its commands and its exit codes. */

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { withoutLongRuns, withoutSecrets } from '../app/secrets.ts';
import { addAcceptLoss } from './accept-loss.ts';
import { addAudit } from './audit.ts';
import { addBackup } from './backup.ts';
import { addConformance } from './conformance.ts';
import { addDemo } from './demo.ts';
import { addImport } from './import.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addMigrateStore } from './migrate-store.ts';
import { addReplay } from './replay.ts';
import { addServe } from './serve.ts';
import type { CommandLine, Composition, Terminal } from './shared/command-line.ts';
import { Delivery } from './shared/print.ts';
import { Refuted, ShowsOtherwise } from './shared/refuted.ts';
import { addVerify } from './verify.ts';

const NAME = 'store-orders';

/**
 * Runs the command line. Resolves with the exit code: 0, 1 for a failure, 2 for a usage error, 3 if
 * a check has found a flaw, 4 if a receipt is genuine and does not show the cancellation.
 */
export async function run(
  argv: readonly string[],
  composition: Composition,
  terminal: Terminal = process,
): Promise<number> {
  const delivery = new Delivery(terminal);
  const code = await codeOf(argv, { composition, terminal });
  const failure = await delivery.failure();
  if (failure === undefined) return code;
  terminal.stderr.write(prefixed(failure));
  return code === 0 ? 1 : code;
}

async function codeOf(argv: readonly string[], commandLine: CommandLine): Promise<number> {
  const [first = 'serve', ...others] = argv.slice(2);
  try {
    await programFor(commandLine).parseAsync([first, ...others], { from: 'user' });
    return 0;
  } catch (error) {
    // Help and --version end here as well, with exit code 0; commander has printed the text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { stderr } = commandLine.terminal;
    stderr.write(prefixed(error instanceof Error ? error.message : String(error)));
    if (error instanceof Refuted) return 3;
    return error instanceof ShowsOtherwise ? 4 : 1;
  }
}

export function programFor(commandLine: CommandLine): Command {
  const { stdout, stderr } = commandLine.terminal;
  const program = new Command(NAME)
    .description('An event-sourced order service for a pet store. Without a command: serve.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand(false)
    .addHelpText('after', '\nWhich store: DATABASE_URL, from the environment or from .env')
    .showHelpAfterError(`Try ${NAME} --help`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // It repeats what stands on the command line.
      outputError: (text) => stderr.write(prefixed(withoutLongRuns(text.replace(/^error: /, '')))),
    });
  // Subcommands inherit what is set so far.
  addServe(program, commandLine);
  addDemo(program, commandLine);
  addKeys(program, commandLine);
  addImport(program, commandLine);
  addBackup(program, commandLine);
  addAudit(program, commandLine);
  addReplay(program, commandLine);
  addVerify(program, commandLine);
  addConformance(program, commandLine);
  addAcceptLoss(program, commandLine);
  addMigrate(program, commandLine);
  addMigrateStore(program, commandLine);
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function prefixed(text: string): string {
  return withoutSecrets(text).trimEnd().replaceAll(/^/gm, `${NAME}: `).concat('\n');
}
