/** The guides: the pages of `docs`, with their addresses, their order, and the links between them. */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Token, Tokens } from 'marked';
import { type Rendered, renderPage, tokensOf } from './markdown.ts';

/** The project, from `src` as from `dist`; npm packs these files with the service. */
const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** The page whose tables name the others, by what a reader wants to do. */
const INDEX = 'docs/README.md';

/** Files that have a place on the site other than among the guides. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'guides/readme',
  'CHANGELOG.md': 'guides/releases',
  'docs/api-changelog.md': 'changelog',
  'docs/openapi-v1.json': 'openapi/v1.json',
  'docs/openapi-v2.json': 'openapi/v2.json',
};

/** A link in the list of all guides. */
export interface Entry {
  readonly file: string;
  readonly label: string;
  /** The task of its readers, as the index says. */
  readonly goal: string;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** All files of the documentation by their addresses, and the order of its pages. */
export class Guides {
  readonly #root: string;
  readonly #files: ReadonlyMap<string, string>;
  readonly groups: readonly Group[];

  /** Reads the list of files and the index, and no other page. */
  static async read(root = PROJECT): Promise<Guides> {
    const found = await readdir(join(root, 'docs'), { recursive: true, withFileTypes: true });
    const files = found
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)));
    const index = await readFile(join(root, INDEX), 'utf8');
    return new Guides(root, ['README.md', 'CHANGELOG.md', ...files.sort()], groupsIn(index));
  }

  private constructor(root: string, files: readonly string[], groups: readonly Group[]) {
    this.#root = root;
    this.#files = new Map(files.map((file) => [addressOf(file), file]));
    this.groups = groups;
  }

  /** Returns the file at an address such as `guides/api`, or `undefined` where there is none. */
  fileAt(address: string): string | undefined {
    return this.#files.get(address);
  }

  /** All pages that are served as guides, those of the index first and in its order. */
  pages(): readonly string[] {
    const inOrder = [
      INDEX,
      ...this.groups.flatMap(({ entries }) => entries.map(({ file }) => file)),
    ];
    const all = [...this.#files].flatMap(([address, file]) => (isGuide(address, file) ? file : []));
    return [...new Set([...inOrder.filter((file) => all.includes(file)), ...all])];
  }

  readFile(file: string): Promise<Buffer> {
    return readFile(join(this.#root, file));
  }

  /** @param root From the page's address to the service's. */
  async render(file: string, root: string): Promise<Rendered> {
    return renderPage(await readFile(join(this.#root, file), 'utf8'), (href) =>
      this.#resolve(href, file, root),
    );
  }

  #resolve(href: string, from: string, root: string): string | undefined {
    const [path = '', fragment] = href.split('#');
    if (path === '') return href;
    // A drawing is named from the folder of all documentation, wherever the page is.
    const base = path.startsWith('diagrams/') ? 'docs' : posix.dirname(from);
    const address = addressOf(posix.join(base, path));
    if (!this.#files.has(address)) return undefined;
    return `${root}${address}${fragment === undefined ? '' : `#${fragment}`}`;
  }
}

function isGuide(address: string, file: string): boolean {
  return file.endsWith('.md') && /^guides\b/.test(address);
}

/** Returns the address of a file below the service's, such as `guides/api` for `docs/api.md`. */
export function addressOf(file: string): string {
  const elsewhere = ELSEWHERE[file];
  if (elsewhere !== undefined) return elsewhere;
  return file
    .replace(/^docs\//, 'guides/')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '');
}

/** Returns the tables of the index: each heading with the pages that the rows below it name. */
function groupsIn(index: string): readonly Group[] {
  const groups: { title: string; entries: Entry[] }[] = [];
  const seen = new Set<string>();
  for (const token of tokensOf(index)) {
    if (token.type === 'heading')
      groups.push({ title: (token as Tokens.Heading).text, entries: [] });
    if (token.type !== 'table') continue;
    for (const row of (token as Tokens.Table).rows) {
      const entry = entryIn(row);
      if (entry === undefined || seen.has(entry.file)) continue;
      seen.add(entry.file);
      groups.at(-1)?.entries.push(entry);
    }
  }
  return groups.filter(({ entries }) => entries.length > 0);
}

/**
 * Returns the page that a row is about. Its first cell is the goal, and the second one links to the page;
 * or the first one links to a decision by its number, and the second one is its title.
 */
function entryIn([first, second]: readonly Tokens.TableCell[]): Entry | undefined {
  const numbered = linkIn(first?.tokens);
  const named = linkIn(second?.tokens);
  const link = numbered ?? named;
  if (link === undefined || !link.href.endsWith('.md') || second === undefined) return undefined;
  // A row that names decisions by their numbers is no home of theirs.
  if (numbered === undefined && /^\d+$/.test(link.text)) return undefined;
  const label = numbered === undefined ? link.text : `${numbered.text}: ${second.text}`;
  return { file: posix.join('docs', link.href), label, goal: first?.text ?? '' };
}

function linkIn(tokens: readonly Token[] = []): Tokens.Link | undefined {
  return tokens.find((token): token is Tokens.Link => token.type === 'link');
}
