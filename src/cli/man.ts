import { now } from '../app/clock.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { treeOf } from './shared/command-tree.ts';
import { manualOf } from './shared/manual.ts';
import { print } from './shared/print.ts';

/** Defines `man`: prints the manual page. */
export function define(command: ExplainedCommand, { terminal }: CommandLine): void {
  command
    .explain(
      'It is in the language of man(7): show it with man -l, or put it into a folder of manuals.',
    )
    .example('Read the manual', 'man > store-orders.1 && man -l store-orders.1')
    .action(() => {
      const program = treeOf(command.parent as ExplainedCommand);
      return print([manualOf(program, now().slice(0, 10))], terminal.stdout);
    });
}
