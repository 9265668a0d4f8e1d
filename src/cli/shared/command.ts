/** Commands that explain themselves. */

import { Command } from 'commander';

/** A line to paste into a shell, and the purpose of it. */
export interface Example {
  readonly purpose: string;
  /** The arguments, without the name of the program. */
  readonly line: string;
}

/** A command with the notes and examples that its help and the manual show below its options. */
export class ExplainedCommand extends Command {
  readonly examples: Example[] = [];
  notes = '';

  constructor(name?: string) {
    super(name);
    this.addHelpText('after', () => this.#below());
  }

  override createCommand(name?: string): ExplainedCommand {
    return new ExplainedCommand(name);
  }

  /** Sets the paragraphs below the options. */
  explain(notes: string): this {
    this.notes = notes.trim();
    return this;
  }

  example(purpose: string, line: string): this {
    this.examples.push({ purpose, line });
    return this;
  }

  #below(): string {
    const name = rootOf(this).name();
    const lines = this.examples.map(({ purpose, line }) => `  ${purpose}:\n    ${name} ${line}`);
    const examples = lines.length === 0 ? [] : [`Examples:\n${lines.join('\n')}`];
    const parts = [...(this.notes === '' ? [] : [this.notes]), ...examples];
    return parts.map((part) => `\n${part}`).join('\n');
  }
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
