import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { Order } from '../../../src/client/client.ts';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { isNightly } from '../../support/nightly.ts';
import { start } from '../../support/service.ts';
import { browsing, expectAccessible } from './visit.ts';

/** Few enough for all rows to be in the page. */
const ORDERS = 24;
const ROUNDS = 4;
/** The random positions at which the page is compared with a replay. */
const ROUNDS_OF_REPLAY = isNightly ? 5 : 2;
/** More than the slider rests before its moment is loaded. */
const AFTER_REST_MS = 500;

let reader = '';
let head = 0;
const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, index) => 2n ** 60n + BigInt(index));
  const commands = shuffled(ids.flatMap((id) => commandsOf(id)));
  // In several batches, so that the recorded times differ.
  for (let round = 0; round < ROUNDS; round += 1) {
    const share = commands.length / ROUNDS;
    await beside.submit(commands.slice(round * share, (round + 1) * share));
  }
  head = await beside.head();
  reader = await beside.addKey(['orders:read']);
});

/** Commands of a random history: some of them are refused where they come before their order. */
function commandsOf(orderId: bigint): Submission['command'][] {
  const shipDate = new Date(Date.now() + Math.floor(Math.random() * 1e9)).toISOString();
  const placed = { type: 'PlaceOrder', orderId, petId: orderId + 1n, quantity: 2, shipDate };
  const ends = [
    { type: 'ShipOrder', orderId, shipDate },
    { type: 'CancelOrder', orderId, reason: 'other' },
  ];
  const end = ends[Math.floor(Math.random() * 3)] ?? { ...placed };
  return [placed, end, end, end] as unknown as Submission['command'][];
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}

/** Returns the list that `store-orders replay` makes of the log up to a position. */
async function replayed(position: number): Promise<readonly Order[]> {
  const { folder, databaseFile } = on.service;
  const args = ['replay', '--to', String(position), '--format', 'ndjson'];
  await using program = start(args, folder, { DATABASE_URL: `sqlite:${databaseFile}` });
  expect(await program.ended()).toBe(0);
  const lines = program.stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Order);
}

const digits = (instant: string) => instant.slice(0, 19).replace('T', ' ');

/** Returns the orders that the page shows, in the words of the table. */
async function shownOn(page: Page): Promise<readonly string[]> {
  await expect.poll(() => page.innerText('main')).not.toMatch(/Loading|…/);
  // In one call: one for each cell takes most of the time of a test.
  return page.locator('table.orders tbody tr').evaluateAll((rows) => {
    type Row = { cells: Iterable<{ innerText: string }> };
    return (rows as unknown as Row[]).map(({ cells }) =>
      Array.from(cells, ({ innerText }) => innerText).join(' '),
    );
  });
}

describe.skipIf(CHROMIUM === undefined)('Time travel', () => {
  it('shows the orders that a replay of the log makes, at random positions', async () => {
    expect(head).toBeGreaterThan(ORDERS);
    for (let round = 0; round < ROUNDS_OF_REPLAY; round += 1) {
      const position = 1 + Math.floor(Math.random() * (head - 1));
      const { page, wrong } = await on.enter(`/travel?at=${position}`);
      await page.waitForSelector('.band.past');
      await page.waitForSelector('table.orders tbody tr');
      const orders = await replayed(position);
      await expect.poll(async () => (await shownOn(page)).length).toBe(orders.length);
      const rows = await shownOn(page);
      for (const [index, order] of orders.entries()) {
        const { id, status, petId, quantity, placedAt, shipDate = '' } = order;
        expect(rows[index]).toContain(`${id} ${status} ${petId} ${quantity} ${digits(placedAt)}`);
        expect(rows[index]).toContain(digits(shipDate));
      }
      const then = await page.locator('table.plain tbody td:nth-child(2)').allInnerTexts();
      const of = (status: string) => orders.filter((order) => order.status === status).length;
      const counts = [of('pending'), of('shipped'), of('cancelled'), orders.length].map(String);
      expect(then).toEqual(counts);
      expect(await page.innerText('[data-since] .chips >> button >> nth=0')).toBe(
        `all ${head - position}`,
      );
      expect(wrong).toEqual([]);
    }
  });

  it('goes to a moment by the slider, by steps and by fields, and the address follows', async () => {
    const { page, wrong } = await on.enter('');
    await page.click('h1');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.waitForURL('**/console/travel');
    const slider = page.locator('input[type=range]');
    await expect.poll(() => slider.inputValue()).toBe(String(head));
    expect(await page.locator('.band.past').count()).toBe(0);
    await expectAccessible(page, 'travel-now');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**/travel?at=${head - 2}`);
    await page.waitForSelector('.band.past');
    await page.click('text="−1 event"');
    await page.waitForURL(`**/travel?at=${head - 3}`);
    await page.click('text="+1 event"');
    await page.waitForURL(`**/travel?at=${head - 2}`);
    await page.waitForSelector('table.orders');
    await expectAccessible(page, 'travel');
    await page.fill('[name=position]', '2');
    await page.click('text=Go to position');
    await page.waitForURL('**/travel?at=2');
    await page.focus('text="−1 event"');
    for (const at of [1, 0]) {
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/travel?at=${at}`);
    }
    await page.waitForSelector('.band.past >> text=/position 0,/');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('−1 event');
    await page.fill('[name=position]', '02');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/travel?at=2');
    await expect.poll(() => page.inputValue('[name=position]')).toBe('2');
    expect(await page.evaluate('document.activeElement.name')).toBe('position');
    await page.fill('[name=position]', '99999999');
    await page.click('text=Go to position');
    await page.waitForSelector(`text=A position is a whole number up to ${head}.`);
    await page.waitForSelector('.band.past >> text=/position 2,/');
    await page.click('text="+1 event"');
    await page.waitForSelector('.band.past >> text=/position 3,/');
    expect(await page.innerText('.travel [role=alert]')).toBe('');
    for (const text of ['', '0x1', '1e0']) {
      await page.fill('[name=position]', text);
      await page.click('text=Go to position');
      await page.waitForSelector(`text=A position is a whole number up to ${head}.`);
      await page.waitForURL('**/travel?at=3');
    }
    await page.click('text="−1 event"');
    await page.waitForSelector('.band.past >> text=/position 2,/');
    await page.click('text="−1 day"');
    await page.waitForURL('**/travel?asOf=*');
    await page.waitForSelector('[data-state=no_orders]');
    await page.waitForSelector('.band.past >> text=before the first event');
    // Back to the time of the second event, and of those that were recorded with it.
    await page.click('text="+1 day"');
    await page.waitForSelector('[data-state=no_orders]', { state: 'detached' });
    await page.waitForSelector('table.orders tbody tr');
    await page.fill('[name=moment]', '2021-05-06T07:08:09');
    await page.click('text=Go to moment');
    await page.waitForURL('**/travel?asOf=2021-05-06T07%3A08%3A09Z');
    await page.click('text=Back to now');
    await page.waitForURL('**/console/travel');
    await page.waitForSelector('.band.past', { state: 'detached' });
    expect(wrong).toEqual([]);
  });

  it('counts each step, also in the moment in which the one before is loaded', async () => {
    const { page, wrong } = await on.enter('/travel?at=5');
    await page.waitForSelector('.band.past >> text=/position 5,/');
    await page.evaluate(stepTwiceAt(4));
    await page.click('text="−1 event"');
    await page.waitForURL('**/travel?at=2');
    await page.waitForSelector('.band.past >> text=/position 2,/');
    expect(await page.locator('input[type=range]').inputValue()).toBe('2');
    expect(wrong).toEqual([]);
  });

  it('counts a step from where the slider was dragged to, and rests there', async () => {
    const { page, wrong } = await on.enter('/travel?at=5');
    await page.waitForSelector('.band.past >> text=/position 5,/');
    await page.focus('input[type=range]');
    await page.evaluate(dragAndStep(9));
    await page.waitForSelector('.band.past >> text=/position 8,/');
    await page.waitForTimeout(AFTER_REST_MS);
    expect(page.url()).toMatch(/travel\?at=8$/);
    expect(wrong).toEqual([]);
  });

  it('leads to an order as of then, which cannot be cancelled there', async () => {
    const [order] = (await replayed(head)).filter(({ status }) => status === 'cancelled');
    const { text } = await on.service.ask('GET', `/v2/store/orders/${order?.id}/events`);
    const [placed, cancelled] = JSON.parse(text) as readonly { position: number }[];
    const then = Number(cancelled?.position) - 1;
    const { page, wrong } = await on.enter(`/travel?at=${then}`);
    await page.click('text=Allow changes');
    await page.click(`table.orders a:text-is("${order?.id}")`);
    await page.waitForURL(`**/orders/${order?.id}?at=${then}`);
    await expect.poll(() => page.innerText('.facts >> nth=0')).toContain('pending');
    expect(await page.locator('.cancel').count()).toBe(0);
    expect(await page.locator('.timeline li').count()).toBe(1);
    await page.waitForSelector('[data-later="1"]');
    await expectAccessible(page, 'order-of-then');
    await page.click('text=Back to now');
    await page.waitForURL(`**/orders/${order?.id}`);
    await expect.poll(() => page.innerText('.facts >> nth=0')).toContain('cancelled');
    expect(wrong).toEqual([]);
    const before = Number(placed?.position) - 1;
    const early = await on.enter(`/orders/${order?.id}?at=${before}`);
    await early.page.waitForSelector('[data-state=not_placed]');
  });

  it('works with orders:read alone as far as that goes', async () => {
    const { page, wrong } = await on.enter('/travel?at=3', reader);
    await page.waitForSelector('.band.past');
    await page.waitForSelector('table.orders tbody tr');
    await page.waitForSelector('[data-state=scope_missing] >> text=audit:read');
    expect(wrong).toEqual([]);
  });

  it('says that a moment has not come', async () => {
    const refused = /status of 400/;
    const { page } = await on.enter('/travel?at=99999999', on.service.key, refused);
    await page.waitForSelector('[data-state=moment_to_come]');
    await expectAccessible(page, 'travel-to-come');
  });

  it('compares with a now that is not behind then, in a store that grows', async () => {
    const place = () => on.service.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    const { page, wrong } = await on.enter('/travel?at=2');
    await page.waitForSelector('.band.past');
    const orders = await replayed(head);
    await place();
    await place();
    await page.click('text=Back to now');
    await page.waitForSelector('.band.past', { state: 'detached' });
    const cells = page.locator('table.plain tbody tr:last-child td');
    const all = String(orders.length + 2);
    await expect.poll(() => cells.allInnerTexts()).toEqual([all, all, '0']);
    await place();
    await place();
    await page.fill('[name=position]', `${head + 3}`);
    await page.click('text=Go to position');
    await page.waitForURL(`**/travel?at=${head + 3}`);
    const [then, now] = [orders.length + 3, orders.length + 4].map(String);
    await expect.poll(() => cells.allInnerTexts()).toEqual([then, now, '+1']);
    expect(wrong).toEqual([]);
  });
});

const STEP =
  "[...document.querySelectorAll('.travel button')].find((each) => each.textContent === '−1 event').click()";

/** Steps back twice as soon as the page shows a position, before anything in it waits for the next frame. */
function stepTwiceAt(position: number): string {
  return `
    const seen = new MutationObserver(() => {
      const text = document.querySelector('.band.past')?.textContent ?? '';
      if (!text.includes('position ${position},')) return;
      seen.disconnect();
      ${STEP};
      setTimeout(() => ${STEP});
    });
    seen.observe(document.body, { subtree: true, childList: true, characterData: true });`;
}

/** Drags the slider to a position, and steps back at once. */
function dragAndStep(position: number): string {
  return `
    const slider = document.querySelector('input[type=range]');
    slider.value = '${position}';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    setTimeout(() => ${STEP});`;
}
