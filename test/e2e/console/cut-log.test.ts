import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM } from '../../support/chromium.ts';
import { backUp, restore } from '../../support/restored-backup.ts';
import type { Service } from '../../support/service.ts';
import { browsing, expectAccessible } from './visit.ts';

/** The events before the cut, those that were lost by it, and those that took their positions. */
const [KEPT, LOST, NEW] = [300, 50, 80];
const END = KEPT + NEW;
const REFUSED = /status of|ERR_/;

async function place({ databaseFile }: Service, first: number, count: number): Promise<void> {
  await using beside = new Beside(databaseFile);
  await beside.place(Array.from({ length: count }, (_, index) => ({ id: BigInt(first + index) })));
}

const on = browsing(async (service) => {
  await place(service, 1, KEPT);
  await backUp(service);
  await place(service, 1_001, LOST);
});

/** Restores the backup, and records other events at the positions that were lost. */
async function cut(service: Service): Promise<void> {
  await restore(service);
  await place(service, 2_001, NEW);
}

describe.skipIf(CHROMIUM === undefined)('A log that is cut while pages are open', () => {
  it('is shown as it is now, live, without a reload', async () => {
    const open = async (path: string) => (await on.enter(path, on.service.key, REFUSED)).page;
    const log = await open('/log');
    const overview = await open('');
    const travel = await open(`/travel?at=${KEPT + 20}`);
    const orders = await open('/orders');
    for (const page of [log, overview]) await page.waitForSelector('[data-tail=live]');
    await travel.waitForSelector(`tbody a >> text="1"`);
    await orders.waitForSelector('.count');
    await cut(on.service);
    await expect.poll(() => log.innerText('tbody tr >> nth=0')).toContain(`${2_000 + NEW}`);
    await expect.poll(() => overview.innerText('.newest li >> nth=0')).toContain(`${2_000 + NEW}`);
    for (const page of [log, overview]) await page.waitForSelector('[data-tail=live]');
    await travel.click('text=Reload');
    await travel.waitForSelector('text=Since then');
    expect(await travel.innerText('[data-since]')).toContain(`all ${NEW - 20}`);
    await orders.fill('[name=asOf]', `${KEPT + 20}`);
    await orders.keyboard.press('Enter');
    await orders.waitForSelector(`.count >> text=as of position ${KEPT + 20}`);
  });
});

describe.skipIf(CHROMIUM === undefined)('A log that was cut', () => {
  it('refuses the cancellation of an order as it was seen before (412)', async () => {
    const { page } = await on.enter('/orders/7', on.service.key, REFUSED);
    await page.click('text=Allow changes');
    await page.fill('[name=typed]', '7');
    await cut(on.service);
    await page.click('text=Cancel order 7');
    await page.waitForSelector('text=Not cancelled (412)');
    await expect.poll(() => page.innerText('.facts >> nth=0')).toContain('pending');
    await expectAccessible(page, 'precondition-failed');
  });

  it('is shown by the log, live, from both ends and by position', async () => {
    const { page, wrong } = await on.enter('/log');
    await page.waitForSelector('[data-tail=live]');
    const newest = page.locator('tbody tr >> nth=0');
    await expect.poll(() => newest.innerText()).toMatch(new RegExp(`^${END}\\b`));
    await on.service.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    await expect.poll(() => newest.innerText()).toMatch(new RegExp(`^${END + 1}\\b`));
    await page.fill('#search', `#${KEPT + 20}`);
    await page.keyboard.press('Enter');
    const row = page.locator(`tbody tr:has(td:text-is("${KEPT + 20}"))`);
    await expect.poll(() => row.innerText()).toContain('2020');
    await page.click('text="OrderPlaced"');
    await page.waitForSelector('tbody td >> text="1"');
    expect(wrong).toEqual([]);
  });

  it('shows the stored bytes of an event there, and the orders as of one', async () => {
    const { page, wrong } = await on.enter('/orders/2020');
    await page.click('text=Unfold all');
    await page.waitForSelector('pre.stored');
    const record = JSON.parse(await page.innerText('pre.stored'));
    expect(record.position).toBe(KEPT + 20);
    await page.goto(`${on.service.address}/console/travel?at=${KEPT + 20}`);
    await page.fill('#key', on.service.key);
    await page.click('text=Use this key');
    await page.waitForSelector(`text=Orders as of position ${KEPT + 20}`);
    await page.waitForSelector('.band.past');
    expect(wrong).toEqual([]);
  });

  it('says that a position is lost', async () => {
    const { page } = await on.enter(`/log?at=0:${KEPT + 20}`, on.service.key, REFUSED);
    await page.waitForSelector('[role=alert] >> text=is lost: the log was cut at position 300');
  });
});
