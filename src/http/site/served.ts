import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Express, Request, RequestHandler } from 'express';
import { fixedAnswer, kindOf, lazily } from '../answers/fixed-answer.ts';
import { type Addresses, serversOf } from '../description/served.ts';
import { VERSION_1, VERSION_2 } from '../description/versions.ts';
import { serveFixed } from '../routing.ts';
import { originsOf, pageHeaders } from './page-headers.ts';
import { serveGuides } from './served-guides.ts';

/** The files of the pages beside their HTML, each served below `/docs` by its name. */
const FILES = [
  ...['style.css', 'guides.css', 'reference.css', 'icon.svg'],
  ...['site', 'search', 'found', 'reference', 'exact-json'].map((name) => `browser/${name}.js`),
];

/**
 * Serves the site, without a key: the landing page, the reference of each version, the guides, and the
 * changelog.
 * Nothing of it is read, rendered or compressed before the first request.
 */
export function servePages(app: Express, addresses: Addresses, servesConsole = false): void {
  const headers = pageHeaders();
  const landing = async (req: Request) => {
    const { landingPage } = await import('./landing.ts');
    return fixedAnswer('html', landingPage(addressOf(req, addresses), servesConsole));
  };
  serveFixed(app, '/', landing, headers);

  const referenceHeaders = pageHeaders(originsOf(addresses));
  for (const version of [VERSION_1, VERSION_2]) {
    const made = lazily(async () => {
      const [{ referencePage }, { describeVersion }] = await Promise.all([
        import('./reference.ts'),
        import('../description/description.ts'),
      ]);
      const json = describeVersion(version, serversOf(version, addresses));
      return fixedAnswer('html', referencePage(version, json));
    });
    const path = version === VERSION_1 ? '/docs' : `/docs/${version.name}`;
    serveFixed(app, path, made, referenceHeaders);
  }
  for (const name of FILES) {
    const file = new URL(name, import.meta.url);
    const made = lazily(async () => fixedAnswer(kindOf(name), await readFile(file)));
    serveFixed(app, `/docs/${basename(name)}`, made);
  }

  const theme = lazily(() => fixedAnswer('js', THEME_SCRIPT));
  serveFixed(app, '/docs/theme.js', theme);
  serveGuides(app);
  app.get(SLASH_AT_END, leaveOutSlash);

  const changelog = lazily(async () => {
    const pages = await import('./changelog.ts');
    return { ...pages, parsed: await pages.readChangelog() };
  });
  const page = lazily(async () => {
    const { changelogPage, parsed } = await changelog();
    return fixedAnswer('html', changelogPage(parsed));
  });
  serveFixed(app, '/changelog', page, headers);
  const feed = lazily(async () => {
    const { changelogFeed, parsed } = await changelog();
    return changelogFeed(parsed, ANY_ADDRESS);
  });
  serveFixed(app, '/changelog.atom', async (req) => {
    return fixedAnswer('atom', (await feed()).replaceAll(ANY_ADDRESS, addressOf(req, addresses)));
  });
}

/**
 * The script at `/docs/theme.js`. It runs before a page is shown, so that a reader who chose the dark
 * never sees the light first: it is no module, because the browser runs modules too late for that.
 */
const THEME_SCRIPT = `try {
  const theme = localStorage.getItem('store-orders-theme');
  if (theme !== null) document.documentElement.dataset.theme = theme;
} catch {
  // The browser keeps nothing: the page follows the system.
}
`;

/** The address of a page with a slash behind it, as people type it. */
const SLASH_AT_END = /^\/(?:docs|guides|changelog)(?:\/\w[\w.-]*)*\/$/;

/** Sends the reader to the page itself, whose links are relative to the address without the slash. */
const leaveOutSlash: RequestHandler = (req, res) => {
  const page = req.path.split('/').at(-2);
  const query = req.originalUrl.slice(req.path.length);
  res.setHeader('Cache-Control', 'no-cache');
  // A relative address, because a proxy may serve the site below a path of its own.
  res.location(`../${page}${query}`).status(308).end();
};

/** Stands for the address in what is rendered once: any client can name another one in its Host. */
const ANY_ADDRESS = 'http://address.invalid/';

/** Returns the address of the service for clients: as configured, or else by the Host header. */
function addressOf(req: Request, { production }: Addresses): string {
  if (production !== undefined) return production.replace(/v1$/, '');
  const { host = '' } = req.headers;
  // It is repeated within the limits for any text of a client: see shown.ts.
  const isName = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);
  return `http://${isName && !/\w{16}/.test(host) ? host : 'localhost'}/`;
}
