import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { browsing, settled } from './visit.ts';

const ORDERS = 60;
const FAILED = /status of (?:4\d\d|5\d\d)|ERR_/;
/** Far more than the interval at which the overview is loaded again. */
const BUSY_S = 600;
const OVERVIEW_MS = 10_000;

const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, index) => BigInt(index + 1));
  await beside.place(ids.map((id) => ({ id, petId: id })));
});

/** Opens a page of the console once the key is accepted there. */
async function enter(path: string): Promise<Page> {
  const { page } = await on.enter('/key', on.service.key, FAILED);
  await moveTo(page, path);
  return page;
}

async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'));`,
  );
}

/** Holds requests before they are sent. Returns what waits until one is held, and what sends all of them. */
async function hold(page: Page, at: string | RegExp, method = 'GET') {
  const held: (() => void)[] = [];
  let isOpen = false;
  await page.route(at, async (route) => {
    if (isOpen || route.request().method() !== method) return route.fallback();
    await new Promise<void>((done) => held.push(done));
    await route.continue().catch(() => undefined);
  });
  const release = () => {
    isOpen = true;
    for (const send of held.splice(0)) send();
  };
  const begun = () => expect.poll(() => held.length).toBeGreaterThan(0);
  return { begun, release };
}

const busy = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'Retry-After': `${BUSY_S}`, 'Content-Type': 'application/json' },
    body: '{"code":"service_unavailable","message":"The service is starting.","status":503}',
  });

async function placeOrders(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1)
    await on.service.send('POST', '/v2/store/orders', { petId: '1', quantity: 1 });
}

async function prepareCancellation(id: string): Promise<Page> {
  const page = await enter(`/orders/${id}`);
  await page.click('text=Allow changes');
  await page.fill('[name=typed]', id);
  return page;
}

describe.skipIf(CHROMIUM === undefined)('A cancellation with a late answer', () => {
  it('is not called that of somebody else on the page that was left and opened again', async () => {
    const page = await prepareCancellation('1');
    const sent = await hold(page, '**/v2/store/orders/1', 'DELETE');
    await page.click('text=Cancel order 1');
    await sent.begun();
    await moveTo(page, '/orders');
    await page.waitForSelector('.count');
    await moveTo(page, '/orders/1');
    await page.fill('[name=typed]', '1');
    sent.release();
    const recorded = async () => (await on.service.ask('GET', '/v2/store/orders/1')).text;
    await expect.poll(recorded).toContain('"cancelled"');
    await page.click('text=Cancel order 1');
    await page.waitForSelector('.outcome >> text=by your attempt before, or by somebody else');
  });

  it('is called that of somebody else if the own attempt was refused', async () => {
    const page = await prepareCancellation('3');
    await page.route('**/v2/store/orders/3', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 429,
            contentType: 'application/json',
            body: '{"code":"rate_limited","message":"Too many requests.","status":429}',
          })
        : route.fallback(),
    );
    await page.click('text=Cancel order 3');
    await page.waitForSelector('.outcome >> text=Not cancelled: ');
    await on.service.ask('DELETE', '/v2/store/orders/3');
    await page.fill('[name=typed]', '3');
    await page.click('text=Cancel order 3');
    await page.waitForSelector('.outcome >> text=somebody has cancelled the order meanwhile');
  });

  it('is not sent once changes are switched off', async () => {
    const page = await prepareCancellation('2');
    const asked = await hold(page, '**/v2/store/orders/2');
    await page.click('text=Cancel order 2');
    await asked.begun();
    await page.click('text=Allow changes');
    asked.release();
    await page.waitForSelector('.outcome >> text=Not cancelled: changes were switched off');
    const { text } = await on.service.ask('GET', '/v2/store/orders/2');
    expect(text).toContain('"pending"');
  });
});
