import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

/** Defines `migrate`: brings the schema in PostgreSQL up to date. */
export function define(command: ExplainedCommand, { composition, terminal }: CommandLine): void {
  withJson(command)
    .example('Prepare the database for this version', 'migrate')
    .action(async (options: JsonOption) => {
      const { from, to, restored } = await (await composition.engine()).migrate();
      const done = from === to ? `is at version ${to}` : `went from version ${from} to ${to}`;
      const lines = [
        `The schema ${done}.`,
        ...restored.map((flaw) => `Restored: ${flaw}.`),
        ...(restored.length === 0 ? [] : ['See what was changed meanwhile: store-orders verify']),
      ];
      const text = `${lines.join('\n')}\n`;
      printResult(terminal.stdout, options, { value: { from, to, restored }, text });
    });
}
