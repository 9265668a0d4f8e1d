/** Commands that explain themselves. */

import { Command, type ErrorOptions } from 'commander';

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
    this.hook('preAction', (_, called) => {
      if (called === this) this.#refuseEmpty();
    });
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

  /** Ends the command with a message, and the way to its own help. */
  override error(message: string, options?: ErrorOptions): never {
    this.showHelpAfterError(`Try ${pathOf(this)} --help`);
    return super.error(message, options);
  }

  /** A variable of the shell that is not set leaves an empty text, which names nothing. */
  #refuseEmpty(): void {
    const empty = this.options.find((option) => {
      const value: unknown = this.getOptionValue(option.attributeName());
      return value === '' || (Array.isArray(value) && value.includes(''));
    });
    if (empty !== undefined) this.error(`error: option '${empty.flags}' is empty`);
    const at = this.args.indexOf('');
    const argument = this.registeredArguments[at]?.name();
    if (argument !== undefined) this.error(`error: argument '${argument}' is empty`);
  }

  #below(): string {
    const [name] = pathOf(this).split(' ');
    const lines = this.examples.map(({ purpose, line }) => `  ${purpose}:\n    ${name} ${line}`);
    const examples = lines.length === 0 ? [] : [`Examples:\n${lines.join('\n')}`];
    const parts = [...(this.notes === '' ? [] : [this.notes]), ...examples];
    return parts.map((part) => `\n${part}`).join('\n');
  }
}

/** Returns the words that call a command, from the name of the program on. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
