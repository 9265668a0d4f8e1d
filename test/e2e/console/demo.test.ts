import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../../support/chromium.ts';
import { addressOf, newFolder, type Program, start } from '../../support/service.ts';
import { expectAccessible, problemsOf, typeKey } from './visit.ts';

const TIMEOUT_MS = 120_000;

let program: Program;
let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  program = start(['demo'], newFolder(), { PORT: '0' });
  const args = ['--no-sandbox', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
});
afterAll(async () => {
  await browser?.close();
  await program?.end();
});

describe.skipIf(CHROMIUM === undefined)('The demo in the console', () => {
  it('shows a year, with the key that the start printed, at the address that it named', async () => {
    const address = await addressOf(program);
    const key = await program.until(({ stderr }) => /sto_\w+(?=\n)/.exec(stderr)?.[0]);
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const wrong = problemsOf(page, address, /^$/);
    await page.goto(address);
    await page.click('text="Console"');
    await page.waitForURL(`${address}/console`);
    await typeKey(page, key);
    await page.waitForSelector('[data-tail=live]');
    await expectAccessible(page, 'demo-overview');
    await page.click('nav >> text=Time travel');
    await page.waitForSelector('table.orders');
    expect(await page.locator('.chart rect').count()).toBeGreaterThan(360);
    await page.click('text="−1 day"');
    await page.waitForSelector('.band.past');
    await page.fill('[name=position]', '2500');
    await page.click('text=Go to position');
    await page.waitForSelector('text=Orders as of position 2 500');
    await page.waitForSelector('tbody td >> text="2501"');
    await expectAccessible(page, 'demo-travel');
    await page.click('nav >> text=Log');
    await page.waitForSelector('td >> text=warehouse north');
    expect(wrong).toEqual([]);
  });
});
