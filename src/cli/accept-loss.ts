import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

const EXPLANATION = `
For a store that a start refuses because acknowledged events are missing. Read "Lost events" in
docs/operations/troubleshooting.md first: this cannot be undone.`;

/** Defines `accept-loss`: begins a new epoch on the rest of a damaged log. */
export function define(command: ExplainedCommand, { composition, terminal }: CommandLine): void {
  withJson(command)
    .explain(EXPLANATION)
    .example('Continue on what is left of the store', 'accept-loss')
    .action(async (options: JsonOption) => {
      const { head, epoch, copy } = await (await composition.engine()).acceptLoss();
      const text = `The log now ends at position ${head}, and continues in epoch ${epoch}.\n`;
      printResult(terminal.stdout, options, { value: { head, epoch, copy }, text });
      if (copy !== undefined) terminal.stderr.write(`The damaged file was kept as ${copy}.\n`);
    });
}
