/** The `.env` file: settings for what is started in its folder. */

import { lstatSync } from 'node:fs';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { plainTextOf, requireSmallFile } from '../process/small-file.ts';

const FILE = '.env';
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** `NAME=VALUE`, where a value in quotes may have several lines, and a comment may follow a space. */
const VARIABLE =
  /[ \t]*(?:export[ \t]+)?(?<name>[\w.-]+)[ \t]*=[ \t]*(?:(?<quoted>"[^"]*"|'[^']*'|`[^`]*`)[ \t]*|(?<bare>(?!["'` \t])[^\n#]*))(?:(?<=[ \t="'`])#[^\n]*)?(?:\n|$)/y;

/** Takes variables from the `.env` file here, if there is one; those that are set already win. */
export function loadDotEnv(): void {
  for (const [name, value] of Object.entries(readDotEnv())) process.env[name] ??= value;
}

/** Returns the variables of the `.env` file here; none if there is no such file. */
export function readDotEnv(): Readonly<Record<string, string | undefined>> {
  const exists = lstatSync(FILE, { throwIfNoEntry: false }) !== undefined;
  return exists ? parseDotEnv(requireSmallFile(FILE)) : {};
}

/**
 * Returns the variables in a text. Throws {@link UserError} for a line that sets none and for a value
 * that a # cuts short. The parser of Node.js does not: it passes such lines over, or reads a value on
 * into the next line.
 */
export function parseDotEnv(given: string): Readonly<Record<string, string | undefined>> {
  // A byte order mark would be part of the first name.
  const text = plainTextOf(given);
  const variables: Record<string, string> = Object.create(null);
  for (let at = 0; at < text.length; ) {
    const found = matchAt(NOTHING, text, at) ?? matchAt(VARIABLE, text, at);
    if (found === undefined) {
      const line = text.slice(0, at).split('\n').length;
      throw new UserError(
        `${FILE}, line ${line}: a line must be NAME=VALUE; a value with a # in it belongs in quotes.`,
      );
    }
    const { name, quoted, bare = '' } = found.groups ?? {};
    if (name !== undefined) variables[name] = quoted === undefined ? bare.trim() : unquoted(quoted);
    at += found[0].length;
  }
  return variables;
}

/** Returns the match that begins at an index; undefined if there is none. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** In double quotes, `\n` is a line end, as for Node.js and other readers of such files. */
function unquoted(text: string): string {
  const value = text.slice(1, -1);
  return text.startsWith('"') ? value.replaceAll('\\n', '\n') : value;
}
