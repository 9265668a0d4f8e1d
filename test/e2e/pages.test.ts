import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { VERSION_1 } from '../../src/http/description/versions.ts';
import { referencePage } from '../../src/http/site/reference.ts';
import { Beside } from '../support/beside.ts';
import {
  CHROMIUM,
  excessWidthOf,
  keepSiteOpen,
  launchChromium,
  photograph,
  violationsOn,
  WITHOUT_CHROMIUM,
} from '../support/chromium.ts';
import { isNightly } from '../support/nightly.ts';
import { Service } from '../support/service.ts';

const ID = 9_007_199_254_740_993n;
/** Ends what hangs; a busy machine takes many seconds to load a page. */
const TIMEOUT_MS = 120_000;
const PAGES = [
  ...['/', '/docs', '/docs/v2', '/changelog', '/nowhere'],
  ...['/guides', '/guides/architecture', '/guides/operations/settings', '/guides/walkthrough'],
];

let service: Service;
let browser: Browser;
let context: BrowserContext;

/** A page in the browser, with the problems found in it. */
interface Visit {
  readonly page: Page;
  /** Requests to other hosts, errors in the console, and violations of the page's policy. */
  readonly wrong: string[];
}

async function visit(path: string): Promise<Visit> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(TIMEOUT_MS);
  const wrong: string[] = [];
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${service.address}/`);
    if (!isOwn) wrong.push(`request: ${request.url()}`);
  });
  page.on('console', (message) => {
    const isPage = message.location().url.endsWith(path);
    // The browser reports the status of a page that does not exist.
    if (path === '/nowhere' && isPage) return;
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error}`));
  await page.goto(`${service.address}${path}`);
  await page.waitForSelector('#theme:visible');
  return { page, wrong };
}

function form(page: Page, operationId: string) {
  return page.locator(`#${operationId} .try`);
}

/** Fills a field of a form, sends it, and returns the body of the answer as the page shows it. */
async function tryOut(page: Page, operationId: string, field: string, value: string) {
  const operation = form(page, operationId);
  await operation.locator(`[name="${field}"]`).fill(value);
  await operation.locator('[type=submit]').click();
  await operation.locator('.body:not(:empty)').waitFor();
  return operation.locator('.body').innerText();
}

/** Returns the rules of accessibility that a page violates, with everything in it unfolded. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  return violationsOn(page);
}

/** By day one of the two long references is judged in the light, and the other one in the dark. */
function isJudgedIn(look: string, path: string): boolean {
  if (isNightly) return true;
  if (path === '/docs') return look === 'light';
  return look === 'dark' || (look === 'light' && path !== '/docs/v2');
}

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

describe.skipIf(CHROMIUM === undefined)('The site in a browser', () => {
  beforeAll(async () => {
    service = await Service.start();
    await using beside = new Beside(service.databaseFile);
    await beside.place([{ id: ID, petId: ID + 2n }]);
    browser = await launchChromium();
    context = await browser.newContext();
    await keepSiteOpen(context, service.address);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test.each(PAGES)(
    "%s follows the reader's preferences, is accessible, and loads nothing from elsewhere",
    async (path) => {
      const looks = [
        ['light', 'light', 1280],
        ['dark', 'dark', 1280],
        ['narrow', 'light', 320],
      ] as const;
      const { page, wrong } = await visit(path);
      const backgrounds: string[] = [];
      for (const [look, colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const file = `${path.replaceAll('/', '-').slice(1) || 'home'}-${look}.png`;
        await photograph(page, file);
        backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
        expect(await excessWidthOf(page)).toBe(0);
        if (isJudgedIn(look, path)) expect(await violations(page)).toEqual([]);
      }
      expect(backgrounds).toEqual(['rgb(255, 255, 255)', 'rgb(28, 32, 34)', 'rgb(255, 255, 255)']);
      expect(wrong).toEqual([]);
    },
  );

  it('reports a page that loads something from elsewhere, or violates its policy', async () => {
    const { page, wrong } = await visit('/docs');
    await page.evaluate(`
        document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:1/pixel.png' }));
        document.body.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }));
        document.body.append(Object.assign(document.createElement('script'), { text: 'alert(1)' }));
      `);
    await expect.poll(() => wrong.filter((text) => /img-src/.test(text))).not.toEqual([]);
    for (const directive of ['style-src', 'script-src']) {
      expect(wrong.some((text) => text.includes(directive))).toBe(true);
    }
  });

  it('reports a page that is not accessible', async () => {
    const { page } = await visit('/');
    await page.evaluate(
      `document.querySelector('main').innerHTML += '<select></select><main></main>'`,
    );
    const rules = (await violations(page)).map((found) => found.split(':')[0]);
    expect(rules).toEqual(expect.arrayContaining(['landmark-no-duplicate-main', 'select-name']));
  });

  test('version 2 is one click away, and so are the guides and the changelog', async () => {
    const { page } = await visit('/docs');
    await page.click('nav >> text=v2');
    await page.waitForURL(`${service.address}/docs/v2`);
    expect(await page.innerText('h1')).toContain('2.0.0-beta');
    await page.click('nav >> text=Guides');
    await page.waitForURL(`${service.address}/guides`);
    await page.click('nav >> text=Changelog');
    await page.waitForURL(`${service.address}/changelog`);
    expect(await page.innerText('h1')).toBe('API changelog');
  });

  test('a reader may choose the dark, which all pages keep, and the light again', async () => {
    const { page } = await visit('/guides');
    // The choice would stay for the tests behind this one.
    onTestFinished(() => page.evaluate('localStorage.clear()'));
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const becomes = (colour: string) => expect.poll(background).toBe(colour);
    await becomes('rgb(255, 255, 255)');
    await page.click('#theme');
    await becomes('rgb(28, 32, 34)');
    expect(await page.getAttribute('#theme', 'aria-pressed')).toBe('true');
    await page.click('nav >> text=v1');
    await page.waitForURL(`${service.address}/docs`);
    await page.waitForSelector('#theme:visible');
    await becomes('rgb(28, 32, 34)');
    await page.click('#theme');
    await becomes('rgb(255, 255, 255)');
  });

  test('a block of code is copied by its button', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = await visit('/guides/quickstart');
    const block = page.locator('.code').nth(1);
    await block.hover();
    await block.locator('.copy').click();
    await block.locator('text=Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe((await block.locator('pre').innerText()).trimEnd());
    expect(copied).toMatch(/^AUTH=/);
  });

  test('a block of code is not called copied where the browser does not allow it', async () => {
    const { page } = await visit('/guides/quickstart');
    const refusals = [
      `navigator.clipboard.writeText = () => Promise.reject(new Error('no'))`,
      `Object.defineProperty(navigator, 'clipboard', { value: undefined });
       document.execCommand = () => false`,
    ];
    for (const [at, refusal] of refusals.entries()) {
      await page.evaluate(`{ ${refusal} }`);
      const block = page.locator('.code').nth(at);
      await block.hover();
      await block.locator('.copy').click();
      await block.locator('text=The browser does not allow it').waitFor();
    }
  });

  test('the switch follows the system, and the choice of another tab', async () => {
    const { page } = await visit('/guides');
    onTestFinished(() => page.evaluate('localStorage.clear()'));
    const isPressed = () => page.getAttribute('#theme', 'aria-pressed');
    expect(await isPressed()).toBe('false');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(isPressed).toBe('true');
    const { page: other } = await visit('/docs');
    await other.click('#theme');
    await other.click('#theme');
    await expect.poll(isPressed).toBe('false');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
  });

  test('a page is printed dark on white, with whole lines, whatever the reader chose', async () => {
    const { page } = await visit('/guides/architecture');
    onTestFinished(() => page.evaluate('localStorage.clear()'));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    const styleOf = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'))['${name}']`);
    expect(await styleOf('body', 'color')).toBe('rgb(28, 38, 34)');
    expect(await styleOf('.diagram img', 'filter')).toBe('none');
    expect(await styleOf('.text pre', 'whiteSpaceCollapse')).toBe('preserve');
    expect(await styleOf('.text pre', 'textWrapMode')).toBe('wrap');
    expect(await page.locator(':is(.site, .aside, .copy):visible').count()).toBe(0);
    await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
    expect(await styleOf('.diagram img', 'filter')).toBe('none');
    expect(await styleOf('.diagram img', 'backgroundColor')).toBe('rgb(255, 255, 255)');
  });

  describe('The search', () => {
    it('finds a section by its words, and leads to it', async () => {
      const { page, wrong } = await visit('/guides/adr/0001-concurrency-on-the-log');
      await page.keyboard.press('/');
      await page.keyboard.type('idempotency retry safely');
      await page.locator('#found li').first().waitFor();
      expect(await page.innerText('#count')).toMatch(/^Found: \d+$/);
      await photograph(page, 'search.png');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service.address}/guides/quickstart#4-retry-safely`);
      expect(wrong).toEqual([]);
      // The choice in the console.
      onTestFinished(() => page.evaluate('localStorage.clear()'));
      await page.evaluate(`localStorage.setItem('store-orders-shortcuts', 'off')`);
      await page.click('h1');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.id')).not.toBe('search');
    });

    it('says that nothing was found, and forgets what was typed on Escape', async () => {
      const { page } = await visit('/guides');
      await page.fill('#search', 'zebra unicorn');
      await page.locator('text=Nothing was found.').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.inputValue('#search')).toBe('');
      expect(await page.innerText('#count')).toBe('');
    });

    it('says that the index cannot be loaded, and loads it later', async () => {
      const { page } = await visit('/guides');
      await page.route('**/search.json', (route) => route.abort());
      await page.fill('#search', 'receipt');
      await page.locator('text=The index cannot be loaded.').waitFor();
      await page.unroute('**/search.json');
      const busy = { status: 503, json: { code: 'service_unavailable', message: 'Not now.' } };
      await page.route('**/search.json', (route) => route.fulfill(busy));
      await Promise.all([page.waitForResponse('**/search.json'), page.fill('#search', 'receip')]);
      await page.locator('text=The index cannot be loaded.').waitFor();
      await page.unroute('**/search.json');
      await page.fill('#search', 'receipts');
      await page.locator('#found li').first().waitFor();
    });
  });

  test.runIf(isNightly)(
    'every guide fits a page of 320 px without a scroll bar (WCAG 2.2, 1.4.10)',
    async () => {
      const { page } = await visit('/guides');
      await page.setViewportSize({ width: 320, height: 800 });
      const paths = await page
        .locator('a[href*="guides/"]')
        .evaluateAll((links) => links.map((link) => (link as { href?: string }).href as string));
      expect(paths.length).toBeGreaterThan(80);
      const wide: string[] = [];
      for (const path of new Set(paths)) {
        await page.goto(path);
        const excess = await excessWidthOf(page);
        if (excess !== 0) wide.push(path);
      }
      expect(wide).toEqual([]);
    },
  );

  test('every diagram of the guides is shown', async () => {
    const { page } = await visit('/guides/architecture');
    const widths = await page
      .locator('.diagram img')
      .evaluateAll((images) =>
        images.map((image) => (image as { naturalWidth?: number }).naturalWidth),
      );
    expect(widths).toHaveLength(5);
    for (const width of widths) expect(width).toBeGreaterThan(100);
  });

  test('each operation shows its stability, and the end of a deprecated one', async () => {
    const { page } = await visit('/docs');
    const told = await page
      .locator('.operation')
      .evaluateAll((sections) =>
        sections.map((section) => [section.id, section.querySelector('.badge')?.textContent]),
      );
    expect(Object.fromEntries(told)).toEqual({
      listOrders: 'stable',
      placeOrder: 'beta',
      getOrder: 'beta',
      cancelOrder: 'stable',
      shipOrder: 'beta',
      getPet: 'deprecated, ends 2027-12-31',
      listOrderEvents: 'experimental',
      listEvents: 'experimental',
      getCheckpoint: 'experimental',
      getEpochs: 'experimental',
      getInclusionProof: 'experimental',
      getConsistencyProof: 'experimental',
      getReceipt: 'experimental',
      getEventReceipt: 'experimental',
    });
    expect(await page.locator('.badge-deprecated').isVisible()).toBe(true);
  });

  test('the reference has one sentence in the place of a form for listOrders', async () => {
    for (const [path, sentence] of [
      [
        '/docs',
        /has no form here, because its contract switches it off: the answer is the whole store\.$/,
      ],
      ['/docs/v2', /has no form here, as it has none in version 1\.$/],
    ] as const) {
      const { page } = await visit(path);
      expect(await form(page, 'listOrders').count()).toBe(0);
      expect(await page.innerText('#listOrders > .hint')).toMatch(sentence);
      expect(await form(page, 'getOrder').count()).toBe(1);
    }
  });

  it('would have the form if the description did not hide it', async () => {
    const document = JSON.parse(readFileSync('docs/openapi-v1.json', 'utf8'));
    const page = () => referencePage(VERSION_1, JSON.stringify(document));
    expect(page()).not.toMatch(
      /<form class="try"[^>]*data-method="GET" data-path="\/store\/orders"/,
    );
    delete document.paths['/store/orders'].get['x-hideTryItPanel'];
    expect(page()).toMatch(/<form class="try"[^>]*data-method="GET" data-path="\/store\/orders"/);
  });

  test('the reference weighs less than 250 KB', async () => {
    const { page } = await visit('/docs');
    const bytes = await page.evaluate(`
      ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(250_000);
  });

  describe('The form', () => {
    it('gets an order with a key, and shows exact 64-bit ids', async () => {
      const { page, wrong } = await visit('/docs');
      await page.fill('#key', service.key);
      const answer = await tryOut(page, 'getOrder', 'orderId', String(ID));
      expect(answer).toContain(`{\n  "id": ${ID},\n  "petId": ${ID + 2n},`);
      const operation = form(page, 'getOrder');
      expect(await operation.locator('[role=status]').innerText()).toMatch(/^200 OK after \d+ ms$/);
      expect(await operation.locator('.headers').innerText()).toMatch(/^etag: "/m);
      await operation.scrollIntoViewIfNeeded();
      await photograph(page, 'get-order.png');
      expect(wrong).toEqual([]);
    });

    it('shows the Error of a request without a key', async () => {
      const { page } = await visit('/docs/v2');
      expect(await tryOut(page, 'getOrder', 'orderId', '1')).toContain('"code": "unauthorized"');
    });

    it.each([
      ['/docs', ID + 4n, `${ID + 4n}`],
      ['/docs/v2', ID + 6n, `"${ID + 6n}"`],
    ])('of %s sends exact 64-bit ids', async (path, petId, written) => {
      const { page } = await visit(path);
      await page.fill('#key', service.key);
      const body = `{"petId": ${written}, "quantity": 1}`;
      expect(await tryOut(page, 'placeOrder', 'body', body)).toContain(`"petId": ${written},`);
      const { text } = await service.ask('GET', `/v2/store/orders?petId=${petId}`);
      expect(text).toContain(`"petId":"${petId}",`);
    });

    it('sends the parameters of the query and the headers that are filled in', async () => {
      const { page } = await visit('/docs');
      await page.fill('#key', service.key);
      await form(page, 'listEvents').locator('[name=limit]').fill('1');
      const answer = await tryOut(page, 'listEvents', 'after', '0');
      expect(answer.match(/"specversion"/g)).toHaveLength(1);
    });

    it('shows a stream as it arrives, until it is stopped', async () => {
      const { page } = await visit('/docs');
      await page.fill('#key', service.key);
      const operation = form(page, 'listEvents');
      await operation.locator('[name=Accept]').selectOption('text/event-stream');
      await operation.locator('[type=submit]').click();
      await operation.locator('.body').filter({ hasText: '"specversion"' }).waitFor();
      await operation.locator('.stop').click();
      await operation.locator('[role=status]').filter({ hasText: 'stopped' }).waitFor();
      expect(await operation.locator('.stop').isVisible()).toBe(false);
    });

    it('says what is the matter if no answer comes', async () => {
      const { page } = await visit('/docs');
      await page.route('**/v1/**', (route) => route.abort());
      const operation = form(page, 'getCheckpoint');
      await operation.locator('[type=submit]').click();
      await operation
        .locator('[role=status]')
        .filter({ hasText: /^No answer: .*CORS_ORIGINS/ })
        .waitFor();
    });

    it('says that a request was not sent, or that its answer was cut off', async () => {
      const { page } = await visit('/docs');
      const operation = form(page, 'getOrder');
      const status = operation.locator('[role=status]');
      await operation.locator('[name=orderId]').fill(String(ID));
      await page.fill('#key', '“sto_key”');
      await operation.locator('[type=submit]').click();
      await status.filter({ hasText: /^Not sent: (?!.*CORS_ORIGINS)/ }).waitFor();
      await page.fill('#key', service.key);
      await page.evaluate(`{
        const cut = () => new ReadableStream({
          start(to) { to.enqueue(new TextEncoder().encode('{"id":')); },
          pull(to) { to.error(new TypeError('network error')); },
        });
        globalThis.fetch = async () => new Response(cut(), { statusText: 'OK' });
      }`);
      await operation.locator('[type=submit]').click();
      await status.filter({ hasText: /^200 OK after \d+ ms; cut off: network error\.$/ }).waitFor();
    });

    it('shows the beginning of a long answer, and how much more there is', async () => {
      const { page } = await visit('/docs');
      const operation = form(page, 'listEvents');
      await page.evaluate(`{
        const part = new TextEncoder().encode('x'.repeat(150_000));
        let parts = 0;
        const body = new ReadableStream({
          pull(to) { if ((parts += 1) > 4) to.close(); else to.enqueue(part); },
        });
        globalThis.fetch = async () => new Response(body);
      }`);
      await operation.locator('[type=submit]').click();
      await operation.locator('.body').filter({ hasText: '400000 characters more' }).waitFor();
      const { length } = await operation.locator('.body').innerText();
      expect(length).toBe(200_000 + '\n… and 400000 characters more'.length);
    });

    it('forgets the key when the page is left, also where the browser keeps the page', async () => {
      const { page } = await visit('/docs');
      await page.fill('#key', service.key);
      await page.evaluate(
        `dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`,
      );
      expect(await page.inputValue('#key')).toBe('');
    });

    it('does not store the key beyond the page', async () => {
      const { page } = await visit('/docs');
      await page.fill('#key', service.key);
      await tryOut(page, 'getOrder', 'orderId', String(ID));
      await page.reload();
      expect(await page.inputValue('#key')).toBe('');
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    });
  });

  test('examples show exact 64-bit ids, also to who has no JavaScript', async () => {
    const other = await browser.newContext({ javaScriptEnabled: false });
    onTestFinished(() => other.close());
    const page = await other.newPage();
    await page.goto(`${service.address}/docs`);
    expect(await page.locator('#listOrders').textContent()).toContain(`"id": ${ID},`);
    expect(await page.locator('form').filter({ visible: true }).count()).toBe(0);
  });
});
