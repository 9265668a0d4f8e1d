/** The options of `serve` that stand for settings. */

import type { Command } from 'commander';
import type { GivenSettings } from './command-line.ts';

const OPTIONS = [
  {
    name: 'port',
    variable: 'PORT',
    value: 'port',
    does: 'the port to listen on; 0 takes a free one',
  },
  { name: 'host', variable: 'HOST', value: 'host', does: 'the address to listen on' },
  {
    name: 'db',
    variable: 'DATABASE_URL',
    value: 'address',
    does: 'the store: sqlite:FILE or postgres://USER@HOST/DATABASE',
  },
  {
    name: 'wait',
    variable: 'DATABASE_WAIT',
    value: 'seconds',
    does: 'how long to wait for an unreachable PostgreSQL',
  },
] as const;

export type ServeOptions = Readonly<Partial<Record<(typeof OPTIONS)[number]['name'], string>>>;

/** Adds the options to a command. */
export function withServeOptions<Given extends Command>(command: Given): Given {
  for (const { name, variable, value, does } of OPTIONS) {
    command.option(`--${name} <${value}>`, `${does}; overrides ${variable}`);
  }
  return command;
}

/** Returns the settings that the options give. */
export function givenSettings(options: ServeOptions): GivenSettings {
  return Object.fromEntries(
    OPTIONS.flatMap(({ name, variable }) => {
      const value = options[name];
      return value === undefined ? [] : [[variable, { option: `--${name}`, value }]];
    }),
  );
}
