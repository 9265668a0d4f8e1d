import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { browsing, expectAccessible, settled, typeKey } from './visit.ts';

const ORDERS = 1_300;
/** Beyond the numbers that JavaScript holds exactly. */
const FIRST_ID = 9_007_199_254_740_993n;
const ROWS_MAX = 60;
const REFUSED = /status of (?:400|404|409|410|412|503)/;

let reader = '';
const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, index) => FIRST_ID + BigInt(index));
  await beside.place(ids.map((id) => ({ id, petId: id + 2n })));
  await beside.submit(
    ids.slice(0, 10).map((orderId) => ({ type: 'CancelOrder', orderId }) as never),
  );
  reader = await beside.addKey(['orders:read']);
});
const idOf = (index: number) => String(FIRST_ID + BigInt(index));

interface Scroller {
  scrollTop: number;
}

function scrollTo(scroller: Locator, offset: number): Promise<void> {
  return scroller.evaluate((list, top) => {
    (list as unknown as Scroller).scrollTop = top;
  }, offset);
}

function scrolled(scroller: Locator): Promise<number> {
  return scroller.evaluate((list) => (list as unknown as Scroller).scrollTop);
}

describe.skipIf(CHROMIUM === undefined)('The list of orders', () => {
  it('shows exact ids of any number of orders, with at most 60 rows in the page', async () => {
    const { page, wrong } = await on.enter('/orders');
    await page.waitForSelector(`text="${idOf(0)}"`);
    await expect.poll(() => page.innerText('.count')).toBe('1 300 orders');
    await expectAccessible(page, 'orders');
    const rows = page.locator('tbody tr');
    const scroller = page.locator('.scroller');
    const counts = [await rows.count()];
    // On a busy machine, the end of the list moves away while it is scrolled to.
    const scrollOn = async () => {
      await scrollTo(scroller, Number.MAX_SAFE_INTEGER);
      counts.push(await rows.count());
      return page.innerText('tbody');
    };
    await expect.poll(scrollOn).toContain(idOf(ORDERS - 1));
    await expect.poll(() => page.innerText('tbody')).not.toContain('…');
    expect(Math.max(...counts, await rows.count())).toBeLessThanOrEqual(ROWS_MAX);
    expect(wrong).toEqual([]);
  });

  it('comes back to the same place', async () => {
    const { page } = await on.enter('/orders');
    const scroller = page.locator('.scroller');
    await page.waitForSelector(`text="${idOf(0)}"`);
    await scrollTo(scroller, 300 * 34);
    await page.click(`a:text-is("${idOf(304)}")`);
    await page.waitForURL(`**/orders/${idOf(304)}`);
    await page.goBack();
    await page.waitForSelector(`text="${idOf(304)}"`);
    await expect.poll(() => scrolled(scroller)).toBe(300 * 34);
  });

  it('is restored beyond its first part, which is all that is loaded at first', async () => {
    const { page } = await on.enter('/orders');
    await page.waitForSelector(`text="${idOf(0)}"`);
    const scroller = page.locator('.scroller');
    const scrollOn = async () => {
      await scrollTo(scroller, 1_200 * 34);
      return page.innerText('tbody');
    };
    await expect.poll(scrollOn).toContain(idOf(1_204));
    await page.click(`a:text-is("${idOf(1_204)}")`);
    await page.waitForURL(`**/orders/${idOf(1_204)}`);
    await page.goBack();
    await page.waitForSelector(`text="${idOf(1_204)}"`);
    await expect.poll(() => scrolled(scroller)).toBe(1_200 * 34);
  });

  it('changes the history a few times a second, which a browser would stop otherwise', async () => {
    const { page } = await on.enter('/orders');
    await page.waitForSelector(`text="${idOf(0)}"`);
    // The driver switches the limit of Chromium off.
    const changes = await page.evaluate(`new Promise((done) => {
      let changes = 0;
      const write = history.replaceState.bind(history);
      history.replaceState = (...given) => { changes += 1; write(...given); };
      const list = document.querySelector('.scroller');
      const begun = performance.now();
      const frame = (time) => {
        list.scrollTop += 7;
        if (time - begun > 1500) done(changes); else requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    })`);
    expect(changes).toBeLessThanOrEqual(5);
    await page.click('nav >> text=Log');
    await page.waitForURL('**/console/log');
  });

  it('is passed over by the keyboard, and says on paper what it shows', async () => {
    const { page } = await on.enter('/orders?asOf=20');
    await page.waitForSelector('.scroller tbody a');
    await page.focus('button:has-text("Copy as curl")');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip the table');
    await page.keyboard.press('Enter');
    const here = 'document.activeElement.textContent';
    expect(await page.evaluate(here)).toBe('End of the table: Orders');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('.scroller')`)).toBeNull();
    await page.emulateMedia({ media: 'print' });
    await page.waitForSelector('.count:visible >> text=as of position 20');
    await page.waitForSelector('.zone:visible >> text=Times in UTC');
    expect(await page.locator(':is(nav, button, select, input):visible').count()).toBe(0);
  });

  it('is filtered by the address, and the address by the filters', async () => {
    const { page, wrong } = await on.enter('/orders?status=cancelled');
    await expect.poll(() => page.innerText('.count')).toBe('10 orders');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(10);
    await page.click('.chips >> text="pending"');
    await page.waitForURL('**/orders?status=pending');
    await expect.poll(() => page.innerText('.count')).toBe('1 290 orders');
    await page.goBack();
    await page.waitForURL('**/orders?status=cancelled');
    await expect.poll(() => page.innerText('.count')).toBe('10 orders');
    await page.fill('[name=petId]', String(FIRST_ID + 7n));
    await page.click('text=Apply');
    await page.waitForURL(`**/orders?status=cancelled&petId=${FIRST_ID + 7n}`);
    await page.waitForSelector(`text="${idOf(5)}"`);
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('Apply');
    await page.fill('[name=petId]', '7.5');
    await page.click('text=Apply');
    await page.waitForSelector('text=An id is a whole number of 64 bits.');
    expect(await page.inputValue('[name=petId]')).toBe('7.5');
    await page.click('text=Highest id first');
    await page.waitForURL('**&order=desc');
    await expect.poll(() => page.inputValue('[name=petId]')).toBe(String(FIRST_ID + 7n));
    expect(await page.locator('text=An id is a whole number').count()).toBe(0);
    expect(await focused()).toBe('Highest id first');
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/orders?status=cancelled');
    await expect.poll(() => page.inputValue('[name=petId]')).toBe('');
    await page.goto(`${on.service.address}/console/orders?petId=1`);
    await page.fill('#key', on.service.key);
    await page.click('text=Use this key');
    await page.waitForSelector('[data-state=no_match]');
    await expectAccessible(page, 'no-match');
    expect(wrong).toEqual([]);
  });

  it('says which parameters of its address it does not use', async () => {
    const { page } = await on.enter(`/orders?petId=12x&x=${'y'.repeat(200)}`);
    await page.waitForSelector('.band >> text=petId=12x');
    await page.waitForSelector('tbody time');
    await expectAccessible(page, 'unused');
    await page.click('.chips >> text="pending"');
    await expect.poll(() => page.locator('.band').count()).toBe(0);
  });

  it('is as of any moment, and says so of one that has not come', async () => {
    const { page } = await on.enter('/orders?asOf=3', on.service.key, REFUSED);
    await expect.poll(() => page.innerText('.count')).toBe('3 orders as of position 3');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    await page.fill('[name=asOf]', '999999');
    await page.click('text=Apply');
    await page.waitForSelector('[data-state=moment_to_come]');
    await expectAccessible(page, 'moment-to-come');
    await page.click('text=Show the orders of now');
    await expect.poll(() => page.innerText('.count')).toBe('1 300 orders');
    await page.fill('[name=asOf]', '2026-02-30 12:00');
    await page.click('text=Apply');
    await page.waitForSelector('[role=alert] >> text=A moment is a position, or a date');
    await page.fill('[name=asOf]', '2021-02-28 12:00');
    await page.click('text=Apply');
    await page.waitForURL('**/orders?asOf=2021-02-28T12%3A00%3A00Z');
  });

  it('leads to the next one only a reader who has waited for it', async () => {
    const { page } = await on.enter(`/orders/${idOf(0)}`);
    const asked = Promise.withResolvers<void>();
    const answering = Promise.withResolvers<void>();
    await page.route('**/v2/store/orders?*', async (route) => {
      asked.resolve();
      await answering.promise;
      await route.continue();
    });
    await page.click('text="Next order"');
    await asked.promise;
    await page.click('nav >> text=Key');
    await page.waitForURL('**/console/key');
    const answered = page.waitForResponse('**/v2/store/orders?*');
    answering.resolve();
    await (await answered).finished();
    await settled(page);
    expect(page.url()).toMatch(/\/console\/key$/);
  });

  it('is downloaded as CSV with all that match', async () => {
    const { page } = await on.enter('/orders?status=cancelled');
    await page.waitForSelector('.count');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Download CSV'),
    ]);
    expect(download.suggestedFilename()).toBe('orders-cancelled.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(11);
    expect(lines[1]).toContain(idOf(0));
  });

  it('drops a key that is refused at the download', async () => {
    const { page } = await on.enter('/orders?status=cancelled');
    await page.waitForSelector('.count');
    await page.route('**/v2/**', (route) => route.fulfill({ status: 401, body: '' }));
    await page.click('text=Download CSV');
    await page.waitForSelector('text=The service no longer accepts the key.');
    await page.waitForSelector('#key');
  });

  it('is copied as a link, and as a command without the key', async () => {
    const { page } = await on.enter('/orders?status=cancelled&order=desc');
    await page.waitForSelector('.count');
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await page.click('text=Copy link');
    await page.waitForSelector('text=Copied');
    expect(await copied()).toBe(page.url());
    await page.click('text=Copy as curl');
    await expect.poll(copied).toContain('v2/store/orders?status=cancelled&order=desc');
    expect(await copied()).toContain('Bearer $KEY');
    expect(await copied()).not.toContain(on.service.key);
  });

  it('counts down while the service is busy, and goes on by itself', async () => {
    const { page, wrong } = await on.enter('/key', on.service.key, REFUSED);
    const busy = { code: 'service_unavailable', message: 'The service is starting.', status: 503 };
    await page.route('**/v2/store/**', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'Retry-After': '600', 'Content-Type': 'application/json' },
        body: JSON.stringify(busy),
      }),
    );
    await page.click('nav >> text=Orders');
    await page.waitForSelector('[data-state=busy]');
    const left = async () => Number(await page.innerText('.countdown'));
    const before = await left();
    expect(before).toBeLessThanOrEqual(600);
    await expect.poll(left).toBeLessThan(before);
    // A screen reader would read the alert every second.
    const live = `document.querySelector('.countdown').closest('[aria-live], [role=alert]')`;
    expect(await page.evaluate(`${live}.ariaLive`)).toBe('off');
    await expectAccessible(page, 'busy');
    await page.unroute('**/v2/store/**');
    await page.click('text=Try now');
    await expect.poll(() => page.innerText('.count')).toBe('1 300 orders');
    expect(wrong).toEqual([]);
  });

  it('explains what no longer exists', async () => {
    const { page, wrong } = await on.enter('/key', on.service.key, REFUSED);
    const gone = { code: 'gone', message: 'That part of the log was dropped.', status: 410 };
    await page.route('**/v2/store/orders**', (route) =>
      route.fulfill({
        status: 410,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(gone),
      }),
    );
    await page.click('nav >> text=Orders');
    await page.waitForSelector('[data-state=gone] >> text=That part of the log was dropped.');
    expect(await page.innerText('[data-state=gone] h2')).toBe('This no longer exists');
    await expectAccessible(page, 'gone');
    await page.unroute('**/v2/store/orders**');
    await page.click('nav >> text=Key');
    await page.click('nav >> text=Orders');
    await expect.poll(() => page.innerText('.count')).toBe('1 300 orders');
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('One order', () => {
  it('shows its state, its events, who did them, and the bytes that are stored', async () => {
    const { page, wrong } = await on.enter(`/orders/${idOf(0)}`);
    await page.waitForSelector('.timeline li >> nth=1');
    expect(await page.locator('.timeline h3 .badge').allInnerTexts()).toEqual([
      'OrderPlaced',
      'OrderCancelled',
    ]);
    expect(await page.innerText('.timeline li >> nth=1')).toMatch(/later\s[\s\S]*By\s+import/);
    expect(await page.locator('.cancel').count()).toBe(0);
    await page.click('text=Unfold all');
    await page.waitForSelector('pre.stored >> nth=1');
    const record = JSON.parse(await page.innerText('pre.stored >> nth=0'));
    expect(record).toMatchObject({ position: 1, data: { orderId: idOf(0) }, type: 'OrderPlaced' });
    await expectAccessible(page, 'order');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text="Download receipt"'),
    ]);
    const receipt = readFileSync(await download.path());
    const { body } = await on.service.ask('GET', `/v2/store/orders/${idOf(0)}/receipt`);
    expect(JSON.parse(receipt.toString()).record).toBe(JSON.parse(body.toString()).record);
    expect(wrong).toEqual([]);
  });

  it('has events of a newer service too, without a state that nobody knows', async () => {
    const { page, wrong } = await on.open(`/orders/${idOf(0)}`);
    await page.route('**/events', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"OrderCancelled"', '"OrderReturned"');
      await route.fulfill({ response, body });
    });
    await typeKey(page, on.service.key);
    await page.waitForSelector('.timeline li >> nth=1 >> text=OrderReturned');
    await page.waitForSelector('.timeline li >> nth=1 >> [data-state=unknown]');
    await expectAccessible(page, 'newer-event');
    expect(wrong).toEqual([]);
  });

  it('has its ids in their order beside a name that is written from right to left', async () => {
    const { page, wrong } = await on.open(`/orders/${idOf(20)}`);
    await page.route('**/events', async (route) => {
      const response = await route.fetch();
      const events = (await response.json()) as object[];
      const json = events.map((event) => ({ ...event, keyname: 'אבג 12 (34)', by: '6XKoHoquB6' }));
      await route.fulfill({ response, json });
    });
    await typeKey(page, on.service.key);
    await page.waitForSelector('.timeline bdi');
    const [name, ...lefts] = (await page.evaluate(`(() => {
      const id = document.querySelector('.timeline bdi + code').firstChild;
      return [document.querySelector('.timeline bdi'), ...id.data].map((each, at) => {
        const range = document.createRange();
        if (at === 0) range.selectNodeContents(each);
        else range.setStart(id, at - 1), range.setEnd(id, at);
        return range.getBoundingClientRect().left;
      });
    })()`)) as number[];
    expect([name, ...lefts]).toEqual(
      [name, ...lefts].toSorted((one, other) => Number(one) - Number(other)),
    );
    expect(lefts).toHaveLength(10);
    expect(wrong).toEqual([]);
  });

  it('is copied as raw JSON, exactly as the service sent it', async () => {
    const { page } = await on.enter(`/orders/${idOf(20)}`);
    await page.click('text=Copy raw JSON');
    const { text } = await on.service.ask('GET', `/v2/store/orders/${idOf(20)}`);
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text);
  });

  it('is cancelled only if changes are allowed and its id is typed', async () => {
    const id = idOf(30);
    const { page, wrong } = await on.enter(`/orders/${id}`);
    await page.waitForSelector('text=press “Allow changes” above first');
    expect(await page.locator('.cancel').count()).toBe(0);
    await page.click('text=Allow changes');
    const button = page.locator(`text=Cancel order ${id}`);
    expect(await button.isDisabled()).toBe(true);
    await page.fill('[name=typed]', idOf(31));
    expect(await button.isDisabled()).toBe(true);
    await page.fill('[name=typed]', id);
    await page.selectOption('[name=reason]', 'duplicate');
    await expectAccessible(page, 'cancel');
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.method() === 'PUT'),
      button.click(),
    ]);
    expect(request.headers()['if-match']).toMatch(/^".+"$/);
    await page.waitForSelector('text=/Cancelled, at position \\d+\\./');
    await page.waitForSelector('.timeline li >> nth=1');
    expect(await page.locator('.cancel').count()).toBe(0);
    const { text } = await on.service.ask('GET', `/v2/store/orders/${id}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'cancelled', cancelReason: 'duplicate' });
    expect(wrong).toEqual([]);
  });

  it('explains a refusal, with the state as it is now', async () => {
    const id = idOf(40);
    const { page } = await on.enter(`/orders/${id}`, on.service.key, REFUSED);
    await page.click('text=Allow changes');
    await page.fill('[name=typed]', id);
    const body = { shipDate: '2026-03-04T05:06:07Z' };
    await on.service.send('PUT', `/v2/store/orders/${id}/shipment`, body);
    await page.click(`text=Cancel order ${id}`);
    await page.waitForSelector('text=Not cancelled (409): the order has shipped');
    await expect.poll(() => page.innerText('.facts >> nth=0')).toContain('shipped');
    expect(await page.locator('.cancel').count()).toBe(0);
    await expectAccessible(page, 'refused');
  });

  it('says which scope the rest of it needs', async () => {
    const { page, wrong } = await on.enter(`/orders/${idOf(50)}`, reader);
    await page.waitForSelector('[data-state=scope_missing] >> text=audit:read');
    expect(await page.innerText('.facts')).toContain('pending');
    expect(await page.locator('text=Allow changes').count()).toBe(0);
    expect(await page.locator('text=Download receipt').count()).toBe(0);
    await expectAccessible(page, 'order-scope');
    expect(wrong).toEqual([]);
  });

  it('says that there is none', async () => {
    const { page } = await on.enter('/orders/12345', on.service.key, REFUSED);
    await page.waitForSelector('[data-state=not_found]');
    await expectAccessible(page, 'no-order');
  });
});

describe.skipIf(CHROMIUM === undefined)('The number of orders', () => {
  it('is that of the list once its end is there, also if others have changed orders meanwhile', async () => {
    const { page, wrong } = await on.enter(`/orders?status=pending&fromId=${idOf(20)}`);
    await page.waitForSelector('.count >> text="500 orders and more"');
    await page.click('text="cancelled"');
    await page.waitForSelector('.count >> text=/^\\d+ orders$/');
    await page.goto(`${on.service.address}/console/orders?status=pending`);
    await typeKey(page, on.service.key);
    await page.waitForSelector('.count >> text=/^1 2\\d\\d orders$/');
    await using beside = new Beside(on.service.databaseFile);
    const cancelled = Array.from({ length: 300 }, (_, index) => FIRST_ID + BigInt(900 + index));
    await beside.submit(cancelled.map((orderId) => ({ type: 'CancelOrder', orderId }) as never));
    const isAtEnd = async () => {
      await scrollTo(page.locator('.scroller'), Number.MAX_SAFE_INTEGER);
      return Number(await page.getAttribute('table.orders', 'aria-rowcount'));
    };
    await expect.poll(isAtEnd).toBeGreaterThan(0);
    const shown = (await isAtEnd()) - 1;
    expect(shown).toBeLessThan(1_000);
    await expect.poll(() => page.innerText('.count')).toBe(`${shown} orders`);
    expect(wrong).toEqual([]);
  });
});
