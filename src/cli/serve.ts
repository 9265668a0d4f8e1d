import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { givenSettings, type ServeOptions, withServeOptions } from './shared/serve-options.ts';

const EXPLANATION = `
All other settings are environment variables, or lines of the file .env in this folder: see
store-orders config. A password in --db can be read by everybody on this machine: give it in
DATABASE_URL or PGPASSWORD instead.`;

/** Defines `serve`: runs the service. */
export function define(command: ExplainedCommand, { composition }: CommandLine): void {
  withServeOptions(command)
    .explain(EXPLANATION)
    .example(
      'Run the service on another port, with another store',
      'serve --port 8080 --db sqlite:./shop.db',
    )
    .action((options: ServeOptions) => composition.serve(givenSettings(options)));
}
