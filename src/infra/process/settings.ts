/** The settings in force, for people to see: each as a text, with its source. */

import { shownKey } from '../../app/keys/api-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { withoutSecrets } from '../../app/secrets.ts';
import { environment, readConfig } from './config.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The sources of a setting, the strongest first. */
interface Sources {
  /** Settings that options of the command line give, by their variables. */
  readonly given: Readonly<Record<string, { readonly option: string; readonly value: string }>>;
  readonly environment: Variables;
  readonly dotEnv: Variables;
}

interface Setting {
  readonly name: string;
  readonly value: string | undefined;
  readonly source: string;
}

/** Returns every setting without what is secret in it, and the mistakes in them, one a line. */
export function settingsOf(sources: Sources): {
  readonly settings: readonly Setting[];
  readonly mistakes: string | undefined;
} {
  const mistakes = mistakesIn(sources);
  const settings = Object.entries(environment.shape).map(([name, { def }]): Setting => {
    const { value, source } = found(name, sources);
    if (value !== undefined) return { name, value: shown(name, value), source };
    const text = def.type === 'prefault' ? String(def.defaultValue) : undefined;
    return { name, value: text, source: 'default' };
  });
  return { settings, mistakes };
}

/** Finds a setting where it is set. An empty one counts as not set, and hides those below it. */
function found(name: string, { given, environment, dotEnv }: Sources) {
  const option = given[name];
  const [value, source] =
    option !== undefined
      ? [option.value, option.option]
      : environment[name] !== undefined
        ? [environment[name], 'environment']
        : [dotEnv[name], '.env'];
  return { value: value === '' ? undefined : value, source };
}

function shown(name: string, value: string): string {
  return name === 'INITIAL_API_KEY' ? shownKey(value) : withoutSecrets(value);
}

function mistakesIn({ given, environment, dotEnv }: Sources): string | undefined {
  const values = Object.entries(given).map(([name, { value }]) => [name, value]);
  const options = Object.entries(given).map(([name, { option }]) => [name, option]);
  try {
    const all = { ...dotEnv, ...environment, ...Object.fromEntries(values) };
    readConfig(all, Object.fromEntries(options));
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
