import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { browsing, expectAccessible } from './visit.ts';

/** More than one part of the log, so that a later one can fail. */
const ORDERS = 450;
const FAILED = /status of (?:4\d\d|5\d\d)|ERR_/;

const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, index) => BigInt(index + 1));
  await beside.place(ids.map((id) => ({ id, petId: id })));
  await beside.submit(
    ids.slice(0, 2).map((orderId) => ({ type: 'CancelOrder', orderId }) as never),
  );
});
const enter = (path: string) => on.enter(path, on.service.key, FAILED);

const loginPage = (route: Route) =>
  route.fulfill({ status: 200, contentType: 'text/html', body: '<html>Log in</html>' });
const badGateway = (route: Route) =>
  route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' });

/** Answers a GET with the service's answer at another address. */
const answerOf = (path: string) => async (route: Route) => {
  const url = `${on.service.address}${path}`;
  await route.fulfill({ response: await route.fetch({ url }) });
};

/** Moves to another page of the console as its links do, so that the key is kept. */
async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'));`,
  );
}

describe.skipIf(CHROMIUM === undefined)('An answer to another question', () => {
  it('is not shown as the order that was asked for', async () => {
    const { page, wrong } = await enter('/key');
    await page.route('**/v2/store/orders/7', answerOf('/v2/store/orders/9'));
    await moveTo(page, '/orders/7');
    await page.waitForSelector('text=The answer is order 9, not order 7.');
    await expectAccessible(page, 'other-order');
    await page.unroute('**/v2/store/orders/7');
    await page.click('text=Try again');
    await page.waitForSelector('.facts');
    expect(wrong).toEqual([]);
  });

  it('is neither saved nor verified as the receipt that was asked for', async () => {
    const { page } = await enter('/orders/1');
    await page.route('**/v2/store/orders/1/receipt', answerOf('/v2/store/orders/2/receipt'));
    await page.click('text="Download receipt"');
    await page.waitForSelector('text=/Not downloaded: .*with the answer to another request/');
    await page.route('**/v2/store/events/5/receipt', answerOf('/v2/store/events/3/receipt'));
    await moveTo(page, '/proof?position=5');
    await page.waitForSelector('text=with the answer to another request');
    expect(await page.locator('.steps').count()).toBe(0);
  });
});

describe.skipIf(CHROMIUM === undefined)('A download of the log', () => {
  it('waits where a key has made too many requests, and goes on', async () => {
    const { page, wrong } = await enter('/log');
    await page.waitForSelector('text=Download NDJSON');
    const answers = [429, 503, 502];
    await page.route(/\/v2\/store\/events\?.*limit=1000/, (route) => {
      const status = answers.shift();
      if (status === undefined) return route.fallback();
      return route.fulfill({ status, headers: { 'Retry-After': '1' }, body: '' });
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Download NDJSON'),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(ORDERS + 2);
    expect([answers, wrong]).toEqual([[], []]);
  });
});

describe.skipIf(CHROMIUM === undefined)('An answer that is none of the API', () => {
  it('is said in place of an order, with the way out of it', async () => {
    const { page, wrong } = await enter('/key');
    await page.route('**/v2/store/orders/7', loginPage);
    await moveTo(page, '/orders/7');
    await page.waitForSelector('text=200 without JSON, which is no answer of this API');
    await page.unroute('**/v2/store/orders/7');
    await page.click('text=Try again');
    await page.waitForSelector('.facts');
    expect(wrong).toEqual([]);
  });

  it('is not saved, but said beside the button', async () => {
    const { page, wrong } = await enter('/orders/1');
    await page.route('**/v2/store/orders/1/receipt', badGateway);
    await page.click('text="Download receipt"');
    await page.waitForSelector('text=/Not downloaded: .* 502, which is no answer of this API/');
    await moveTo(page, '/orders');
    await page.waitForSelector('text=Download CSV');
    const list = /\/v2\/store\/orders$/;
    await page.route(list, (route) =>
      route.request().headers().accept === 'text/csv' ? loginPage(route) : route.fallback(),
    );
    await page.click('text=Download CSV');
    await page.waitForSelector('text=Not downloaded: The answer is not text/csv, but text/html.');
    await page.unroute(list);
    const saved = page.waitForEvent('download');
    await page.click('text=Download CSV');
    const csv = readFileSync(await (await saved).path(), 'utf8');
    expect(csv.split('\r\n')).toHaveLength(ORDERS + 2);
    expect(wrong).toEqual([]);
  });

  it.each(['/orders', '/log', '/travel'])(
    'of a proxy is counted down on the page at %j, and of the service tried again',
    async (path) => {
      const { page, wrong } = await enter('/key');
      await page.route('**/v2/store/summary*', badGateway);
      await moveTo(page, path);
      await page.waitForSelector('[data-state=busy] >> text=Next attempt in');
      await page.unroute('**/v2/store/summary*');
      await page.route('**/v2/store/summary*', loginPage);
      await page.click('text=Try now');
      await page.waitForSelector('[data-state=other]');
      await page.unroute('**/v2/store/summary*');
      await page.click('text=Try again');
      await expect.poll(() => page.locator('[data-state=other]').count()).toBe(0);
      expect(wrong).toEqual([]);
    },
  );

  it('does not freeze a list while it is scrolled', async () => {
    const { page, wrong } = await enter('/log?order=oldest');
    await page.waitForSelector('tbody >> text=OrderPlaced');
    await page.route('**/v2/store/events?*', loginPage);
    await page.locator('.scroller').evaluate((list) => {
      (list as unknown as { scrollTop: number }).scrollTop = 300 * 34;
    });
    await page.waitForSelector('[data-state=other]');
    await page.unroute('**/v2/store/events?*');
    await page.click('text=Try again');
    await expect.poll(() => page.innerText('tbody')).toMatch(/\b301\s/);
    expect(wrong).toEqual([]);
  });

  it('ends the live tail, which can be opened again', async () => {
    const { page, wrong } = await enter('/key');
    const isStream = (route: Route) => /event-stream/.test(route.request().headers().accept ?? '');
    await page.route('**/v2/store/events*', (route) =>
      isStream(route)
        ? route.fulfill({ status: 500, contentType: 'text/html', body: '<html>' })
        : route.fallback(),
    );
    await page.click('nav >> text=Log');
    await page.waitForSelector('[data-tail=off]');
    await expectAccessible(page, 'tail-off');
    await page.unroute('**/v2/store/events*');
    await page.click('text=Follow again');
    await page.waitForSelector('[data-tail=live]');
    const { text } = await on.service.send('POST', '/v2/store/orders', { petId: '1', quantity: 1 });
    await page.waitForSelector(`tbody >> text="${JSON.parse(text).id}"`);
    expect(wrong).toEqual([]);
  });
});
