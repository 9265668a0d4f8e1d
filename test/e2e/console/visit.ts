/** A console in a browser, with the problems that were found on its pages. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import {
  CHROMIUM,
  excessWidthOf,
  keepSiteOpen,
  launchChromium,
  photograph,
  violationsOn,
} from '../../support/chromium.ts';
import { isNightly } from '../../support/nightly.ts';
import { Service } from '../../support/service.ts';

/** Ends what hangs, and says nothing of speed: a busy machine takes many seconds to load a page. */
const TIMEOUT_MS = 120_000;

interface Visit {
  readonly page: Page;
  /** Requests to other hosts, errors in the console, and violations of the page's policy. */
  readonly wrong: string[];
}

export interface Browsing {
  service: Service;
  browser: Browser;
  context: BrowserContext;
  /** Opens a page of the console. Messages that match `expected` are no problem. */
  open(path: string, expected?: RegExp): Promise<Visit>;
  /** Opens a page of the console, and types the key. */
  enter(path: string, key?: string, expected?: RegExp): Promise<Visit>;
}

/** Starts a service and a browser for all tests of a file. */
export function browsing(given: (service: Service) => Promise<void> = async () => {}): Browsing {
  const all = {} as Browsing;
  beforeAll(async () => {
    if (CHROMIUM === undefined) return;
    all.service = await Service.start();
    await given(all.service);
    all.browser = await launchChromium();
    all.context = await all.browser.newContext({ acceptDownloads: true });
    all.context.setDefaultTimeout(TIMEOUT_MS);
    all.context.setDefaultNavigationTimeout(TIMEOUT_MS);
    await all.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await keepSiteOpen(all.context, all.service.address);
  });
  afterAll(async () => {
    await all.browser?.close();
    await all.service?.[Symbol.asyncDispose]();
  });
  all.open = async (path, expected = /^$/) => {
    const page = await all.context.newPage();
    onTestFinished(() => page.close());
    const wrong = problemsOf(page, all.service.address, expected);
    await page.goto(`${all.service.address}/console${path}`);
    await page.waitForSelector('h1');
    return { page, wrong };
  };
  all.enter = async (path, key = all.service.key, expected) => {
    const visit = await all.open(path, expected);
    await typeKey(visit.page, key);
    return visit;
  };
  return all;
}

/** Waits until a page has painted what has arrived. */
export async function settled(page: Page): Promise<void> {
  for (const _ of [1, 2, 3]) {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  }
}

export async function typeKey(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.click('text=Use this key');
  await page.waitForSelector('text=Forget key');
}

export function problemsOf(page: Page, address: string, expected: RegExp): string[] {
  const wrong: string[] = [];
  page.on('request', (request) => {
    const isOwn = new RegExp(`^(?:blob:)?${address}/`).test(request.url());
    if (!isOwn) wrong.push(`request: ${request.url()}`);
  });
  page.on('console', (message) => {
    const isProblem = ['error', 'warning'].includes(message.type());
    if (isProblem && !expected.test(message.text()))
      wrong.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error}`));
  return wrong;
}

/** The narrowest width that a page must fit without a scroll bar (WCAG 2.2, 1.4.10). */
const NARROWEST_PX = 320;

/** Expects a page to be accessible in light, dark and narrow, and to fit each width, also with its details shown. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  const looks = [
    ['light', 'light', 1280],
    ['dark', 'dark', 1280],
    ['narrow', 'light', 390],
    ['narrow-dark', 'dark', 390],
  ] as const;
  // By day one of them, by the length of the name: each is that of a quarter of the pages.
  const byDay = looks.filter((_, index) => index === name.length % looks.length);
  for (const [look, colorScheme, width] of isNightly ? looks : byDay) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await photograph(page, `console-${name}-${look}.png`);
    await expectFit(page, name);
    expect(await violationsOn(page), `${name}, ${look}`).toEqual([]);
  }
  await page.setViewportSize({ width: NARROWEST_PX, height: 800 });
  await expectFit(page, name);
  await page.evaluate(`globalThis.folded = [...document.querySelectorAll('details:not([open])')];
    folded.forEach((each) => { each.open = true; })`);
  await expectFit(page, `${name}, with its details`);
  await page.evaluate('folded.forEach((each) => { each.open = false; })');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function expectFit(page: Page, name: string): Promise<void> {
  const excess = await excessWidthOf(page);
  expect(excess, `${name}, ${page.viewportSize()?.width} px`).toBe(0);
}

/** Expects nothing of a key in the address, the title and what the browser stores for the page. */
export async function expectNoTrace(page: Page, key: string): Promise<void> {
  const places = await page.evaluate(`JSON.stringify([
    location.href, document.title, document.cookie, history.state,
    { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])`);
  expect(places).not.toContain(key);
}
