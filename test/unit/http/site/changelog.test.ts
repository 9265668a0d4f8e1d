import { readFileSync } from 'node:fs';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import {
  changelogFeed,
  changelogPage,
  parseChangelog,
  readChangelog,
} from '../../../../src/http/site/changelog.ts';

const ADDRESS = 'https://api.example.com/shop/';
const TEXT = `# Changes

What <b>is</b> here.

## 2027-02-01: ids & "more"

- One [page](../README.md#errors), one [site](https://example.com/a?b=1&c=2).

## 2026-11-21: the first

| a | b |
|---|---|
| 1 | \`<i>\` |
`;

interface Link {
  readonly '@rel': string;
  readonly '@href': string;
}
interface Entry {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly link: Link;
  readonly content: { readonly '#text': string; readonly '@type': string };
}

function parseFeed(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => name === 'entry',
  });
  return parser.parse(xml).feed as Omit<Entry, 'link' | 'content'> & {
    readonly '@xmlns': string;
    readonly author: { readonly name: string };
    readonly link: readonly Link[];
    readonly entry: readonly Entry[];
  };
}

describe('The page', () => {
  const page = changelogPage(parseChangelog(TEXT));

  it('has a section with a name of its own for each entry, the newest first', () => {
    const sections = [
      ...page.matchAll(/<section id="([^"]*)">\n<h2><a href="#([^"]*)">(.*)<\/a>/g),
    ];
    expect(sections.map(([, ...parts]) => parts)).toEqual([
      ['2027-02-01-ids-more', '2027-02-01-ids-more', '2027-02-01: ids &amp; &quot;more&quot;'],
      ['2026-11-21-the-first', '2026-11-21-the-first', '2026-11-21: the first'],
    ]);
  });

  it('shows markup in the text as text', () => {
    expect(page).toContain('What &lt;b&gt;is&lt;/b&gt; here.');
    expect(page).toContain('<code>&lt;i&gt;</code>');
  });

  it('links to sites, and not to files that are not served', () => {
    expect(page).toContain('One page, one <a href="https://example.com/a?b=1&amp;c=2">site</a>.');
  });

  it('has every entry that docs/api-changelog.md has', async () => {
    const { entries } = await readChangelog();
    const headings = readFileSync('docs/api-changelog.md', 'utf8').match(/^## .*$/gm);
    expect(entries.map(({ date, title }) => `## ${date}: ${title}`)).toEqual(headings);
  });
});

describe('The feed', () => {
  it('has what RFC 4287 requires of a feed and of its entries', async () => {
    for (const changelog of [parseChangelog(TEXT), await readChangelog()]) {
      const feed = parseFeed(changelogFeed(changelog, ADDRESS));
      expect(feed['@xmlns']).toBe('http://www.w3.org/2005/Atom');
      expect(feed.author.name).toMatch(/./);
      expect(feed.link.map((link) => [link['@rel'], link['@href']])).toEqual([
        ['self', `${ADDRESS}changelog.atom`],
        ['alternate', `${ADDRESS}changelog`],
      ]);
      expect(feed.updated).toBe(feed.entry[0]?.updated);
      for (const { id, title, updated } of [feed, ...feed.entry]) {
        expect(id).toMatch(
          /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        );
        expect(title).toMatch(/./);
        expect(updated).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
      }
      const ids = [feed, ...feed.entry].map(({ id }) => id);
      expect(new Set(ids).size).toBe(1 + changelog.entries.length);
    }
  });

  it('has in an entry what the page has, with a link to it', () => {
    const changelog = parseChangelog(TEXT);
    const [newest] = parseFeed(changelogFeed(changelog, ADDRESS)).entry;
    expect(newest?.title).toBe('ids & "more"');
    expect(newest?.updated).toBe('2027-02-01T00:00:00Z');
    expect(newest?.content['@type']).toBe('html');
    expect(newest?.content['#text'].trim()).toBe(changelog.entries[0]?.body.text.trim());
    const anchor = newest?.link['@href'].split('#')[1];
    expect(changelogPage(changelog)).toContain(`<section id="${anchor}">`);
  });

  it('keeps the ids of its entries when others come, and wherever it is', () => {
    const idsOf = (text: string, address: string) =>
      parseFeed(changelogFeed(parseChangelog(text), address)).entry.map(({ id }) => id);
    const later = TEXT.replace('## 2027', '## 2028-01-01: more\n\nMore.\n\n## 2027');
    expect(idsOf(later, 'http://127.0.0.1:3000/').slice(1)).toEqual(idsOf(TEXT, ADDRESS));
  });

  it('is a feed without entries if there are none', () => {
    const xml = changelogFeed(parseChangelog('# Changes\n'), ADDRESS);
    expect(XMLValidator.validate(xml)).toBe(true);
  });
});
