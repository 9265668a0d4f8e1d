/** The changelog of the API, as a page and as a feed. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { layOut } from './layout.ts';
import { renderTokens, tokensOf } from './markdown.ts';
import { type Markup, markup } from './markup.ts';

/** From `src` as from `dist`; npm packs `docs` with the service. */
const FILE = new URL('../../../docs/api-changelog.md', import.meta.url);

/** The changelog for clients of the API, parsed from docs/api-changelog.md. */
export interface Changelog {
  /** The text above the first entry. */
  readonly introduction: Markup;
  /** The newest first. */
  readonly entries: readonly Entry[];
}

interface Entry {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly title: string;
  /** The fragment that names its place in the page. */
  readonly anchor: string;
  readonly body: Markup;
}

export async function readChangelog(): Promise<Changelog> {
  return parseChangelog(await readFile(FILE, 'utf8'));
}

/** Parses the changelog. An entry begins with a heading of the second level, such as `2026-11-21: versions 1 and 2`. */
export function parseChangelog(text: string): Changelog {
  const tokens = tokensOf(text);
  const starts = tokens.flatMap((token, index) =>
    token.type === 'heading' && token.depth === 2 ? [index] : [],
  );
  // The feed is read elsewhere, where a link to a guide would lead nowhere.
  const render = (some: typeof tokens) => renderTokens(some, () => undefined);
  return {
    introduction: render(tokens.slice(0, starts[0])),
    entries: starts.map((start, index) => {
      const heading = (tokens[start] as { text: string }).text;
      const [date = '', title = ''] = heading.split(/: (.*)/s);
      const anchor = heading.toLowerCase().replaceAll(/\W+/g, '-').replace(/-$/, '');
      return { date, title, anchor, body: render(tokens.slice(start + 1, starts[index + 1])) };
    }),
  };
}

export function changelogPage({ introduction, entries }: Changelog): string {
  const sections = entries.map(
    ({ date, title, anchor, body }) => markup`<section id="${anchor}">
<h2><a href="#${anchor}">${date}: ${title}</a></h2>
${body}
</section>`,
  );
  return layOut({
    title: 'Store Orders: API changelog',
    root: './',
    here: 'changelog',
    main: markup`<main class="text">
${introduction}
<p>Subscribe to the <a href="./changelog.atom">feed</a>.</p>
${sections}
</main>`,
  });
}

/** Returns the changelog as an Atom feed (RFC 4287). The address is the service's. */
export function changelogFeed({ entries }: Changelog, address: string): string {
  const [newest] = entries;
  const feed = markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${permanentId('')}</id>
<title>Store Orders: API changelog</title>
<subtitle>What changes for clients of the API</subtitle>
<updated>${instantOf(newest?.date ?? '1970-01-01')}</updated>
<author><name>Store Orders</name></author>
<link rel="self" type="application/atom+xml" href="${address}changelog.atom"/>
<link rel="alternate" type="text/html" href="${address}changelog"/>
${entries.map(
  ({ date, title, anchor, body }) => markup`<entry>
<id>${permanentId(`${date}: ${title}`)}</id>
<title>${title}</title>
<published>${instantOf(date)}</published>
<updated>${instantOf(date)}</updated>
<link rel="alternate" type="text/html" href="${address}changelog#${anchor}"/>
<content type="html">${body.text}</content>
</entry>`,
)}
</feed>
`;
  return feed.text;
}

function instantOf(date: string): string {
  return `${date}T00:00:00Z`;
}

/**
 * Returns an id that stays the same wherever and whenever the feed is served: a UUID of version 8 (RFC
 * 9562), made from the heading.
 */
function permanentId(heading: string): string {
  const hex = hash('sha256', `Store Orders API changelog ${heading}`);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return `urn:uuid:${[...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')}`;
}
