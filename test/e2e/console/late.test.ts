import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { browsing, settled } from './visit.ts';

/** More than the log loads at once. */
const ORDERS = 450;
const FAILED = /status of (?:4\d\d|5\d\d)|ERR_/;
/** More events than the log holds beside those that it has loaded. */
const MANY = 5_100;
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
    // As it is after the attempt: the order that is loaded later has no form any more.
    await page.waitForSelector('[name=typed]');
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

describe.skipIf(CHROMIUM === undefined)('A late answer', () => {
  it('with a receipt leaves what was added and typed meanwhile', async () => {
    const page = await enter('/key');
    await page.route('**/v2/store/events/5/receipt', busy);
    await moveTo(page, '/proof?position=5');
    await page.waitForSelector('[data-state=busy]');
    await page.fill('#public-key', 'typed');
    await page.fill('#proof-text', 'log x\nquorum none\n');
    await page.click('text="Add the text"');
    await page.waitForSelector('.given >> text=Policy of witnesses');
    await page.unroute('**/v2/store/events/5/receipt');
    await page.click('text="Try now"');
    await page.waitForSelector('.given >> text=Receipt');
    await page.click('text=Forget key');
    await expect.poll(() => page.locator('.given li').count()).toBe(1);
    expect(await page.innerText('.given')).toContain('Policy of witnesses');
    expect(await page.inputValue('#public-key')).toBe('typed');
  });

  it('with the key of the service does not replace one that was typed meanwhile', async () => {
    const page = await enter('/proof');
    const asked = await hold(page, '**/public-key');
    await page.click('text=Use this service’s key');
    await asked.begun();
    await page.fill('#public-key', 'of my own');
    await page.check('text=Remember it in this tab');
    const answered = page.waitForResponse('**/public-key');
    asked.release();
    await (await answered).finished();
    await settled(page);
    expect(await page.inputValue('#public-key')).toBe('of my own');
    const kept = await page.evaluate("sessionStorage.getItem('store-orders-console-public-key')");
    expect(kept).toBe('of my own');
  });

  it('that refuses a key leaves another one that is typed', async () => {
    const { page } = await on.open('/orders', FAILED);
    const asked = await hold(page, '**/v2/key');
    await page.fill('#key', 'refused');
    await page.keyboard.press('Enter');
    await asked.begun();
    await page.fill('#key', on.service.key);
    asked.release();
    await page.waitForSelector('.farewell >> text=does not accept');
    await settled(page);
    expect(await page.inputValue('#key')).toBe(on.service.key);
  });

  it('to a question before the last one leads nowhere', async () => {
    const page = await enter('/log');
    await page.waitForSelector('tbody a');
    const asked = await hold(page, /summary\?asOf=1999/);
    await page.fill('[name=moment]', '2000-01-01T00:00');
    await page.click('text="Go to moment"');
    await asked.begun();
    await page.fill('[name=moment]', '2099-01-01T00:00');
    await page.click('text="Go to moment"');
    await page.waitForSelector('.filters [role=alert] >> text=/./');
    const answered = page.waitForResponse(/summary\?asOf=1999/);
    asked.release();
    await (await answered).finished();
    await settled(page);
    expect(page.url()).toMatch(/log$/);
  });
});

describe.skipIf(CHROMIUM === undefined)('Time travel while answers are late', () => {
  it('leaves a position that is typed', async () => {
    const page = await enter('/key');
    const asked = await hold(page, '**/v2/store/summary?asOf=2*');
    await moveTo(page, '/travel?asOf=2020-01-01T00:00:00Z');
    await page.waitForSelector('[name=position]');
    await asked.begun();
    await page.fill('[name=position]', '12');
    asked.release();
    await page.waitForSelector('.band.past');
    await settled(page);
    expect(await page.inputValue('[name=position]')).toBe('12');
    await page.click('text="Go to position"');
    await page.waitForURL('**/travel?at=12');
  });

  it('switches a step off while nobody knows where it begins', async () => {
    const page = await enter('/travel?at=5');
    await page.waitForSelector('.band.past');
    const asked = await hold(page, /summary/);
    const isOff = (text: string) => page.getAttribute(`text="${text}"`, 'aria-disabled');
    await page.click('text="−1 event"');
    expect([await isOff('−1 day'), await isOff('−1 event')]).toEqual(['true', 'false']);
    asked.release();
    await expect.poll(() => isOff('−1 day')).toBe('false');
    const again = await hold(page, /summary/);
    await page.click('text="−1 day"');
    expect([await isOff('−1 day'), await isOff('−1 event')]).toEqual(['false', 'true']);
    again.release();
    await page.waitForSelector('.band.past >> text=/position 0,/');
  });

  it('keeps the newest end that it knows, and each step before it', async () => {
    const page = await enter('/travel');
    await page.waitForSelector('text=/Orders as of position/');
    const slider = page.locator('input[type=range]');
    const end = Number(await slider.getAttribute('max'));
    await placeOrders(3);
    const bars = await hold(page, /activity/);
    await page.fill('[name=position]', `${end + 2}`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.band.past');
    await bars.begun();
    const asked = await hold(page, /summary/);
    await page.click('text="−1 event"');
    await asked.begun();
    await settled(page);
    expect(await slider.getAttribute('max')).toBe(`${end + 3}`);
    await page.click('text="+1 event"');
    expect(page.url()).toMatch(new RegExp(`at=${end + 2}$`));
    for (const each of [bars, asked]) each.release();
  });

  it('loads the events of another type at once, whatever failed of those before', async () => {
    const page = await enter('/travel?at=0');
    await page.waitForSelector('tbody a');
    await page.route(/events\?/, busy);
    await page.locator('.scroller').evaluate((list) => {
      (list as unknown as { scrollTop: number }).scrollTop = 1e9;
    });
    await page.waitForSelector('[data-state=busy]');
    await page.unroute(/events\?/);
    await page.click('text=/\\d OrderPlaced/');
    await page.waitForSelector('tbody td >> text="OrderPlaced"');
    expect(await page.locator('[data-state=busy]').count()).toBe(0);
  });

  it('stays on the page while its activity cannot be loaded again', async () => {
    const page = await enter('/travel');
    await page.waitForSelector('text=/Orders as of position/');
    await placeOrders(1);
    await page.route('**/activity*', busy);
    await page.fill('[name=position]', '4');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-state=busy]');
    await page.waitForSelector('text=Orders as of position 4');
    expect(await page.locator('input[type=range]').inputValue()).toBe('4');
  });
});

describe.skipIf(CHROMIUM === undefined)('What a reader does meanwhile', () => {
  it('has the focus, also before the next frame', async () => {
    const page = await enter('/orders');
    await page.waitForSelector('.count');
    await page.evaluate(`
      [...document.querySelectorAll('nav a')].find((each) => each.textContent === 'Log').click();
      setTimeout(() => document.getElementById('search').focus());
    `);
    await page.waitForSelector('h1 >> text=Log');
    await settled(page);
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
  });

  it('is about the same order when others come in above it', async () => {
    const page = await enter('/log');
    await page.waitForSelector('[data-tail=live]');
    await page.waitForSelector('tbody a');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const focused = () => page.evaluate('document.activeElement.textContent');
    const order = await focused();
    await placeOrders(1);
    await page.waitForSelector('tr.new');
    await settled(page);
    expect(await focused()).toBe(order);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/orders/${order}`);
  });

  it('is to scroll a list that begins anew, whose end is far away by now', async () => {
    const page = await enter('/log');
    await page.waitForSelector('[data-tail=live]');
    await page.waitForSelector('tbody a');
    const [head, parts] = [await hold(page, /summary/), await hold(page, /events\?after=/)];
    await using beside = new Beside(on.service.databaseFile);
    const ids = Array.from({ length: MANY }, (_, index) => BigInt(1_000 + index));
    await beside.place(ids.map((id) => ({ id })));
    await page.waitForSelector(`text=/5\\D?\\d00 came/`);
    await head.begun();
    await page.evaluate(`document.querySelector('.scroller').scrollTop = 1e9`);
    await page.waitForSelector('td >> text="…"');
    parts.release();
    await page.waitForSelector('tbody tr:last-child >> text="1"');
    head.release();
    expect(await page.locator('[data-state=other]').count()).toBe(0);
  });

  it('leaves a checkpoint that the service could not send to the next attempt', async () => {
    const page = await enter('/key');
    let refusals = 1;
    await page.route('**/checkpoint', (route) => {
      refusals -= 1;
      if (refusals < 0) return route.fallback();
      return route.fulfill({
        status: 503,
        headers: { 'Retry-After': '1' },
        contentType: 'application/json',
        body: '{"code":"service_unavailable","message":"The service is busy.","status":503}',
      });
    });
    await moveTo(page, '');
    await page.waitForSelector('[data-figure=checkpoint] .countdown');
    await page.waitForSelector('[data-figure=checkpoint] code');
    expect(await page.locator('[data-figure=checkpoint] .countdown').count()).toBe(0);
  });

  it('does not make the overview ask before the time that the service states', async () => {
    const page = await enter('/key');
    let asked = 0;
    await page.route(/activity\?bucket=hour/, (route) => {
      asked += 1;
      return busy(route);
    });
    await moveTo(page, '');
    await page.waitForSelector('[data-state=busy]');
    await page.waitForTimeout(1.2 * OVERVIEW_MS);
    expect(asked).toBe(1);
    expect(Number(await page.innerText('.countdown'))).toBeLessThan(BUSY_S - 9);
  });
});
