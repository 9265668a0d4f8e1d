import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { browsing, expectAccessible } from './visit.ts';

const FAILED = /status of (?:4\d\d|5\d\d)|ERR_/;

const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  await beside.place([1n, 2n, 3n, 4n, 5n, 6n].map((id) => ({ id, petId: id })));
});

/** Opens an order, and types its id to cancel it. */
async function prepare(id: string): Promise<Page> {
  const { page } = await on.enter(`/orders/${id}`, on.service.key, FAILED);
  await page.click('text=Allow changes');
  await page.fill('[name=typed]', id);
  return page;
}

/** Lets a cancellation through, and gives another answer to it. */
async function answerWith(page: Page, id: string, answer: Parameters<Route['fulfill']>[0]) {
  await page.route(`**/v2/store/orders/${id}`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    await route.fetch();
    await route.fulfill(answer);
  });
}

describe.skipIf(CHROMIUM === undefined)('A cancellation', () => {
  it.each([
    ['1', { status: 504, contentType: 'text/html', body: '<html>' }],
    ['2', { status: 500, body: '{"code":"internal_error","message":"It failed.","status":500}' }],
    ['3', { status: 204 }],
  ])('whose outcome is unknown is not called refused: order %s', async (id, answer) => {
    const page = await prepare(id);
    await answerWith(page, id, answer);
    await page.click(`text=Cancel order ${id}`);
    await page.waitForSelector('.outcome >> text=It may be cancelled or not');
    await page.waitForSelector('.facts >> text=cancelled');
    expect(await page.locator('.cancel').count()).toBe(0);
  });

  it('that arrives late is not called that of somebody else', async () => {
    const page = await prepare('6');
    await page.route('**/v2/store/orders/6', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.fallback(),
    );
    await page.click('text=Cancel order 6');
    await page.waitForSelector('.outcome >> text=It may be cancelled or not');
    // The order that is loaded after the attempt: one that is loaded later has no form any more.
    await page.waitForSelector('[name=typed]');
    await on.service.ask('DELETE', '/v2/store/orders/6');
    await page.fill('[name=typed]', '6');
    await page.click('text=Cancel order 6');
    await page.waitForSelector('.outcome >> text=by your attempt before, or by somebody else');
  });

  it('by somebody else is called so, and leaves the focus in the page', async () => {
    const page = await prepare('4');
    await on.service.ask('DELETE', '/v2/store/orders/4');
    await page.focus('button.danger');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.outcome >> text=somebody has cancelled the order meanwhile');
    await page.waitForSelector('.facts >> text=cancelled');
    await expect.poll(() => focused(page)).toBe('Order 4');
    await expectAccessible(page, 'cancelled-by-other');
  });

  it('keeps its outcome in view while the order cannot be loaded again', async () => {
    const page = await prepare('5');
    await page.click('text=Cancel order 5');
    await page.waitForSelector('.outcome >> text=Cancelled, at position');
    await page.waitForSelector('.facts >> text=cancelled');
    await page.route('**/v2/store/orders/5', (route) => route.fulfill({ status: 502 }));
    await page.click('text="Reload"');
    await page.waitForSelector('[data-state=busy]');
    expect(await page.innerText('.outcome')).toContain('Cancelled, at position');
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}

describe.skipIf(CHROMIUM === undefined)('The key', () => {
  const busy = (route: Route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '600', 'Content-Type': 'application/json' },
      body: '{"code":"service_unavailable","message":"The service is starting.","status":503}',
    });

  it('is held while the service is not ready, and checked as soon as it is', async () => {
    const { page, wrong } = await on.open('/orders', FAILED);
    await page.route('**/v2/key', busy);
    await page.fill('#key', on.service.key);
    await page.click('text=Use this key');
    await page.waitForSelector('[data-state=busy] >> text=The service is starting.');
    await expectAccessible(page, 'key-in-doubt');
    await page.click('text=Use another key');
    await page.fill('#key', on.service.key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-state=busy]');
    await page.unroute('**/v2/key');
    await page.click('text=Try now');
    await expect.poll(() => page.innerText('.count')).toBe('6 orders');
    expect(wrong).toEqual([]);
  });

  it('that is kept for the tab outlives a reload while the service is not ready', async () => {
    const { page } = await on.open('/orders', FAILED);
    await page.check('text=Keep it for this tab');
    await page.fill('#key', on.service.key);
    await page.click('text=Use this key');
    await page.waitForSelector('text=Forget key');
    await page.route('**/v2/key', busy);
    await page.reload();
    await page.waitForSelector('[data-state=busy] >> text=The key is not checked yet.');
    await page.unroute('**/v2/key');
    await page.click('text=Try now');
    await expect.poll(() => page.innerText('.count')).toBe('6 orders');
  });

  it('that is refused leaves the focus in its field', async () => {
    const { page } = await on.open('/orders', FAILED);
    await page.fill('#key', 'sto_wrong');
    await page.click('text=Use this key');
    await page.waitForSelector('text=The service does not accept this key.');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('key');
  });

  it('is used where the browser blocks the data of sites', async () => {
    const page = await on.context.newPage();
    await page.addInitScript(`for (const name of ['sessionStorage', 'localStorage']) {
      const get = () => { throw new DOMException('Access is denied.', 'SecurityError'); };
      Object.defineProperty(window, name, { get });
    }`);
    await page.goto(`${on.service.address}/console/orders`);
    await page.fill('#key', on.service.key);
    await page.click('text=Use this key');
    await expect.poll(() => page.innerText('.count')).toBe('6 orders');
    await page.selectOption('[name=times]', 'relative');
    await page.click('nav >> text=Proof');
    await page.waitForSelector('#public-key');
    await page.close();
  });
});

describe.skipIf(CHROMIUM === undefined)('The focus of the keyboard', () => {
  it('stays on Reload, and in the page when its element is removed', async () => {
    const { page } = await on.enter('/orders');
    await page.waitForSelector('.count');
    await page.focus('text="Reload"');
    const reloaded = page.waitForResponse(/\/v2\/store\/summary/);
    await page.keyboard.press('Enter');
    await reloaded;
    await page.waitForSelector('tbody a');
    expect(await focused(page)).toBe('Reload');
    await page.focus('text=Forget key');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#key');
    await expect.poll(() => focused(page)).toBe('Orders');
  });
});

describe.skipIf(CHROMIUM === undefined)('An address', () => {
  it('of an order that cannot be is no list of orders', async () => {
    const { page, wrong } = await on.enter('/orders/9999999999999999999');
    await page.waitForSelector('text=There is no such page');
    expect(await page.title()).toBe('Not found · Store Orders');
    await expectAccessible(page, 'nowhere');
    await page.click('text=Show all orders');
    await page.waitForSelector('.count');
    expect(wrong).toEqual([]);
  });

  it('of a position beyond all says that its moment has not come', async () => {
    const { page } = await on.enter('/orders/1?at=9999999999999999', on.service.key, FAILED);
    await page.waitForSelector('[data-state=moment_to_come] >> text=the log ends at position');
  });
});
