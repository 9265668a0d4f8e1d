import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { Beside } from '../support/beside.ts';
import { CHROMIUM, WITHOUT_CHROMIUM } from '../support/chromium.ts';
import { newFolder, Service } from '../support/service.ts';

const ID = 9_007_199_254_740_993n;
/** The folder for screenshots; none are taken if SCREENSHOTS is not set. */
const screenshots = process.env.SCREENSHOTS ?? newFolder();
/** Ends what hangs; a busy machine takes many seconds to load a page. */
const TIMEOUT_MS = 120_000;
const PAGES = ['/', '/docs', '/docs/v2', '/changelog'];

let service: Service;
let browser: Browser;
let context: BrowserContext;

/** A page in the browser, with the problems found in it. */
interface Visit {
  readonly page: Page;
  /** Requests to other hosts, errors in the console, and violations of the page's policy. */
  readonly wrong: string[];
}

/** Replacements for some of the service's files, as the browser gets them. */
type Replaced = Readonly<Record<string, string>>;

async function visit(path: string, replaced: Replaced = {}): Promise<Visit> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(TIMEOUT_MS);
  const wrong: string[] = [];
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${service.address}/`);
    if (!isOwn && !request.url().startsWith('data:')) wrong.push(`request: ${request.url()}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error}`));
  for (const [file, body] of Object.entries(replaced)) {
    const contentType = file.endsWith('.js') ? 'text/javascript' : 'application/json';
    await page.route(`**${file}`, (route) => route.fulfill({ contentType, body }));
  }
  await page.goto(`${service.address}${path}`);
  if (path.startsWith('/docs')) await page.waitForSelector('.opblock');
  return { page, wrong };
}

/** Returns a changed version of one of the service's files. */
async function changed(file: string, what: string, into: string): Promise<Replaced> {
  const { text } = await service.ask('GET', file);
  expect(text).toContain(what);
  return { [file]: text.replaceAll(what, into) };
}

async function open(page: Page, operationId: string) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.responses-inner').waitFor();
  return block;
}

async function authorize(page: Page): Promise<void> {
  await page.click('.auth-wrapper .authorize');
  await page.fill('.auth-container input', service.key);
  await page.click('.auth-container .authorize');
  await page.click('.auth-container .btn-done');
}

/** Fills a field of a form, sends it, and returns the response as the page shows it. */
async function tryOut(page: Page, operationId: string, field: string, value: string) {
  const operation = await open(page, operationId);
  await operation.locator('.try-out__btn').click();
  await operation.locator(field).fill(value);
  await operation.locator('.execute').click();
  return operation.locator('.live-responses-table .response-col_description .microlight').first();
}

const SCRIPT = '/docs/reference.js';
const GET_FIELD = 'tr[data-param-name="orderId"] input';

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

describe.skipIf(CHROMIUM === undefined)('The site in a browser', () => {
  beforeAll(async () => {
    service = await Service.start();
    await using beside = new Beside(service.databaseFile);
    await beside.place([{ id: ID, petId: ID + 2n }]);
    const args = ['--no-sandbox', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args });
    context = await browser.newContext();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test.each(PAGES)(
    "%s follows the reader's preferences, loads nothing from elsewhere, and violates no policy",
    async (path) => {
      const looks = [
        ['light', 'light', 1280],
        ['dark', 'dark', 1280],
        ['narrow', 'light', 390],
      ] as const;
      const { page, wrong } = await visit(path);
      const backgrounds: string[] = [];
      for (const [look, colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const file = `${path.replaceAll('/', '-').slice(1) || 'home'}-${look}.png`;
        await page.screenshot({ path: join(screenshots, file), fullPage: true });
        backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
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

  test('version 2 is one click away, and so is the changelog', async () => {
    const { page } = await visit('/docs');
    await page.click('nav >> text=v2');
    await page.waitForSelector('.opblock');
    expect(page.url()).toBe(`${service.address}/docs/v2`);
    expect(await page.innerText('.swagger-ui .info .title')).toContain('2.0.0-beta');
    await page.click('nav >> text=Changelog');
    expect(await page.innerText('h1')).toBe('API changelog');
  });

  test('each operation shows its stability, and the end of a deprecated one', async () => {
    const { page } = await visit('/docs');
    const told = await page
      .locator('.opblock')
      .evaluateAll((blocks) =>
        blocks.map((block) => [
          block.querySelector('.opblock-summary-operation-id')?.textContent,
          block.querySelector('.badge')?.textContent,
        ]),
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

  describe('The form', () => {
    it.each(['/docs', '/docs/v2'])(
      'of %s exists for getOrder and not for listOrders',
      async (path) => {
        const { page } = await visit(path);
        expect(await (await open(page, 'listOrders')).locator('.try-out').count()).toBe(0);
        expect(await (await open(page, 'getOrder')).locator('.try-out').count()).toBe(1);
      },
    );

    it('does not exist for listOrders even if forms are open by default', async () => {
      const script = await changed(SCRIPT, 'tryItOutEnabled: false', 'tryItOutEnabled: true');
      const { page } = await visit('/docs', script);
      expect(await (await open(page, 'listOrders')).locator('.try-out, .execute').count()).toBe(0);
      expect(await (await open(page, 'getOrder')).locator('.execute').count()).toBe(1);
    });

    it('would exist for listOrders if the description did not disable it', async () => {
      const { page } = await visit('/docs', await changed(SCRIPT, 'x-hideTryItPanel', 'x-other'));
      expect(await (await open(page, 'listOrders')).locator('.try-out').count()).toBe(1);
    });

    it('gets an order with a key, and shows exact 64-bit ids', async () => {
      const { page, wrong } = await visit('/docs');
      await authorize(page);
      const answer = await tryOut(page, 'getOrder', GET_FIELD, String(ID));
      expect(JSON.stringify(await answer.innerText())).toContain(
        `{\\n  \\"id\\": ${ID},\\n  \\"petId\\": ${ID + 2n},`,
      );
      await page.screenshot({ path: join(screenshots, 'get-order.png'), fullPage: true });
      expect(wrong).toEqual([]);
    });

    it('shows the Error of a request without a key', async () => {
      const { page } = await visit('/docs/v2');
      const answer = await tryOut(page, 'getOrder', GET_FIELD, '1');
      expect(await answer.innerText()).toContain('"code": "unauthorized"');
    });

    it('sends exact 64-bit ids', async () => {
      const { page } = await visit('/docs/v2');
      await authorize(page);
      const body = `{"petId": "${ID + 4n}", "quantity": 1}`;
      const answer = await tryOut(page, 'placeOrder', 'textarea', body);
      expect(await answer.innerText()).toContain(`"petId": "${ID + 4n}",`);
      const { text } = await service.ask('GET', `/v2/store/orders?petId=${ID + 4n}`);
      expect(text).toContain(`"petId":"${ID + 4n}",`);
    });

    it('begins with an example with exact 64-bit ids', async () => {
      const file = '/openapi/v1.json';
      const { page } = await visit(
        '/docs',
        await changed(file, '"petId": 7,', `"petId": ${ID + 6n},`),
      );
      await authorize(page);
      const operation = await open(page, 'placeOrder');
      await operation.locator('.try-out__btn').click();
      const example = await operation.locator('textarea').inputValue();
      expect(JSON.stringify(example)).toContain(`\\"petId\\": ${ID + 6n},`);
      await operation.locator('.execute').click();
      await operation.locator('.live-responses-table').waitFor();
      const { text } = await service.ask('GET', `/v2/store/orders?petId=${ID + 6n}`);
      expect(text).toContain(`"petId":"${ID + 6n}",`);
    });

    it('does not store the key beyond the page', async () => {
      const { page } = await visit('/docs');
      await authorize(page);
      expect(await page.locator('.auth-wrapper .authorize.locked').count()).toBe(1);
      await page.reload();
      await page.waitForSelector('.opblock');
      expect(await page.locator('.auth-wrapper .authorize.unlocked').count()).toBe(1);
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    });
  });

  test('examples show exact 64-bit ids, and no property that does not exist', async () => {
    const { page } = await visit('/docs');
    const operation = await open(page, 'listOrders');
    const examples = (await operation.locator('.example').allInnerTexts()).join('\n');
    expect(examples).toContain(`"id": ${ID},`);
    expect(examples).not.toContain('additionalProp');
  });
});
