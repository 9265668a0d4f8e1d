import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { isNightly } from '../../support/nightly.ts';
import { browsing, expectAccessible, settled } from './visit.ts';

const EVENTS = 700;
/**
 * At night one more than the connections that a browser opens to an address over HTTP/1.1. By day a few,
 * of which one alone may have a stream.
 */
const TABS = isNightly ? 7 : 3;

let reader = '';
const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: EVENTS }, (_, index) => BigInt(index + 1));
  await beside.place(ids.map((id) => ({ id })));
  reader = await beside.addKey(['orders:read']);
});
const place = () => on.service.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });

describe.skipIf(CHROMIUM === undefined)('The log', () => {
  it('shows the newest events first, and those that arrive, marked as new', async () => {
    const { page, wrong } = await on.enter('/log');
    const newest = page.locator('tbody tr >> nth=0');
    await page.waitForSelector('[data-tail=live]');
    const before = Number((await newest.innerText()).split(/\s/)[0]);
    await place();
    await expect.poll(() => newest.innerText()).toMatch(new RegExp(`^${before + 1}\\b`));
    expect(await newest.getAttribute('class')).toBe('new');
    await expectAccessible(page, 'log');
    await page.click('text="Pause"');
    await place();
    await page.waitForSelector('text="Show 1 new"');
    expect(await newest.innerText()).toMatch(new RegExp(`^${before + 1}\\b`));
    await page.focus('text="Show 1 new"');
    await page.keyboard.press('Enter');
    await expect.poll(() => newest.innerText()).toMatch(new RegExp(`^${before + 2}\\b`));
    // Not disabled, so that it keeps the focus.
    expect(await page.locator('text="Show 0 new"').isDisabled()).toBe(true);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show 0 new');
    // The count begins again with each list.
    expect(await page.innerText('.arrived')).toBe('2 came since this list was loaded');
    expect(wrong).toEqual([]);
  });

  it('is live in more tabs than a browser opens connections, and goes on in one that was hidden', async () => {
    const visits: Awaited<ReturnType<typeof on.enter>>[] = [];
    for (let tab = 0; tab < TABS; tab += 1) {
      const visit = await on.enter('/log');
      await visit.page.waitForSelector('[data-tail=live]');
      visits.push(visit);
    }
    const streams = async () => {
      const { text } = await on.service.ask('GET', '/metrics');
      return Number(/^store_orders_event_streams (\d+)$/m.exec(text)?.[1]);
    };
    await expect.poll(streams).toBe(1);
    // The first one has the stream: another one goes on with it.
    const first = visits[0]?.page as Page;
    const show = (isShown: boolean) =>
      first.evaluate(`Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await show(false);
    const { text } = await place();
    const row = `tbody >> text="${JSON.parse(text).id}"`;
    for (const { page } of visits.slice(1)) await page.waitForSelector(row);
    expect(await first.locator(row).count()).toBe(0);
    await show(true);
    await first.waitForSelector(row);
    expect(visits.flatMap(({ wrong }) => wrong)).toEqual([]);
  });

  it('leads to a position, and filters by type', async () => {
    const { page, wrong } = await on.enter('/log');
    await page.fill('#search', '#500');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log?order=oldest&at=500&paused=');
    await page.waitForSelector('tbody td >> text="500"');
    await page.click('text="OrderCancelled"');
    await page.waitForSelector('[data-state=no_match]');
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('OrderCancelled');
    await page.click('.chips >> text="OrderPlaced"');
    await page.waitForSelector('tbody td >> text="1"');
    expect(await focused()).toBe('OrderPlaced');
    await page.click('text="Oldest first"');
    await page.waitForURL('**/log?paused=&type=OrderPlaced');
    await page.waitForSelector('tbody td >> text="1"', { state: 'detached' });
    expect(await focused()).toBe('Oldest first');
    expect(wrong).toEqual([]);
  });

  it('leads to one position after the other, also to one that has just come', async () => {
    const { page, wrong } = await on.enter('/log');
    const seek = async (position: number) => {
      await page.fill('#search', `#${position}`);
      await page.keyboard.press('Enter');
    };
    const row = (position: number) => page.waitForSelector(`tbody td >> text="${position}"`);
    for (const position of [500, 100, 400]) {
      await seek(position);
      await row(position);
    }
    await page.goBack();
    await row(100);
    const { headers } = await place();
    await page.waitForSelector('text="Show 1 new"');
    await seek(Number(headers['event-position']));
    await row(Number(headers['event-position']));
    // It stands still, also at its beginning, which is another place than that of the address.
    await page.focus('.scroller');
    await page.keyboard.press('Home');
    await row(1);
    await place();
    await page.waitForSelector('text="Show 1 new"');
    await settled(page);
    expect(await page.evaluate('document.querySelector(".scroller").scrollTop')).toBe(0);
    await seek(999_999_999);
    await page.waitForSelector('[data-state=moment_to_come]');
    expect(wrong.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('finds the events of a request or command, and leads from a time to the past', async () => {
    const { page, wrong } = await on.enter('/log?order=oldest&paused=');
    const { headers } = await place();
    const requestId = String(headers['x-request-id']);
    const seek = async (text: string) => {
      await page.fill('#search', text);
      await page.keyboard.press('Enter');
    };
    await seek(requestId);
    await page.waitForURL(`**/log?commandId=${requestId}`);
    const rows = page.locator('tbody tr td:first-child');
    await expect.poll(() => rows.count()).toBe(1);
    await page.locator('tbody a').click();
    await page.waitForSelector('.timeline');
    await page.click(`.timeline >> text=${requestId}`);
    await page.waitForURL(`**/log?commandId=${requestId}`);
    await page.click('text=✕');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    await seek(requestId.replace(/^../, requestId.startsWith('0') ? '1a' : '0a'));
    await page.waitForSelector('[data-state=no_match]');
    await expectAccessible(page, 'log-no-match');
    await seek('2030-01-01 12:00');
    await page.waitForURL('**/travel?asOf=2030-01-01T12%3A00%3A00Z');
    await page.waitForSelector('[role=alert] >> text=in the future');
    expect(wrong.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('leads to the first event at or after a moment', async () => {
    const { page, wrong } = await on.enter('/log');
    const go = async (moment: string) => {
      await page.fill('[name=moment]', moment);
      await page.click('text=Go to moment');
    };
    await go('2999-01-01T00:00:00');
    await page.waitForSelector('[role=alert] >> text=in the future');
    await go('2021-01-01T00:00:00');
    await page.waitForURL('**/log?order=oldest&at=1&paused=');
    await page.waitForSelector('tbody td >> text="1"');
    expect(wrong.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('is downloaded as NDJSON and as CSV, with all that match', async () => {
    const { page, wrong } = await on.enter('/log?type=OrderPlaced');
    for (const format of ['NDJSON', 'CSV']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`text=Download ${format}`),
      ]);
      expect(download.suggestedFilename()).toBe(`events-OrderPlaced.${format.toLowerCase()}`);
      const lines = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n');
      const events = lines.length - (format === 'CSV' ? 1 : 0);
      expect(events).toBeGreaterThanOrEqual(EVENTS);
      expect(lines.at(-1)).toContain(format === 'CSV' ? 'OrderPlaced' : '"type":"OrderPlaced"');
      await page.waitForSelector(`text=Downloaded: ${events} events`);
    }
    expect(wrong).toEqual([]);
  });

  it('is read by the keyboard: j and k move, Enter opens, [ and ] go to other orders', async () => {
    const { page, wrong } = await on.enter('/log?order=oldest&paused=');
    await page.waitForSelector('tbody td >> text="1"');
    await page.click('h1');
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/orders/2');
    await page.waitForSelector('.timeline');
    await page.click('h1');
    await page.keyboard.press(']');
    await page.waitForURL('**/orders/3');
    await page.waitForSelector('.timeline');
    await page.keyboard.press('[');
    await page.waitForURL('**/orders/2');
    await page.waitForSelector('.timeline');
    await page.click('text=Previous order');
    await page.waitForURL('**/orders/1');
    await page.waitForSelector('.timeline');
    await page.click('text=Previous order');
    await page.waitForSelector('text=This is the first order.');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog >> text=Next and previous row');
    expect(wrong).toEqual([]);
  });

  it('needs a scope, and says which', async () => {
    const { page, wrong } = await on.enter('/log', reader);
    await page.waitForSelector('[data-state=scope_missing] >> text=audit:read');
    await expectAccessible(page, 'log-scope');
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('The overview', () => {
  it('shows the numbers, the head, a checkpoint, the health and the newest events', async () => {
    const { page, wrong } = await on.enter('');
    await page.waitForSelector('[data-figure=health] >> text=Ready');
    await page.waitForSelector('[data-tail=live]');
    await expect.poll(() => page.innerText('[data-figure=checkpoint]')).toMatch(/^7\d\d/);
    expect(await page.innerText('[data-figure=rate]')).toMatch(/in the last whole minute/);
    await expectAccessible(page, 'overview');
    expect(wrong).toEqual([]);
  });

  it('works with orders:read alone as far as that goes', async () => {
    const { page, wrong } = await on.enter('', reader);
    await page.waitForSelector('[data-figure=head]');
    await page.waitForSelector('[data-state=scope_missing] >> text=audit:read');
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('A stream that is lost', () => {
  it('is opened again, and catches up without a gap or a double', async () => {
    const { page } = await on.enter('/log', on.service.key, /ERR_|status of/);
    await page.waitForSelector('[data-tail=live]');
    const { port } = new URL(on.service.address);
    await on.service.program.end('SIGKILL');
    await page.waitForSelector('[data-tail=lost]');
    await on.service.start({ PORT: port });
    await place();
    await page.waitForSelector('[data-tail=live][data-gap]');
    await page.waitForSelector('tr.new');
    const rows = await page.locator('tbody tr').allInnerTexts();
    const positions = rows.slice(0, 5).map((row) => Number(row.split(/\s/)[0]));
    const [first = 0] = positions;
    expect(positions).toEqual([0, 1, 2, 3, 4].map((back) => first - back));
  });
});
