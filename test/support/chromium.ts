import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The path of Chromium: that in CHROMIUM, or Debian's; `undefined` if there is none. */
export const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser']
  .filter((file) => file !== undefined)
  .find((file) => existsSync(file));

/** The reason why tests are skipped without Chromium. */
export const WITHOUT_CHROMIUM =
  'SKIPPED: the pages are not tested in a browser, for want of one: apt-get install chromium';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts Chromium, with one process for all pages of a site. */
export function launchChromium(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--process-per-site',
    '--disable-gpu',
  ];
  return chromium.launch({ executablePath: CHROMIUM as string, args });
}

/**
 * Opens a page of a site that stays open, and with it the process of the site: after the last page
 * of a site the next one pays for a new process and a new window, half of the cost of a short test.
 */
export async function keepSiteOpen(context: BrowserContext, address: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${address}/livez`);
}

/** Takes a screenshot into the folder SCREENSHOTS, and none if it is not set. */
export async function photograph(
  page: Page,
  file: string,
  options: { readonly fullPage?: boolean } = {},
): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS === undefined) return;
  await page.screenshot({ path: join(SCREENSHOTS, file), ...options });
}

/** Waits until a page has been laid out, and its observers of sizes have run. */
const AFTER_LAYOUT =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Returns the rules of accessibility that a page violates, each with the element. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AFTER_LAYOUT);
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE);
  // Of what is no violation nothing is reported, which axe then need not describe.
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}

/** Returns the pixels by which a page is wider than its window, which then has a scroll bar. */
export function excessWidthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
