/** Tables: aligned, and no wider than the terminal; elsewhere with tabs between the columns. */

import { styleText } from 'node:util';
import type { Output } from './command-line.ts';
import { onOneLine, print } from './print.ts';

/** The spaces between two columns. */
const GAP = '  ';
/** The narrowest that a column becomes whose cells are broken into several lines. */
const MIN_COLUMNS = 8;
/** The columns of a terminal that does not say how many it has. */
const USUAL_COLUMNS = 80;

/** The caller has decided that there is a terminal. */
const AS_GIVEN = { validateStream: false } as const;

/** A character with one of these takes two columns of a terminal. The last makes an emoji of one. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]|\ufe0f/u;
/** Code points that take no column: they belong to the one before. */
const WITHOUT_COLUMN = /[\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Default_Ignorable_Code_Point}]/gu;
const ASCII = /^[ -~]*$/;
/** A date of a time, and anything up to a space, underscore or slash, with that. */
const WORDS = /\d{4}-\d\d-\d\dT|[^\s_/]*[\s_/]|[^\s_/]+/g;
const SEGMENTER = new Intl.Segmenter();

type Rows = readonly (readonly string[])[];

/**
 * Prints rows below a head.
 * @param parts All rows, or an iterable of some at a time.
 * @param breakable The columns whose cells are broken into several lines if the table is wider than
 *   the terminal otherwise. Nothing is ever left out.
 */
export async function printTable<Column extends string>(
  output: Output,
  head: readonly Column[],
  parts: Rows | AsyncIterable<Rows>,
  breakable: readonly Column[] = [],
): Promise<void> {
  const all = shown(Symbol.asyncIterator in parts ? parts : [parts]);
  const narrow = head.map((name) => breakable.includes(name));
  return print(
    output.isTTY ? aligned(head, all, narrow, output.columns) : tabbed(head, all),
    output,
  );
}

/** Yields the rows with cells that neither control a terminal nor break the table. */
async function* shown(parts: Iterable<Rows> | AsyncIterable<Rows>) {
  for await (const rows of parts) {
    yield rows.map((row) => row.map(onOneLine));
  }
}

// The head is printed with the first part: if there is none but an error, nothing stands before that.
async function* tabbed(head: readonly string[], parts: Iterable<Rows> | AsyncIterable<Rows>) {
  let above: Rows = [head];
  for await (const rows of parts) {
    yield [...above, ...rows].map((row) => `${row.join('\t')}\n`).join('');
    above = [];
  }
}

async function* aligned(
  head: readonly string[],
  parts: Iterable<Rows> | AsyncIterable<Rows>,
  breakable: readonly boolean[],
  columns = USUAL_COLUMNS,
) {
  let widths = head.map(widthOf);
  let isFirst = true;
  for await (const rows of parts) {
    // A column never becomes narrower from one part to the next.
    widths = widths.map((width, at) =>
      rows.reduce((max, row) => Math.max(max, widthOf(row[at])), width),
    );
    const shown = fitted(widths, breakable, columns);
    const lines = rows.flatMap((row) => linesOf(row, shown));
    const above = isFirst
      ? linesOf(head, shown).map((line) => styleText('bold', line, AS_GIVEN))
      : [];
    yield [...above, ...lines].map((line) => `${line}\n`).join('');
    isFirst = false;
  }
}

/** Returns the widths with which a table fits, or comes as near as its cells allow. */
function fitted(widths: readonly number[], breakable: readonly boolean[], columns: number) {
  const fitted = [...widths];
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let excess = total - columns; excess > 0; excess--) {
    const widest = fitted.reduce((best, width, at) => {
      return breakable[at] && width > (fitted[best] ?? MIN_COLUMNS) ? at : best;
    }, -1);
    if (widest < 0) break;
    fitted[widest] = (fitted[widest] as number) - 1;
  }
  return fitted;
}

/** Returns the lines of a row: as many as the cell with the most of them needs. */
function linesOf(row: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = widths.map((width, at) => broken(row[at] ?? '', width));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((texts, at) => padded(texts[line] ?? '', widths[at] as number));
    return parts.join(GAP).trimEnd();
  });
}

/** Breaks a text into lines of a width: between words, and within one that is wider than a line. */
function broken(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const lines = [''];
  let taken = 0;
  const add = (part: string) => {
    if (taken + shownWidthOf(part) > width) {
      lines.push('');
      taken = 0;
    }
    lines[lines.length - 1] += part;
    taken += widthOf(part);
  };
  for (const word of text.match(WORDS) ?? []) {
    if (shownWidthOf(word) <= width) add(word);
    else for (const character of charactersOf(word)) add(character);
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

/** Returns the columns that a part of a line takes at its end, where a space takes none. */
function shownWidthOf(part: string): number {
  return widthOf(part.trimEnd());
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Returns the columns of a terminal that a text takes. */
function widthOf(text = ''): number {
  if (ASCII.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => {
    return sum + (WIDE.test(character) ? 2 : [...character.replaceAll(WITHOUT_COLUMN, '')].length);
  }, 0);
}

/** Returns the characters as people see them, each with its marks. */
function charactersOf(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}
