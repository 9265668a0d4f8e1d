import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { say } from './shared/print.ts';
import { DEFAULT_PROFILE, Profiles } from './shared/profiles.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';
import { readKey } from './shared/secret-input.ts';
import { callAt } from './shared/service.ts';

const EXPLANATION = `
The key is read from standard input, so that it stands neither in the list of processes nor in the
history of the shell; on a terminal it is asked for, and not shown. It is tried before it is kept, in
the file store-orders/profiles.json of $XDG_CONFIG_HOME or ~/.config, which its owner alone can read.`;

interface LoginOptions extends JsonOption {
  readonly url: string;
  readonly profile: string;
}

/** Defines `login`: keeps the address and the key of a service. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command)
    .requiredOption('--url <url>', 'the address of the service: https://orders.example.com')
    .option('--profile <name>', 'the name to keep them under', DEFAULT_PROFILE)
    .explain(EXPLANATION)
    .example('Log in', 'login --url http://127.0.0.1:3000')
    .example(
      'Log in to a second service',
      'login --url https://orders.example.com --profile shop < shop.key',
    )
    .action((options: LoginOptions) => login(options, commandLine));
}

async function login(
  { url, profile, ...options }: LoginOptions,
  { composition, terminal }: CommandLine,
): Promise<void> {
  const { stdout, stderr } = terminal;
  const profiles = new Profiles(composition.environment);
  // A file that cannot be read is refused before the key is asked for.
  profiles.read();
  const key = await readKey(terminal);
  const { id, name, scopes } = await callAt({ url, key }, (service) => service.whoAmI());
  await profiles.set(profile, { url, key }, composition.lock);
  say(stderr, `Kept in ${profiles.file}.\n`);
  const text = `${url} knows the key as ${name} (${id}), for ${scopes.join(', ')}.\n`;
  printResult(stdout, options, { value: { profile, url, id, name, scopes }, text });
}
