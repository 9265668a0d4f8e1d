import { type CDPSession, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../../support/chromium.ts';

/**
 * A reader of the console in Chromium: opens it, moves through its longest lists, and waits for
 * orders that are placed meanwhile. Prints the times and the memory of its page.
 */

export interface ConsoleOrder {
  readonly address: string;
  readonly key: string;
  /** The repetitions of everything but the walk to the end of the list. */
  readonly rounds: number;
}

/** Times in milliseconds, one or more a round. */
export interface ConsoleSeen {
  /** From the beginning of the navigation to the first frame with rows, nothing being cached. */
  readonly firstRows: readonly number[];
  /** The same of the site's first page, which has neither data nor a script that it waits for. */
  readonly plainPage: readonly number[];
  /** From a key or click to the next frame, as the browser measures it, in steps of 8 ms. */
  readonly interactions: readonly number[];
  /** From the 201 of an order to its row in the log. */
  readonly tail: readonly number[];
  /** The highest heap after a collection of garbage, in megabytes. */
  readonly heap: number;
  /** The most rows that were in the page. */
  readonly rows: number;
  /** The rows of the list that were walked over, and the places of the log that were jumped to. */
  readonly walked: number;
  readonly jumps: number;
}

const WALK_STEPS = 4_000;
const WALK_MS_MAX = 120_000;
const JUMPS = 200;
const ARRIVALS = 10;
const MEASURE_EVERY = 100;
const MEGABYTE = 1_000_000;

/** Runs in the page before its own scripts: gives it the key, and notes frames and interactions. */
const watch = (key: string) => `
  sessionStorage.setItem('store-orders-console-key', JSON.stringify({ key: '${key}', usedAt: Date.now() }));
  globalThis.interactions = [];
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (each.interactionId > 0) interactions.push(each.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  const look = () => {
    const isShown = document.querySelector('tbody a') !== null;
    if (isShown) setTimeout(() => { globalThis.firstRowsMs = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

const { address, key, rounds } = JSON.parse(process.argv[2] as string) as ConsoleOrder;
const browser = await chromium.launch({
  ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
  args: ['--no-sandbox'],
});
const firstRows: number[] = [];
const plainPage: number[] = [];
const interactions: number[] = [];
const tail: number[] = [];
let [heap, rows, walked] = [0, 0, 0];

for (let round = 0; round < rounds; round += 1) {
  plainPage.push(await visit('/', timeOfFirstFrame));
  firstRows.push(await visit('/console/orders', timeOfFirstRows));
  interactions.push(...(await visit('/console/orders', interact)));
  tail.push(...(await visit('/console/log', follow)));
}
await visit('/console/orders', walk);
await visit('/console/log', jump);
await browser.close();
const seen = { firstRows, plainPage, interactions, tail, heap, rows, walked, jumps: JUMPS };
process.stdout.write(JSON.stringify(seen satisfies ConsoleSeen));

/** Opens a page in a browser that has nothing cached. */
async function visit<Result>(path: string, read: (page: Page) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addInitScript(watch(key));
    const page = await context.newPage();
    await page.goto(`${address}${path}`);
    return await read(page);
  } finally {
    await context.close();
  }
}

function timeOfFirstFrame(page: Page): Promise<number> {
  return page.evaluate(`new Promise((done) => new PerformanceObserver((list, observer) => {
    observer.disconnect();
    done(list.getEntries().at(-1).startTime);
  }).observe({ type: 'paint', buffered: true }))`);
}

async function timeOfFirstRows(page: Page): Promise<number> {
  await page.waitForSelector('tbody a');
  return page.evaluate(`new Promise(function look(done) {
    if (globalThis.firstRowsMs === undefined) setTimeout(look, 10, done);
    else done(firstRowsMs);
  })`);
}

/** Uses the pages by keyboard and mouse, and returns how long each interaction took. */
async function interact(page: Page): Promise<number[]> {
  await page.waitForSelector('tbody a');
  await page.focus('.scroller');
  for (const name of ['PageDown', 'PageDown', 'End', 'End', 'End', 'PageUp', 'Home']) {
    await press(page, name);
  }
  for (const chip of ['pending', 'cancelled', 'all']) {
    await page.click(`.chips >> text="${chip}"`);
    await page.waitForSelector('tbody a');
  }
  await page.click('tbody a >> nth=3');
  await page.waitForSelector('text="Timeline"');
  await page.goBack();
  await page.waitForSelector('tbody a');
  await page.click('nav >> text="Log"');
  await page.waitForSelector('[data-tail=live]');
  await page.waitForSelector('tbody a');
  await page.focus('.scroller');
  for (const name of ['End', 'PageUp', 'PageUp', 'Home', 'PageDown']) await press(page, name);
  await page.click('text="Oldest first"');
  await page.waitForSelector('tbody a');
  const all = await page.evaluate('interactions');
  // Those that take less than 16 ms are not reported.
  return (all as number[]).length === 0 ? [16] : (all as number[]);
}

async function press(page: Page, name: string): Promise<void> {
  await page.keyboard.press(name);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/** Places orders, and waits for each in the log. */
async function follow(page: Page): Promise<number[]> {
  await page.waitForSelector('[data-tail=live]');
  const times: number[] = [];
  for (let count = 0; count < ARRIVALS; count += 1) {
    const response = await fetch(`${address}/v2/store/orders`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ petId: '7', quantity: 1 }),
    });
    const { id } = (await response.json()) as { id: string };
    const begun = performance.now();
    if (response.status !== 201) throw new Error(`an order was answered with ${response.status}`);
    await page.waitForSelector(`tbody tr.new >> text="${id}"`);
    times.push(performance.now() - begun);
  }
  return times;
}

/** Walks to the end of the list, as far as it comes in the time. */
async function walk(page: Page): Promise<void> {
  await page.waitForSelector('tbody a');
  const devTools = await page.context().newCDPSession(page);
  await page.focus('.scroller');
  const end = performance.now() + WALK_MS_MAX;
  for (let step = 0; step < WALK_STEPS && performance.now() < end; step += 1) {
    await press(page, 'End');
    if (step % MEASURE_EVERY === 0) await measure(page, devTools);
    if ((await page.getAttribute('table', 'aria-rowcount')) !== '-1') break;
  }
  await press(page, 'End');
  await measure(page, devTools);
  const last = await page.locator('tbody tr').last().getAttribute('aria-rowindex');
  walked = Number(last) - 1;
}

/** Jumps to places all over the log. */
async function jump(page: Page): Promise<void> {
  await page.waitForSelector('tbody a');
  const devTools = await page.context().newCDPSession(page);
  for (let step = 0; step < JUMPS; step += 1) {
    // The golden ratio scatters the places evenly.
    const share = (step * 0.618_034) % 1;
    await page.evaluate(`(() => {
      const scroller = document.querySelector('.scroller');
      scroller.scrollTop = ${share} * scroller.scrollHeight;
    })()`);
    await page.waitForSelector('tbody a');
    if (step % MEASURE_EVERY === 0) await measure(page, devTools);
  }
  await measure(page, devTools);
}

async function measure(page: Page, devTools: CDPSession): Promise<void> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  heap = Math.max(heap, usedSize / MEGABYTE);
  rows = Math.max(rows, await page.locator('tbody tr').count());
}
