import { styleText } from 'node:util';
import { pino } from 'pino';

/**
 * Log lines for people at a terminal: a JSON line becomes the time of day (UTC), the level, the
 * message, and the other members as name=value.
 *
 * A request's path comes from a client, and a terminal obeys control characters. So these are
 * escaped, which formatters such as pino-pretty do not do.
 */

const { labels, values } = pino.levels;
const { warn: WARN = 0, error: ERROR = 0 } = values;
const LONGEST_LEVEL = 'error'.length;

interface LoggedError {
  readonly stack?: string;
}

/** Formats a JSON line, with colours if standard output supports them and NO_COLOR is not set. */
export function readableText(line: string): string {
  const {
    level,
    time = '',
    msg = '',
    err,
    ...members
  } = JSON.parse(line) as {
    readonly level: number;
    readonly time?: string;
    readonly msg?: string;
    readonly err?: LoggedError;
    readonly [name: string]: unknown;
  };
  const name = (labels[level] ?? String(level)).padEnd(LONGEST_LEVEL);
  const parts = [
    styleText('dim', time.slice('2026-01-01T'.length)),
    level >= ERROR ? styleText('red', name) : level >= WARN ? styleText('yellow', name) : name,
    plain(msg === 'request' ? takeRequest(members) : msg),
    ...Object.entries(members).map((member) => styleText('dim', memberText(member))),
  ];
  return `${parts.join(' ')}\n${stackOf(err)}`;
}

/** Returns a request and its response in the order of an access log, and removes their members. */
function takeRequest(members: Record<string, unknown>): string {
  const { method, path, status, durationMs, outcome } = members;
  for (const name of ['method', 'path', 'status', 'durationMs']) delete members[name];
  if (outcome === 'ok') delete members.outcome;
  return `${method} ${path} ${status} in ${durationMs} ms`;
}

function memberText([name, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${plain(name)}=${plain(/[\s"]/.test(text) ? JSON.stringify(text) : text)}`;
}

function stackOf(err: LoggedError | undefined): string {
  if (err?.stack === undefined) return '';
  return err.stack.replaceAll(/^.*$/gm, (line) => `  ${plain(line)}`).concat('\n');
}

/** Escapes control characters and those that change the direction of text. */
function plain(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
