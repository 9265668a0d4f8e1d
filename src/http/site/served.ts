import { readFile } from 'node:fs/promises';
import type { Express, Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { fixedAnswer, once } from '../answers/fixed-answer.ts';
import type { Addresses } from '../description/served.ts';
import { VERSION_1, VERSION_2 } from '../description/versions.ts';
import { serveFixed } from '../routing.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml';
const ATOM = 'application/atom+xml; charset=utf-8';

const SWAGGER_UI = '../../../vendor/swagger-ui';

/** The files of the pages beside their HTML: the address, the type and the file of each. */
const FILES = [
  ['/docs/style.css', CSS, 'style.css'],
  ['/docs/icon.svg', SVG, 'icon.svg'],
  ['/docs/reference.js', SCRIPT, 'browser/reference.js'],
  ['/docs/exact-json.js', SCRIPT, 'browser/exact-json.js'],
  ['/docs/swagger-ui.css', CSS, `${SWAGGER_UI}/swagger-ui.css`],
  ['/docs/swagger-ui-bundle.js', SCRIPT, `${SWAGGER_UI}/swagger-ui-bundle.js`],
] as const;

/**
 * Serves the site, without a key: the landing page, the reference of each version, and the changelog.
 * Nothing of it is read, rendered or compressed before the first request.
 */
export function servePages(app: Express, addresses: Addresses): void {
  const text = withHeaders({ imgSrc: ["'self'"], styleSrc: ["'self'"] });
  const landing = async (req: Request) => {
    const { landingPage } = await import('./landing.ts');
    return fixedAnswer(HTML, landingPage(addressOf(req, addresses)));
  };
  serveFixed(app, '/', landing, text);

  const reference = withHeaders(forReference(addresses));
  for (const version of [VERSION_1, VERSION_2]) {
    const made = once(async () => {
      const { referencePage } = await import('./reference.ts');
      return fixedAnswer(HTML, referencePage(version));
    });
    serveFixed(app, version === VERSION_1 ? '/docs' : `/docs/${version.name}`, made, reference);
  }
  for (const [path, contentType, name] of FILES) {
    const file = new URL(name, import.meta.url);
    const made = once(async () => fixedAnswer(contentType, await readFile(file)));
    serveFixed(app, path, made);
  }

  const changelog = once(async () => {
    const pages = await import('./changelog.ts');
    return { ...pages, parsed: await pages.readChangelog() };
  });
  const page = once(async () => {
    const { changelogPage, parsed } = await changelog();
    return fixedAnswer(HTML, changelogPage(parsed));
  });
  serveFixed(app, '/changelog', page, text);
  const feed = once(async () => {
    const { changelogFeed, parsed } = await changelog();
    return changelogFeed(parsed, ANY_ADDRESS);
  });
  serveFixed(app, '/changelog.atom', async (req) => {
    return fixedAnswer(ATOM, (await feed()).replaceAll(ANY_ADDRESS, addressOf(req, addresses)));
  });
}

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

/** The features of browsers that no page needs. Only the clipboard is left: a form copies to it. */
const NO_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

type Sources = Readonly<Record<string, string[]>>;

/**
 * Lets a page load what it needs and no more, from nowhere else, use no device, share no window with
 * pages of others, and tell nobody where it links.
 */
function withHeaders(sources: Sources): RequestHandler {
  const policy = helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      ...sources,
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  });
  return (req, res, next) => {
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    res.setHeader('Permissions-Policy', NO_PERMISSIONS);
    policy(req, res, next);
  };
}

/** Swagger UI's icons are data: addresses, and what is tried goes to the configured servers. */
function forReference({ production, staging }: Addresses): Sources {
  const servers = [production, staging].flatMap((url) => (url ? [new URL(url).origin] : []));
  return {
    connectSrc: ["'self'", ...new Set(servers)],
    imgSrc: ["'self'", 'data:'],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
  };
}
