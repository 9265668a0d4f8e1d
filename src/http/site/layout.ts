/** The frame that all pages of the site share. */
import { VERSION_1, VERSION_2 } from '../description/versions.ts';
import { type Markup, markup } from './markup.ts';

/** A page of the site, without the frame that all pages share. */
export interface Page {
  readonly title: string;
  /** From the page's address to the service's, such as `../`, since a proxy may put it anywhere. */
  readonly root: string;
  /** Its entry in the header. */
  readonly here: 'home' | 'v1' | 'v2' | 'guides' | 'changelog' | 'nowhere';
  /** Its own elements in the head, beside the common style sheet. */
  readonly head?: Markup;
  readonly main: Markup;
}

/** Returns the relative address of the service from a page of it, such as `../` from `guides/api`. */
export function rootFrom(address: string): string {
  return '../'.repeat(address.split('/').length - 1) || './';
}

/** Returns a whole page as HTML: the header of the site, and its own content. */
export function layOut({ title, root, here, head = markup``, main }: Page): string {
  const link = (name: Page['here'], address: string, text: string) => {
    const current = name === here ? markup` aria-current="page"` : markup``;
    return markup`<a href="${root}${address}"${current}>${text}</a>`;
  };
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml">
<link rel="alternate" href="${root}changelog.atom" type="application/atom+xml" title="API changelog">
<link rel="stylesheet" href="${root}docs/style.css">
<script src="${root}docs/theme.js"></script>
<script src="${root}docs/site.js" type="module"></script>
${head}
</head>
<body>
<header class="site">
${link('home', '', 'Store Orders')}
<nav aria-label="Documentation">
${link('v1', 'docs', `v1 · ${VERSION_1.version}`)}
${link('v2', 'docs/v2', `v2 · ${VERSION_2.version}`)}
${link('guides', 'guides', 'Guides')}
${link('changelog', 'changelog', 'Changelog')}
</nav>
<button type="button" id="theme" aria-pressed="false" hidden>Dark mode</button>
</header>
${main}
</body>
</html>
`;
  return page.text;
}
