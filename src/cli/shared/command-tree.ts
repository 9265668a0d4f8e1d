/** The commands as plain data, from which completions and the manual are made. */

import type { Argument, Command, Option } from 'commander';
import { ExplainedCommand } from './command.ts';

/** A value that an option or a command takes. */
export interface Value {
  readonly name: string;
  readonly summary: string;
  readonly isFile: boolean;
  readonly choices: readonly string[];
}

/** An option with its flags, such as `-h` and `--help`. */
export interface Flag {
  readonly flags: readonly string[];
  readonly summary: string;
  /** Absent for one that takes no value. */
  readonly value: Value | undefined;
}

/** A command, or a group of commands. */
export interface CommandNode {
  /** The words after the name of the program; none for the program itself. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly usage: string;
  readonly flags: readonly Flag[];
  readonly takes: readonly Value[];
  readonly below: readonly CommandNode[];
  readonly explained: ExplainedCommand;
}

/** Returns the tree below a command. */
export function treeOf(command: Command, words: readonly string[] = []): CommandNode {
  if (!(command instanceof ExplainedCommand)) throw new TypeError(`${words} is not explained`);
  const help = command.createHelp();
  return {
    words,
    summary: command.description(),
    usage: command.usage(),
    flags: help.visibleOptions(command).map(flagOf),
    takes: help.visibleArguments(command).map(takenBy),
    below: help.visibleCommands(command).map((one) => treeOf(one, [...words, one.name()])),
    explained: command,
  };
}

/** Returns a command and all commands below it. */
export function nodesOf(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.below.flatMap(nodesOf)];
}

function flagOf({ short, long, flags, description, argChoices, required, optional }: Option): Flag {
  const [, name = ''] = /[<[]([^>\]]+)/.exec(flags) ?? [];
  const value = asValue(name, description, argChoices);
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    summary: description,
    value: required || optional ? value : undefined,
  };
}

function takenBy(argument: Argument): Value {
  return asValue(argument.name(), argument.description, argument.argChoices);
}

function asValue(name: string, summary: string, choices: readonly string[] = []): Value {
  return { name, summary, isFile: name === 'file', choices };
}
