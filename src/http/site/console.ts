/** Serves the web console at `/console`: one page with a script and a style sheet, under a strict policy. */
import { readdir, readFile } from 'node:fs/promises';
import type { Express, Request } from 'express';
import { fixedAnswer, kindOf, lazily } from '../answers/fixed-answer.ts';
import { serveFixed } from '../routing.ts';
import { rootFrom } from './layout.ts';
import { markup } from './markup.ts';
import { consoleHeaders } from './page-headers.ts';

/** From `src` as from `dist`; npm packs these files with the service. */
const FOLDER = new URL('../../../vendor/console/', import.meta.url);

/** The addresses of the console's pages. The script shows the page of each. */
const PAGES = /^\/console(?:\/(?:key|log|proof|travel|orders(?:\/-?\d{1,19})?)?)?$/;
/** The verifier in one file, which a reader saves. */
const OFFLINE = 'store-orders-verifier.html';
/** The hash in the name of a file makes it immutable. */
const ASSETS = /^\/console\/assets\/[\w-]+\.(?:js|css)$/;

/** Nothing is read or compressed before the first request. */
export function serveConsole(app: Express): void {
  const assets = lazily(async () => {
    const names = await readdir(FOLDER);
    const made = names.map((name) => {
      const read = async () =>
        fixedAnswer(kindOf(name), await readFile(new URL(name, FOLDER)), { isImmutable: true });
      return [name, lazily(read)] as const;
    });
    return new Map(made);
  });

  const asset = async (req: Request) => (await assets()).get(req.path.split('/').at(-1) ?? '')?.();
  serveFixed(app, ASSETS, asset);

  const offline = lazily(async () => fixedAnswer('html', await readFile(new URL(OFFLINE, FOLDER))));
  serveFixed(app, `/console/${OFFLINE}`, offline, consoleHeaders(), (_req, res, next) => {
    res.setHeader('Content-Disposition', `attachment; filename="${OFFLINE}"`);
    next();
  });

  const page = async (req: Request) => {
    const names = [...(await assets()).keys()];
    const nameOf = (pattern: RegExp) => names.find((name) => pattern.test(name)) ?? '';
    const [script, style] = [/^console-.*\.js$/, /^console-.*\.css$/].map(nameOf);
    const root = rootFrom(req.path.slice(1));
    return fixedAnswer('html', pageWith(root, `${script}`, `${style}`));
  };
  serveFixed(app, PAGES, page, consoleHeaders());
}

/** @param root From the page's address to the service's. */
function pageWith(root: string, script: string, style: string): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Console · Store Orders</title>
<link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}console/assets/${style}">
<script src="${root}console/assets/${script}" type="module"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs JavaScript. The API and the command line do not.</p></noscript>
</body>
</html>
`.text;
}
