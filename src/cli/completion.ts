import { Argument } from 'commander';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { treeOf } from './shared/command-tree.ts';
import { bashCompletion } from './shared/completion-bash.ts';
import { fishCompletion } from './shared/completion-fish.ts';
import { zshCompletion } from './shared/completion-zsh.ts';
import { print } from './shared/print.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

type Shell = keyof typeof SHELLS;

const EXPLANATION = `
Load it where the shell starts:
  bash  echo 'eval "$(store-orders completion bash)"' >> ~/.bashrc
  zsh   store-orders completion zsh > a file named _store-orders in a folder of $fpath
  fish  store-orders completion fish > ~/.config/fish/completions/store-orders.fish
It is complete in itself: make it again after an update.`;

/** Defines `completion`: prints the completion of a shell. */
export function define(command: ExplainedCommand, { terminal }: CommandLine): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .explain(EXPLANATION)
    .example('Complete in this bash', 'completion bash > complete.sh && . ./complete.sh')
    .action((shell: Shell) =>
      print([SHELLS[shell](treeOf(command.parent as ExplainedCommand))], terminal.stdout),
    );
}
