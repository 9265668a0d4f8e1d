import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchChromium } from '../../support/chromium.ts';
import { partByDay } from '../../support/nightly.ts';
import { addressOf, newFolder, type Program, start } from '../../support/service.ts';
import { expectAccessible, problemsOf, typeKey } from './visit.ts';

/** The folder for the pictures of docs/console.md: `npm run screenshots` makes them anew. */
const pictures = process.env.PICTURES ?? newFolder();

const TIMEOUT_MS = 120_000;

let program: Program;
let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  program = start(['demo'], newFolder(), { PORT: '0' });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await program?.end();
});

/** The pages in docs/console.md, each with what shows that it is there. */
const PAGES: readonly (readonly [name: string, path: string, shown: string])[] = [
  ['overview', '', '[data-tail=live]'],
  ['orders', '/orders?status=cancelled', 'tbody a'],
  ['order', '/orders/2', 'text=Timeline'],
  ['log', '/log', '[data-tail=live]'],
  ['time-travel', '/travel?at=2500', 'text=Orders as of position 2 500'],
  ['proof', '/key', '.proof'],
  ['key', '/key', 'text=orders:cancel'],
];

/** Goes from an order to the proof of its first event, and verifies it. */
async function showProof(page: Page): Promise<void> {
  await page.fill('#search', '2');
  await page.keyboard.press('Enter');
  await page.click('text=Unfold all');
  await page.click('text="Verify the receipt" >> nth=0');
  await page.click('text=Use this service’s key');
  await page.waitForSelector('.proof[data-verdict=Verified]');
  await page.evaluate("document.querySelector('.proof').scrollIntoView()");
}

describe.skipIf(CHROMIUM === undefined)('The demo in the console', () => {
  it('has a picture of each page in docs/console.md', async () => {
    const address = await addressOf(program);
    const key = await program.until(({ stderr }) => /sto_\w+(?=\n)/.exec(stderr)?.[0]);
    const page = await browser.newPage({ viewport: { width: 1_000, height: 640 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    const text = readFileSync('docs/console.md', 'utf8');
    for (const [name] of PAGES) {
      expect(text).toContain(`](screenshots/${name}.png)`);
      expect(existsSync(`docs/screenshots/${name}.png`)).toBe(true);
    }
    // All of them also where the pictures are made anew. The other test opens three of the rest.
    const isComplete = process.env.PICTURES !== undefined;
    for (const [name, path, shown] of isComplete ? PAGES : partByDay(PAGES, 5)) {
      await page.goto(`${address}/console${path}`);
      await typeKey(page, key);
      if (name === 'proof') await showProof(page);
      await page.waitForSelector(shown);
      await page.evaluate('document.fonts.ready');
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    }
  });

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
    // Just after midnight the newest events are orders alone.
    await page.click('button >> text="OrderShipped"');
    await page.waitForSelector('td >> text=warehouse north');
    expect(wrong).toEqual([]);
  });
});
