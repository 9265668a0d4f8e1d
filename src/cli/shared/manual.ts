/** The manual page, in the language of man(7). */

import { type CommandNode, type Flag, nodesOf, type Value } from './command-tree.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { clauseOf, upperFirst } from './print.ts';

const LINE_LENGTH = 78;

/**
 * Returns the manual of a program.
 * @param date The date of the manual, such as 2026-01-31.
 */
export function manualOf(program: CommandNode, date: string): string {
  const { explained, summary } = program;
  const name = explained.name();
  const commands = nodesOf(program).filter(
    ({ words, below }) => words.length > 0 && below.length === 0,
  );
  const lines = [
    `.TH ${name.toUpperCase()} 1 ${date} "${name} ${explained.version()}" "User Commands"`,
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(lowerFirst(summary))}`,
    '.SH SYNOPSIS',
    `.B ${escaped(name)}`,
    '.RI [ command ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    ...paragraphs(explained.notes),
    '.SH OPTIONS',
    ...program.flags.flatMap(flagLines),
    '.SH COMMANDS',
    ...commands.flatMap((node) => commandLines(node, name)),
    '.SH "EXIT STATUS"',
    ...Object.entries(EXIT_CODES).flatMap(([code, meaning]) => [
      '.TP',
      `.B ${code}`,
      escaped(meaning),
    ]),
    '.SH EXAMPLES',
    ...exampleLines(program, name),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(node: CommandNode, name: string): readonly string[] {
  const { words, summary, usage, takes, flags, explained } = node;
  return [
    `.SS "${escaped([...words, usage.replace('[options] ', '').replace('[options]', '')].join(' ').trim())}"`,
    summaryText(`${summary}.`),
    ...takes.flatMap(takenLines),
    ...flags.filter((flag) => !flag.flags.includes('--help')).flatMap(flagLines),
    ...(explained.notes === '' ? [] : ['.PP', ...paragraphs(explained.notes)]),
    ...(explained.examples.length === 0 ? [] : ['.PP', ...exampleLines(node, name)]),
  ];
}

function takenLines({ name, summary }: Value): readonly string[] {
  return ['.TP', `.I ${escaped(name)}`, summaryText(summary)];
}

function flagLines({ flags, summary, value }: Flag): readonly string[] {
  const names = flags.map((flag) => `\\fB${escaped(flag)}\\fR`).join(', ');
  const argument = value === undefined ? '' : ` \\fI${escaped(value.name)}\\fR`;
  return ['.TP', `${names}${argument}`, summaryText(summary)];
}

/** Returns examples, each with its purpose above it. */
function exampleLines({ explained }: CommandNode, name: string): readonly string[] {
  return explained.examples.flatMap(({ purpose, line }, at) => [
    ...(at === 0 ? [] : ['.PP']),
    `${escaped(purpose)}:`,
    ...['.PP', '.EX', `    ${escaped(`${name} ${line}`)}`, '.EE'],
  ]);
}

/** Returns the lines of notes; indented ones keep their form. */
function paragraphs(notes: string): readonly string[] {
  return blocksOf(notes).flatMap((block, at) => [
    ...(at === 0 ? [] : ['.PP']),
    ...(block[0]?.startsWith('  ')
      ? ['.EX', ...block.map(escaped), '.EE']
      : filled(block.join(' '))),
  ]);
}

/** Returns the lines of each paragraph, and those of each run of indented lines. */
function blocksOf(notes: string): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let last = '';
  for (const line of notes.split('\n')) {
    const isNew = last === '' || line.startsWith('  ') !== last.startsWith('  ');
    if (line !== '' && isNew) blocks.push([line]);
    else if (line !== '') blocks.at(-1)?.push(line);
    last = line;
  }
  return blocks;
}

/** Returns a paragraph in lines of a length that the linters of manuals accept. */
function filled(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of escaped(text).split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && line.length <= LINE_LENGTH) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  // A line that begins with one of these would be a request.
  return lines.map((line) => line.replace(/^(?=[.'])/, '\\&'));
}

function summaryText(text: string): string {
  return filled(upperFirst(text)).join('\n');
}

/** Returns a text in which roff finds no request and no escape. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('`', '\\(ga')
    .replaceAll(/^[.']/g, '\\&$&');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + clauseOf(text.slice(1));
}
