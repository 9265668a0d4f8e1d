import { globSync, readFileSync } from 'node:fs';

/** The files of all pages of the documentation. */
export const PAGES: readonly string[] = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')];

/** A fenced block: its language and text. */
export interface Block {
  readonly language: string;
  /** The text after the language, such as the name of a file. */
  readonly info: string;
  readonly text: string;
  /** The number of headings before the block. */
  readonly section: number;
}

function readPage(page: string): string {
  return readFileSync(page, 'utf8');
}

export function blocksOf(page: string): readonly Block[] {
  let section = 0;
  const parts = readPage(page).matchAll(/^#+ .*$|^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm);
  return [...parts].flatMap(([, language, info = '', text]) => {
    if (language !== undefined && text !== undefined) return [{ language, info, text, section }];
    section += 1;
    return [];
  });
}

/** Returns a page without its fenced blocks. */
export function proseOf(page: string): string {
  return readPage(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** Returns a page's code: the blocks of commands, and the spans in backquotes. */
export function codeOf(page: string): readonly string[] {
  const spans = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
  const commands = blocksOf(page).filter(({ language }) => language === 'sh');
  return [...commands.map(({ text }) => text.replaceAll('\\\n', '')), ...spans];
}

/** Returns the rows of the table with this head, as cells without enclosing backquotes and escapes of |. */
export function tableOf(page: string, head: string): readonly (readonly string[])[] {
  const [, rows] = readPage(page).split(`\n| ${head} |\n`);
  if (rows === undefined) throw new Error(`${page} has no table "${head}"`);
  const lines = rows.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines
    .slice(1, end)
    .map((line) => line.slice(2, -2).split(' | '))
    .map((cells) => cells.map((cell) => cell.replace(/^`([^`]*)`$/, '$1').replaceAll('\\|', '|')));
}

/** Returns the targets of a page's links to other pages and files. */
export function linksOf(page: string): readonly string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !target.startsWith('https://'));
}

/** Returns the anchors of a page's headings. */
export function anchorsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
