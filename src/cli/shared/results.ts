/** The results of commands: text for people, or one line of JSON for programs. */

import type { Command } from 'commander';
import type { Output } from './command-line.ts';
import { printable } from './print.ts';

/** The option by which a command prints JSON. */
export interface JsonOption {
  readonly json?: true | undefined;
}

/** Adds `--json` to a command. */
export function withJson<Given extends Command>(command: Given, many?: string): Given {
  return command.option('--json', many === undefined ? 'as JSON' : `as JSON, ${many}`);
}

/** Prints a result. */
export function printResult(
  output: Output,
  { json }: JsonOption,
  { value, text }: { readonly value: object; readonly text: string },
): void {
  output.write(json ? jsonLine(value) : printable(text));
}

/** The control characters that JSON has as they are: some terminals obey them. */
const CONTROLS = /[\x7f-\x9f]/g;

/** Returns a value as a line of JSON, with exact 64-bit numbers as strings. */
export function jsonLine(value: object): string {
  return jsonOf(value, 0);
}

/** As {@link jsonLine}, in several lines for people to read. */
export function jsonLines(value: object): string {
  return jsonOf(value, 2);
}

function jsonOf(value: object, indent: number): string {
  const exact = (_name: string, part: unknown) => (typeof part === 'bigint' ? `${part}` : part);
  const json = JSON.stringify(value, exact, indent);
  return `${json.replaceAll(CONTROLS, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)}\n`;
}
