import type { ExplainedCommand } from './shared/command.ts';

/** Defines `help`: explains a command, or the whole program. */
export function define(command: ExplainedCommand): void {
  command
    .argument('[command...]', 'the words of the command')
    .example('Explain a command', 'help keys create')
    .action((words: readonly string[]) => {
      let explained = command.parent as ExplainedCommand;
      for (const [at, word] of words.entries()) {
        const next = explained.commands.find((one) => one.name() === word);
        if (next === undefined) {
          explained.error(`error: there is no command '${words.slice(0, at + 1).join(' ')}'`);
        }
        explained = next as ExplainedCommand;
      }
      explained.help();
    });
}
