/** The settings in force: of several sources that set a variable, the strongest. */

import { shownKey } from '../../app/keys/api-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { shownSetting } from '../../app/secrets.ts';
import { type Config, environment, readConfig } from './config.ts';

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

/** Reads the configuration. Throws {@link UserError} with one line for each mistake in it. */
export function configOf(sources: Sources): Config {
  const all = inForce(sources);
  const values = [...all].map(([name, { value }]) => [name, value]);
  const options = Object.entries(sources.given).map(([name, { option }]) => [name, option]);
  return readConfig(Object.fromEntries(values), Object.fromEntries(options));
}

/** Returns every setting without what is secret in it, and the mistakes in them, one a line. */
export function settingsOf(sources: Sources): {
  readonly settings: readonly Setting[];
  readonly mistakes: string | undefined;
} {
  const mistakes = mistakesIn(sources);
  const all = inForce(sources);
  const settings = Object.entries(environment.shape).map(([name, { def }]): Setting => {
    const set = all.get(name);
    if (set?.value) return { name, value: shown(name, set.value), source: set.source };
    const text = def.type === 'prefault' ? String(def.defaultValue) : undefined;
    return { name, value: text, source: 'default' };
  });
  return { settings, mistakes };
}

/** Returns the variables that are set. An empty one hides those of weaker sources, as their default. */
function inForce({ given, environment, dotEnv }: Sources) {
  const options = Object.entries(given).map(([name, { option, value }]) => {
    return [name, { value, source: option }] as const;
  });
  return new Map([...setIn(dotEnv, '.env'), ...setIn(environment, 'environment'), ...options]);
}

function setIn(variables: Variables, source: string) {
  return Object.entries(variables).flatMap(([name, value]) => {
    return value === undefined ? [] : [[name, { value, source }] as const];
  });
}

function shown(name: string, value: string): string {
  return name === 'INITIAL_API_KEY' ? shownKey(value) : shownSetting(value);
}

function mistakesIn(sources: Sources): string | undefined {
  try {
    configOf(sources);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
