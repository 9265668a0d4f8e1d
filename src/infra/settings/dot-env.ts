/** The `.env` file: settings for what is started in its folder. */

import { lstatSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { requireSmallFile } from '../process/small-file.ts';

const FILE = '.env';
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** `NAME=VALUE`, where a value in quotes may have several lines, and a comment may follow a space. */
const VARIABLE =
  /[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:(?:"[^"]*"|'[^']*'|`[^`]*`)[ \t]*|[^\n#]*)(?:(?<=[ \t="'`])#[^\n]*)?(?:\n|$)/y;

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
 * that a # cuts short: Node.js would say nothing.
 */
export function parseDotEnv(given: string): Readonly<Record<string, string | undefined>> {
  // Editors of Windows begin a file with a byte order mark, which would be part of the first name.
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  for (let at = 0; at < text.length; ) {
    const end = endOf(NOTHING, text, at) ?? endOf(VARIABLE, text, at);
    if (end === undefined) {
      const line = text.slice(0, at).split('\n').length;
      throw new UserError(
        `${FILE}, line ${line}: a line must be NAME=VALUE; a value with a # in it belongs in quotes.`,
      );
    }
    at = end;
  }
  return parseEnv(text);
}

/** Returns the end of a match that begins at an index; undefined if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
