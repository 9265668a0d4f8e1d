import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it, test } from 'vitest';
import { ask, expectError } from '../../support/http.ts';
import { oneService } from '../../support/one-service.ts';
import { Service } from '../../support/service.ts';

const { service } = await oneService();
const HTML = 'text/html; charset=utf-8';

const PAGES = [
  ...['/', '/docs', '/docs/v2', '/changelog'],
  ...['/guides', '/guides/architecture', '/guides/adr/0001-concurrency-on-the-log'],
];
const SCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const TYPES: readonly [path: string, contentType: string][] = [
  ...PAGES.map((path): [string, string] => [path, HTML]),
  ['/changelog.atom', 'application/atom+xml; charset=utf-8'],
  ...['style', 'guides', 'reference'].map((name): [string, string] => [`/docs/${name}.css`, CSS]),
  ...['theme', 'site', 'search', 'found', 'reference', 'exact-json'].map(
    (name): [string, string] => [`/docs/${name}.js`, SCRIPT],
  ),
  ['/docs/icon.svg', 'image/svg+xml'],
  ['/guides/search.json', 'application/json; charset=utf-8'],
  ['/guides/deployment/haproxy.cfg', 'text/plain; charset=utf-8'],
  ['/guides/receipt-vectors.json', 'application/json; charset=utf-8'],
];

/** What was found to be there: most pages link to the same places. */
const there = new Set<string>();

/** Expects something at each of these paths. */
async function expectThere(paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    if (there.has(path)) continue;
    expect(await read(path), path).toMatchObject({ status: 200 });
    there.add(path);
  }
}

/** Asks without a key. */
function read(path: string, headers: Record<string, string> = {}, address = service.address) {
  return ask(address, 'GET', path, { headers });
}

describe.each(TYPES)('%s', (path, contentType) => {
  it('is served without a key, as what it is', async () => {
    const answer = await read(path);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': contentType,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
        etag: expect.stringMatching(/^"[\w-]+"$/),
      },
    });
    expect(answer.body.length).toBeGreaterThan(100);
  });

  it('is compressed for those who accept gzip, and not sent again to whoever has it', async () => {
    const [plain, packed] = [await read(path), await read(path, { 'Accept-Encoding': 'gzip' })];
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const { etag = '' } = packed.headers;
    expect(etag).not.toBe(plain.headers.etag);
    const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag };
    expect(await read(path, headers)).toMatchObject({ status: 304, text: '' });
  });
});

test.each(PAGES.slice(1))('%s with a slash at its end leads to the page', async (path) => {
  const { status, headers } = await read(`${path}/?q=a%20b`);
  expect({ status, cached: headers['cache-control'] }).toEqual({ status: 308, cached: 'no-cache' });
  // Also behind a proxy that serves the site below a path.
  const from = `http://proxy.invalid/shop${path}/`;
  expect(new URL(headers.location ?? '', from).href).toBe(
    `http://proxy.invalid/shop${path}?q=a%20b`,
  );
});

describe.each(PAGES)('The page %s', (path) => {
  it('may load nothing from anywhere else, run nothing that stands in it, and not be framed', async () => {
    const { headers } = await read(path);
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split(';')
        .map((directive) => directive.split(/ (.*)/s)),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'connect-src': "'self'",
      'img-src': "'self'",
      'script-src': "'self'",
      'style-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['permissions-policy']).toMatch(/(?=.*camera=\(\))(?=.*payment=\(\))/);
  });

  it('links to what is there, and loads nothing from other sites', async () => {
    const { text } = await read(path);
    const links = [...text.matchAll(/(href|src)="([^"#]+)[^"]*"/g)];
    expect(links.length).toBeGreaterThan(5);
    const own = new Set<string>();
    for (const [, attribute, link = ''] of links) {
      const { origin, pathname } = new URL(link, `${service.address}${path}`);
      if (origin === service.address) own.add(pathname);
      else expect(`${attribute} ${link}`).toMatch(/^href https:/);
    }
    await expectThere(own);
  });

  it('tells readers of feeds where the feed is', async () => {
    const { text } = await read(path);
    expect(text).toMatch(
      /<link rel="alternate" href="[./]*changelog\.atom" type="application\/atom/,
    );
  });
});

test.each([
  '/docs//',
  '/docs/%2e%2e/',
  '/docs/.x/',
  '/docs/v1',
  '/docs/v3',
  '/docs/reference.ts',
  '/docs/theme.ts',
  '/guides//proxy.invalid/',
  '/guides/nothing',
  '/guides/api.md',
  '/guides/../../package.json',
  '/guides/adr',
  '/docs/../package.json',
  '/changelog.atom/',
  '/public-key/',
  '/index.html',
])('There is nothing at %s', async (path) => {
  expectError(await read(path), 404, 'not_found');
});

describe('An address where there is nothing', () => {
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it.each(['/nowhere', '/docs/nowhere/at/all', '/guides/nothing', '/v3/store/orders'])(
    'has a page for a browser, whose links work from there: %s',
    async (path) => {
      const { status, headers, text } = await read(path, browser);
      expect(status).toBe(404);
      expect(headers).toMatchObject({ 'content-type': HTML, 'cache-control': 'no-store' });
      expect(headers['content-security-policy']).toContain("script-src 'self'");
      expect(text).toContain('There is no such page');
      const links = [...text.matchAll(/(?:href|src)="([^"#]+)"/g)];
      expect(links.length).toBeGreaterThan(10);
      await expectThere(
        links.map(([, link = '']) => new URL(link, `${service.address}${path}`).pathname),
      );
    },
  );

  it.each(['/console/nonsense', '/console/orders/99999999999999999999'])(
    'has a page that leads to the console, where that is served: %s',
    async (path) => {
      const { status, headers, text } = await read(path, browser);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: HTML });
      const [, link = ''] = /href="([./]*console)"/.exec(text) ?? [];
      const { pathname } = new URL(link, `${service.address}${path}`);
      expect(pathname).toBe('/console');
      expect(await read(pathname)).toMatchObject({ status: 200 });
    },
  );

  it.each(['/v1', '/v1/nowhere', '/v2/store/nothing'])(
    'has the Error for a browser too where the API is: %s',
    async (path) => {
      expectError(await read(path, browser), 401, 'unauthorized');
      const headers = { ...browser, Authorization: `Bearer ${service.key}` };
      expectError(await read(path, headers), 404, 'not_found');
    },
  );

  it.each(['*/*', 'application/json'])('has the Error for a program: %s', async (accept) => {
    expectError(await read('/nowhere', { Accept: accept }), 404, 'not_found');
  });

  it('shows nothing of the address', async () => {
    const { text } = await read('/%3Cscript%3Eevil()%3C/script%3E', browser);
    expect(text).not.toContain('evil');
  });
});

describe('The guides', () => {
  it('are all the Markdown of docs, and reachable from their index', async () => {
    const files = globSync('docs/**/*.md').filter((file) => file !== 'docs/api-changelog.md');
    const seen = new Set(['/guides']);
    for (const path of seen) {
      const { status, text } = await read(path);
      expect(status, path).toBe(200);
      for (const [, link = ''] of text.matchAll(/href="([^"#]+)[^"]*"/g)) {
        const { pathname } = new URL(link, `${service.address}${path}`);
        if (pathname.startsWith('/guides') && !/\.\w+$/.test(pathname)) seen.add(pathname);
      }
    }
    // The README and the changelog of the project are guides too.
    expect(seen.size).toBe(files.length + 2);
  });

  it('have links whose fragments exist', async () => {
    for (const path of [
      '/guides/quickstart',
      '/guides/operations/data',
      '/guides/adr/0015-pages-for-people',
    ]) {
      const { text } = await read(path);
      for (const [, link = ''] of text.matchAll(/href="([^"]*#[^"]+)"/g)) {
        const { pathname, hash } = new URL(link, `${service.address}${path}`);
        const target = await read(pathname);
        expect(target.text, link).toContain(`id="${hash.slice(1)}"`);
      }
    }
  });
});

describe('The first requests on the landing page', () => {
  it('work when they are pasted into a shell that has a key', async () => {
    const { text } = await read('/');
    const blocks = [...text.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g)];
    const commands = blocks.map(([, code = '']) => shown(code));
    expect(commands).toHaveLength(2);
    const env = { PATH: process.env.PATH, KEY: service.key };
    const answers: string[] = [];
    for (const command of commands) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`], { env });
      answers.push(stdout);
    }
    const order = '{"id":1,"petId":7,"quantity":1,"complete":false}';
    expect(answers).toEqual([order, `[${order}]`]);
  });

  it('go to the configured address, which the feed names as well', async () => {
    await using other = await Service.start({
      BASE_URL: 'https://api.example.com/shop/v1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
    });
    expect((await read('/', {}, other.address)).text).toContain(
      'curl https://api.example.com/shop/v1/store/orders',
    );
    expect((await read('/changelog.atom', {}, other.address)).text).toContain(
      'href="https://api.example.com/shop/changelog"',
    );
    // The reference lets its forms reach those two servers, and no other.
    const { headers } = await read('/docs', {}, other.address);
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' https://api.example.com https://staging.example.com;",
    );
  });

  test.each(['$(evil)', `evil${'x'.repeat(12)}`, 'evil%41', "evil'"])(
    'never take a name that is none from the request: %s',
    async (host) => {
      for (const path of ['/', '/changelog.atom']) {
        const { status, text } = await read(path, { Host: host });
        expect(status).toBe(200);
        expect(text).toContain('http://localhost/');
        expect(text).not.toContain('evil');
      }
    },
  );

  test.each(['"><script>evil()</script>', 'evil host', 'evil/v1', 'me@evil'])(
    'are no request at all for what cannot be a host: %s',
    async (host) => {
      const { status, text } = await read('/', { Host: host });
      expect(status).toBe(400);
      expect(text).not.toContain('evil');
    },
  );
});

/** The text that a browser shows for a piece of HTML without tags. */
function shown(html: string): string {
  return (new XMLParser({ htmlEntities: true }).parse(`<p>${html}</p>`) as { p: string }).p;
}
