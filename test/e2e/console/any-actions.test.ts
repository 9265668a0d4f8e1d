import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM, excessWidthOf, violationsOn } from '../../support/chromium.ts';
import { isNightly, seedFrom } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { browsing } from './visit.ts';

/**
 * The console with whatever a reader may do in it, while orders change. CONSOLE_ACTIONS says how many
 * actions there are, and CONSOLE_SEED repeats the same ones.
 */
const ACTIONS = Number(process.env.CONSOLE_ACTIONS ?? (isNightly ? 150 : 30));
const SEED = seedFrom('CONSOLE_SEED');

const LIST = '/v1/store/orders';
const ORDERS = 300;
const FIRST_ID = 9_007_199_254_740_993n;
/** An action that cannot be done by now, such as a click on what has vanished, ends after this time. */
const PATIENCE_MS = 1_000;
/** The longest time in which a page shows its heading, on a busy machine. */
const HEADING_MS = 20_000;
/** The actions between two checks of the accessibility, which takes longer than an action. */
const CHECK_EVERY = isNightly ? 50 : 30;

/** Errors of requests, which the pages show. */
const REFUSED =
  /status of (?:4\d\d|50\d)|ERR_INTERNET_DISCONNECTED|ERR_ABORTED|ERR_CONNECTION|ERR_FAILED/;

const WORDS = [
  ...[
    '',
    '0',
    '-1',
    '1e9',
    'NaN',
    '#1',
    '#0',
    '#0:5',
    '#9999999999999999',
    '💥',
    '%00',
    '__proto__',
  ],
  ...['2026-02-30', '9999-12-31T23:59:59Z', '0000-01-01', '+275760-09-13', '2026-11-27 12:00'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', `${FIRST_ID}`],
  ...['<script>alert(1)</script>', 'a'.repeat(3_000), '{"a":', '—\norigin\n1\n', "' OR 1=1 --"],
];
const PAGES = [
  ...['', '/orders', '/log', '/travel', '/proof', '/key', '/nowhere', '//', '/orders/x'],
  ...[`/orders/${FIRST_ID}`, '/orders/9223372036854775807', '/orders/-9223372036854775808'],
];
const PARAMETERS = [
  ...['status', 'asOf', 'petId', 'fromId', 'toId', 'order', 'type', 'commandId', 'at', 'paused'],
  'position',
];
const VALUES = [...WORDS.map(encodeURIComponent), 'pending', 'desc', 'oldest', 'OrderPlaced', '%'];
const KEYS = [
  ...[
    '/',
    '?',
    'g',
    'o',
    'l',
    'j',
    'k',
    't',
    'p',
    'c',
    'n',
    'h',
    'Escape',
    'Enter',
    'Tab',
    'Space',
  ],
  ...['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'Shift+Tab'],
];

const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, index) => FIRST_ID + BigInt(index));
  await beside.place(ids.map((id) => ({ id, petId: id + 2n })));
});

const late = { most: 0, failing: 0, random: new Random(1) };

/** Sends answers late, in any order, and some not at all. */
async function makeLate(page: Page): Promise<void> {
  await page.route('**/v2/**', async (route) => {
    const { most, failing, random } = late;
    const isFailing = random.below(10) < failing;
    await new Promise((done) => setTimeout(done, random.below(most + 1)));
    const status = random.oneOf([429, 503, 502, 0]);
    if (!isFailing) return route.continue().catch(() => undefined);
    if (status === 0) return route.abort().catch(() => undefined);
    const headers = { 'Retry-After': '1' };
    await route.fulfill({ status, headers, body: '' }).catch(() => undefined);
  });
}

type Action = (page: Page, random: Random) => Promise<string>;

/** Each does something that a reader, a network or another client does, and returns it in words. */
const WAYS: readonly (readonly [weight: number, Action])[] = [
  [35, click],
  [15, fill],
  [
    12,
    async (page, random) => {
      const key = random.oneOf(KEYS);
      await page.keyboard.press(key);
      return `press ${key}`;
    },
  ],
  [
    10,
    async (page, random) => {
      const address = `/console${random.oneOf(PAGES)}${searchBy(random)}`;
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)});
        dispatchEvent(new PopStateEvent('popstate'))`);
      return `go to ${address}`;
    },
  ],
  [
    8,
    async (page, random) => {
      const way = random.oneOf(['back', 'forward']);
      await page.evaluate(`history.${way}()`);
      return way;
    },
  ],
  [
    6,
    async (page, random) => {
      const top = random.oneOf([0, 5_000, 1e9]);
      const scroll = `document.querySelectorAll('.scroller').forEach((each) => { each.scrollTop = ${top}; })`;
      await page.evaluate(scroll);
      return `scroll to ${top}`;
    },
  ],
  [9, changeAnOrder],
  [
    2,
    async (page, random) => {
      await page.context().setOffline(true);
      await page.waitForTimeout(random.below(400));
      await page.context().setOffline(false);
      return 'cut the network';
    },
  ],
  [
    2,
    async (page, random) => {
      await page.setViewportSize({ width: random.oneOf([320, 700, 1280]), height: 600 });
      return 'resize';
    },
  ],
  [
    4,
    async (_, random) => {
      const [most, failing] = [random.oneOf([0, 300, 2_000]), random.oneOf([0, 0, 3])];
      Object.assign(late, { most, failing, random: new Random(random.below(2 ** 31)) });
      return `let answers be up to ${most} ms late, and ${failing} in 10 fail`;
    },
  ],
  [
    1,
    async (page) => {
      await page.reload();
      return 'reload';
    },
  ],
];

async function click(page: Page, random: Random): Promise<string> {
  const target = await oneOf(page, 'button, a, summary, select, [tabindex="0"]', random);
  const text = (await target.textContent({ timeout: PATIENCE_MS })) ?? '';
  const href = await target.getAttribute('href', { timeout: PATIENCE_MS });
  const leaves = href !== null && !href.startsWith('/console');
  if (leaves || (text.includes('Forget key') && random.below(5) > 0)) return `leave ${text} alone`;
  await target.click({ timeout: PATIENCE_MS });
  return `click on ${text.slice(0, 40)}`;
}

async function fill(page: Page, random: Random): Promise<string> {
  const fields = 'input:not([type="checkbox"], [type="file"], [type="range"]), textarea';
  const field = await oneOf(page, fields, random);
  const options = { timeout: PATIENCE_MS };
  const name = await field.getAttribute('id', options);
  const isTime = (await field.getAttribute('type', options)) === 'datetime-local';
  const times = ['2026-11-27T00:00', '0001-01-01T00:00', '9999-12-31T23:59', ''];
  const isKey = name === 'key' && random.below(2) === 0;
  const text = isKey ? on.service.key : random.oneOf(isTime ? times : WORDS);
  await field.fill(text, options);
  if (isKey || random.below(3) > 0) await page.keyboard.press('Enter');
  return `fill ${name} with ${isKey ? 'the key' : text.slice(0, 40)}`;
}

async function oneOf(page: Page, selector: string, random: Random): Promise<Locator> {
  const visible = page.locator(selector).filter({ visible: true });
  return visible.nth(random.below(Math.max(1, await visible.count())));
}

async function changeAnOrder(_: Page, random: Random): Promise<string> {
  const { service } = on;
  const path = `${LIST}/${FIRST_ID + BigInt(random.below(ORDERS))}`;
  const way = random.oneOf(['place', 'cancel', 'ship']);
  if (way === 'place') await service.send('POST', LIST, { petId: 7, quantity: 1 });
  if (way === 'cancel') await service.ask('DELETE', path);
  if (way === 'ship')
    await service.send('PUT', `${path}/shipment`, { shipDate: '2026-01-01T00:00:00Z' });
  return `${way} an order`;
}

function searchBy(random: Random): string {
  const pairs = Array.from({ length: random.below(3) }, () => {
    return `${random.oneOf(PARAMETERS)}=${random.oneOf(VALUES)}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** What playwright says of an action that cannot be done by now. */
const IMPOSSIBLE = /Timeout|not attached|detached|intercepts|Malformed|Execution context/;

/** Does an action, unless it is impossible by now. */
async function act(page: Page, random: Random): Promise<string> {
  const total = WAYS.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.below(total);
  const [, way] = WAYS.find(([weight]) => {
    left -= weight;
    return left < 0;
  }) as (typeof WAYS)[number];
  try {
    return await way(page, random);
  } catch (error) {
    if (IMPOSSIBLE.test((error as Error).message)) return 'nothing';
    throw error;
  }
}

/** Waits until a page of the console has a heading. Returns false if it gets none. */
async function isHeaded(page: Page): Promise<boolean> {
  const home = `${on.service.address}/console`;
  for (;;) {
    // The way back leads out of the console, to the empty page before the first one.
    if (!page.url().startsWith(home)) await page.goto(home);
    const heading = await page.waitForSelector('h1').catch(() => undefined);
    if (heading !== undefined || page.url().startsWith(home)) return heading !== undefined;
  }
}

/** Does so many random actions. Returns what was wrong on the way, each with the last actions. */
async function explore(page: Page, wrong: string[], actions: number, seed: number) {
  const random = new Random(seed);
  const trail: string[] = [];
  const found: string[] = [];
  const note = (what: string) =>
    found.push(`${what}\n  at ${page.url()}\n  after ${trail.slice(-6).join('; ')}`);
  for (let count = 1; count <= actions && found.length === 0; count++) {
    trail.push(await act(page, random));
    if (!(await isHeaded(page))) note(`no heading in ${await page.innerHTML('body')}`);
    const headings = await page.locator('h1').count();
    if (headings > 1) note(`${headings} headings`);
    const excess = await excessWidthOf(page);
    if (excess !== 0) note(`${excess} px wider than the window`);
    if (count % CHECK_EVERY === 0) for (const each of await violationsOn(page)) note(each);
    for (const each of wrong.splice(0)) note(each);
  }
  return found;
}

describe.skipIf(CHROMIUM === undefined)('Any actions in the console', () => {
  it(`leave one heading, no error, no scroll bar to the side: ${ACTIONS}, seed ${SEED}`, {
    timeout: Math.max(240_000, ACTIONS * 2_000),
  }, async () => {
    const { page, wrong } = await on.enter('', on.service.key, REFUSED);
    page.setDefaultTimeout(HEADING_MS);
    await makeLate(page);
    expect(await explore(page, wrong, ACTIONS, SEED)).toEqual([]);
  });

  it.each([
    ['an error', `addEventListener('keydown', () => { throw new Error('planted'); })`, /planted/],
    [
      'a page that is too wide',
      `addEventListener('popstate', () => { document.body.style.minWidth = '3000px'; })`,
      /px wider than the window/,
    ],
    [
      'a violation of the policy',
      `addEventListener('popstate', () => { document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:1/' })); })`,
      /request: http:\/\/127\.0\.0\.1:1\//,
    ],
  ])('a planted fault is found: %s', async (_, fault, expected) => {
    const { page, wrong } = await on.enter('', on.service.key, REFUSED);
    await page.addInitScript(fault);
    await page.reload();
    await page.waitForSelector('h1');
    const found = await explore(page, wrong, 300, 1);
    expect(found.join('\n')).toMatch(expected);
  });
});
