import { UserError } from '../app/lifecycle/user-error.ts';
import { shownSetting } from '../app/secrets.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { DEFAULT_PROFILE, Profiles } from './shared/profiles.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

interface LogoutOptions extends JsonOption {
  readonly profile: string;
}

/** Defines `logout`: forgets the address and the key of a service. */
export function define(command: ExplainedCommand, { composition, terminal }: CommandLine): void {
  withJson(command)
    .option('--profile <name>', 'the name that they are kept under', DEFAULT_PROFILE)
    .explain('The key stays valid: revoke it with store-orders keys revoke where the store is.')
    .example('Log out', 'logout')
    .action(async ({ profile, ...options }: LogoutOptions) => {
      const profiles = new Profiles(composition.environment);
      const found = profiles.find(profile);
      if (found === undefined) {
        throw new UserError(`There is no profile ${profile} in ${profiles.file}.`);
      }
      await profiles.remove(profile, composition.lock);
      const url = shownSetting(found.url);
      const text = `Forgot the key for ${url}.\n`;
      printResult(terminal.stdout, options, { value: { profile, url }, text });
    });
}
