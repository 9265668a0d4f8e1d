import { shownKey } from '../app/keys/api-key.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import { shownSetting } from '../app/secrets.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine, Environment, Setting } from './shared/command-line.ts';
import { print } from './shared/print.ts';
import { type JsonOption, jsonLine, withJson } from './shared/results.ts';
import { givenSettings, type ServeOptions, withServeOptions } from './shared/serve-options.ts';
import { namedService } from './shared/service.ts';
import { printTable } from './shared/table.ts';

const EXPLANATION = `
It shows what serve would run with here, with the same options: options win over the environment,
the environment over the file .env in this folder, and that over the defaults. API keys and
passwords are not shown. The exit code is 1 if a setting is invalid, which prevents a start.`;

/** Defines `config`: shows the settings in force, and the source of each. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(withServeOptions(command), 'one a line')
    .explain(EXPLANATION)
    .example('Show all settings', 'config')
    .example('Show what a start with these options would use', 'config --port 8080 --json')
    .action((options: JsonOption & ServeOptions) => showConfig(options, commandLine));
}

async function showConfig(
  { json, ...options }: JsonOption & ServeOptions,
  { composition, terminal: { stdout } }: CommandLine,
): Promise<void> {
  const { settings: own, mistakes: ownMistakes } = await composition.settings(
    givenSettings(options),
  );
  const { client, mistake } = clientSettings(composition.environment);
  const settings = [...own, ...client];
  const mistakes = [ownMistakes, mistake].filter((each) => each !== undefined).join('\n');
  if (json) {
    await print(settings.values().map(jsonLine), stdout);
  } else {
    const rows = settings.map(({ name, value = '', source }) => [name, value, source]);
    await printTable(stdout, ['setting', 'value', 'source'], rows, ['value']);
  }
  if (mistakes !== '') throw new UserError(mistakes);
}

/** Returns the service that commands call as clients, where one is named, or the reason why it is not known. */
function clientSettings(environment: Environment): {
  readonly client: readonly Setting[];
  readonly mistake?: string;
} {
  try {
    const { url, key } = namedService({}, environment);
    const client = [
      setting('STORE_ORDERS_URL', url && shownSetting(url.value), url),
      setting('STORE_ORDERS_KEY', key && shownKey(key.value), key),
    ];
    return { client };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { client: [], mistake: error.message };
  }
}

function setting(name: string, value: string | undefined, found?: { readonly source: string }) {
  return { name, value, source: found?.source ?? 'default' };
}
