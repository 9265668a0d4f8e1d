/** The page for people who follow a link to what does not exist. */
import type { Express, RequestHandler } from 'express';
import { layOut, rootFrom } from './layout.ts';
import { markup } from './markup.ts';
import { pageHeaders } from './page-headers.ts';

/**
 * Answers a browser that wants a page at an address where there is nothing. Programs, and whoever asks
 * below the base paths of the API, get its Error.
 */
export function serveNotFound(app: Express, servesConsole = false): void {
  const forBrowsers: RequestHandler = ({ path, headers }, _res, next) => {
    const isPage = /\btext\/html\b/.test(headers.accept ?? '') && !/^\/v[12](?:\/|$)/.test(path);
    next(isPage ? undefined : 'route');
  };
  app.get(/.*/, forBrowsers, pageHeaders(), (req, res) => {
    req.context.refusal = 'not_found';
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.status(404).send(notFoundPage(req.path, servesConsole));
  });
}

function notFoundPage(path: string, servesConsole: boolean): string {
  const root = rootFrom(path.slice(1));
  const consoleItem = servesConsole
    ? markup`<li><a href="${root}console">Console</a>: the orders and the log, with your key</li>\n`
    : markup``;
  return layOut({
    title: 'Not found · Store Orders',
    root,
    here: 'nowhere',
    main: markup`<main class="text">
<h1>There is no such page</h1>
<p>Nothing has this address. These pages exist:</p>
<ul>
<li><a href="${root}">The first request</a>, and all of this site</li>
${consoleItem}<li><a href="${root}docs">Reference of version 1</a> and <a href="${root}docs/v2">of version 2</a></li>
<li><a href="${root}guides">Guides</a>, by what you want to do, with a search</li>
<li><a href="${root}changelog">API changelog</a></li>
</ul>
</main>`,
  });
}
