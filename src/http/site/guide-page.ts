/** The page of a guide: its text between the list of all guides and the outline of its sections. */
import { addressOf, type Entry, type Group, type Guides } from './guides.ts';
import { layOut, rootFrom } from './layout.ts';
import { type Rendered, renderInline } from './markdown.ts';
import { type Markup, markup } from './markup.ts';

/** The headings below this depth are not in the outline. */
const OUTLINE_DEPTH = 3;

/** Returns a guide as a page. */
export async function guidePage(guides: Guides, file: string): Promise<string> {
  const address = addressOf(file);
  const root = rootFrom(address);
  const rendered = await guides.render(file, root);
  return layOut({
    title: `${rendered.title} · Store Orders`,
    root,
    here: 'guides',
    head: markup`<link rel="stylesheet" href="${root}docs/guides.css">
<script src="${root}docs/search.js" type="module"></script>`,
    main: markup`<div class="guide">
<div class="aside">
${searchForm(root)}
<nav class="all" aria-label="All guides">
${guides.groups.map((group) => groupOf(group, file, root))}
</nav>
</div>
<main class="text">
${rendered.body}
${neighbours(guides, file, root)}
</main>
${outline(rendered)}
</div>`,
  });
}

/** The search needs a script, which shows the form. */
function searchForm(root: string): Markup {
  return markup`<form class="search" role="search" hidden data-root="${root}">
<label for="search">Search the guides</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-controls="found">
<p id="count" role="status"></p>
<ol id="found"></ol>
</form>`;
}

function groupOf({ title, entries }: Group, file: string, root: string): Markup {
  const isHere = entries.some((entry) => entry.file === file);
  // The decisions are many, and few readers need them.
  const open = title !== 'Decisions' || isHere ? markup` open` : markup``;
  return markup`<details${open}><summary>${title}</summary>
<ul>
${entries.map((entry) => item(entry, file, root))}
</ul></details>`;
}

function item({ file, label }: Entry, here: string, root: string): Markup {
  const current = file === here ? markup` aria-current="page"` : markup``;
  return markup`<li><a href="${root}${addressOf(file)}"${current}>${inline(label)}</a></li>`;
}

/** Links to the guides before and after this one, in the order of the index. */
function neighbours({ groups }: Guides, file: string, root: string): Markup {
  const all = groups.flatMap(({ entries }) => entries);
  const here = all.findIndex((entry) => entry.file === file);
  if (here < 0) return markup``;
  const link = (entry: Entry | undefined, word: string) =>
    entry === undefined
      ? markup`<span></span>`
      : markup`<a href="${root}${addressOf(entry.file)}"><small>${word}</small> ${inline(entry.label)}</a>`;
  return markup`<nav class="neighbours" aria-label="Previous and next guide">
${link(all[here - 1], 'Previous')}
${link(all[here + 1], 'Next')}
</nav>`;
}

function outline({ sections }: Rendered): Markup {
  const shown = sections.filter(({ depth }) => depth > 1 && depth <= OUTLINE_DEPTH);
  if (shown.length < 2) return markup``;
  return markup`<nav class="outline" aria-label="On this page">
<p>On this page</p>
<ul>
${shown.map(
  ({ heading, depth, anchor }) =>
    markup`<li class="depth-${String(depth)}"><a href="#${anchor}">${heading}</a></li>`,
)}
</ul>
</nav>`;
}

function inline(text: string): Markup {
  return renderInline(text, () => undefined);
}

/**
 * Returns the sections of all guides for the search in the browser, as JSON: for each its page, its
 * heading, its address below the service's, and its text.
 */
export async function searchIndex(guides: Guides): Promise<string> {
  const rows: string[][] = [];
  for (const file of guides.pages()) {
    const { title, sections } = await guides.render(file, './');
    for (const { heading, depth, anchor, text } of sections) {
      const fragment = depth === 1 ? '' : `#${anchor}`;
      rows.push([title, heading, `${addressOf(file)}${fragment}`, text]);
    }
  }
  return JSON.stringify(rows);
}
