import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { CHROMIUM, WITHOUT_CHROMIUM } from '../../support/chromium.ts';
import { Service } from '../../support/service.ts';
import { browsing, expectAccessible, expectNoTrace, typeKey } from './visit.ts';

const MAX_SCRIPT_BYTES = 45 * 1_024;
/** The browser reports the status of each answer that is no success. */
const REFUSED = /status of 401/;

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

const on = browsing();

describe.skipIf(CHROMIUM === undefined)('The console', () => {
  it('asks for a key in place of any page, and shows that page then', async () => {
    const { page, wrong } = await on.open('/key');
    await expectAccessible(page, 'prompt');
    await typeKey(page, on.service.key);
    await page.waitForSelector('text=orders:cancel');
    expect(await page.innerText('h1')).toBe('Key');
    expect(await page.title()).toBe('Key · Store Orders');
    await expectAccessible(page, 'key');
    expect(wrong).toEqual([]);
  });

  it('says that a key is not accepted, and forgets it', async () => {
    const { page, wrong } = await on.open('/orders', REFUSED);
    await page.fill('#key', 'sto_wrong');
    await page.click('text=Use this key');
    await page.waitForSelector('text=The service does not accept this key.');
    expect(await page.inputValue('#key')).toBe('');
    await expectAccessible(page, 'wrong-key');
    expect(wrong).toEqual([]);
  });

  it('loads up to 45 KB of compressed scripts, and names them by their content', async () => {
    const { page } = await on.open('');
    const scripts: string[] = await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\.js$/.test(name))`,
    );
    expect(scripts).toHaveLength(1);
    let bytes = 0;
    for (const script of scripts) {
      const { headers, body } = await on.service.ask('GET', new URL(script).pathname);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      bytes += gzipSync(body).length;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('has its first page with and without a slash at the end', async () => {
    const { page, wrong } = await on.open('/');
    await page.waitForSelector('#key');
    expect(wrong).toEqual([]);
  });

  it('has a policy with Trusted Types, which a page that violates it reports', async () => {
    const { headers } = await on.service.ask('GET', '/console');
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(headers['content-security-policy']).toContain("trusted-types 'none'");
    expect(headers['set-cookie']).toBeUndefined();
    const { page, wrong } = await on.open('');
    const refused = await page.evaluate(`
      (() => { try { document.body.innerHTML = '<p>'; } catch (error) { return error.name; } })()`);
    expect(refused).toBe('TypeError');
    await expect.poll(() => wrong.join()).toMatch(/TrustedHTML/);
  });

  describe('The key', () => {
    it('is forgotten with the page, and leaves no trace', async () => {
      const { page } = await on.enter('/orders?status=pending');
      await expectNoTrace(page, on.service.key);
      await page.reload();
      await page.waitForSelector('#key');
      await expectNoTrace(page, on.service.key);
      await page.goto(`${on.service.address}/docs`);
      await expectNoTrace(page, on.service.key);
      await page.goBack();
      await page.waitForSelector('#key');
    });

    it('is kept for the tab if that is asked for, until it is forgotten', async () => {
      const { page } = await on.open('/key');
      await page.check('text=Keep it for this tab');
      await typeKey(page, on.service.key);
      await page.reload();
      await page.waitForSelector('text=Forget key');
      await page.click('text=Forget key');
      await page.waitForSelector('text=The key is forgotten.');
      await expectNoTrace(page, on.service.key);
      await page.reload();
      await page.waitForSelector('#key');
    });

    it('is dropped after 30 minutes without activity', async () => {
      const page = await on.context.newPage();
      await page.clock.install();
      await page.goto(`${on.service.address}/console/key`);
      await typeKey(page, on.service.key);
      await page.clock.fastForward('29:00');
      expect(await page.locator('text=Forget key').count()).toBe(1);
      await page.clock.fastForward('02:00');
      await page.waitForSelector('text=dropped after 30 minutes');
      await expectNoTrace(page, on.service.key);
      await page.close();
    });

    it('is dropped when the service no longer accepts it', async () => {
      const { page } = await on.enter('/key', on.service.key, REFUSED);
      await page.route('**/v2/**', (route) =>
        route.fulfill({ status: 401, body: '{"code":"unauthorized","message":"no","status":401}' }),
      );
      await page.click('nav >> text=Orders');
      await page.waitForSelector('text=The service no longer accepts the key.');
      await expectNoTrace(page, on.service.key);
    });
  });

  it('is used by the keyboard, and by visible buttons', async () => {
    const { page, wrong } = await on.enter('/key');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL(`${on.service.address}/console/orders`);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Orders');
    await page.keyboard.press('Control+k');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.click('h1');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.keyboard.type('?g o');
    expect(await page.inputValue('#search')).toBe('?g o');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(`document.querySelector('#search').validationMessage`)).toContain(
      '#42',
    );
    await page.fill('#search', '9223372036854775807');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${on.service.address}/console/orders/9223372036854775807`);
    await page.goBack();
    await page.waitForURL(`${on.service.address}/console/orders`);
    await page.click('h1');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await expectAccessible(page, 'shortcuts');
    await page.click('dialog >> text=Close');
    await page.click('#help');
    await page.waitForSelector('dialog[open]');
    await page.uncheck('dialog [type=checkbox]');
    await page.click('dialog >> text=Close');
    await page.reload();
    await typeKey(page, on.service.key);
    await page.click('h1');
    for (const key of ['?', '/', '[', ']', 'j', 'k', 'g', 'l']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(page.url()).toBe(`${on.service.address}/console/orders`);
    await page.keyboard.press('Control+k');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.click('#help');
    await page.check('dialog [type=checkbox]');
    await page.keyboard.press('Escape');
    await page.click('h1');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    expect(wrong.filter((text) => !/404/.test(text))).toEqual([]);
  });

  it('shows in forced colours what is pressed, and which page is open', async () => {
    const { page } = await on.enter('/log');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.waitForSelector('text="Oldest first"');
    for (const button of ['Allow changes', 'Oldest first', 'Pause'])
      await page.click(`text="${button}"`);
    await page.mouse.move(0, 700);
    const coloursOf = (selector: string): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].map((each) => {
        const { color, backgroundColor } = getComputedStyle(each);
        return color + ' on ' + backgroundColor;
      })`);
    const pressed = await coloursOf('[aria-pressed=true], nav a[aria-current]');
    const others = await coloursOf('[aria-pressed=false], nav a:not([aria-current])');
    expect(pressed).toHaveLength(5);
    expect(new Set(pressed).size).toBe(1);
    expect(others).not.toContain(pressed[0]);
  });

  it('shows times in UTC, in the local zone or from now, and keeps the choice', async () => {
    const { page } = await on.enter('/key');
    const shown = page.locator('.facts time').first();
    await shown.waitFor();
    expect(await page.innerText('.zone')).toBe('Times in UTC');
    const utc = await shown.innerText();
    await page.selectOption('[name=times]', 'local');
    expect(await page.innerText('.zone')).toMatch(/^Times in \S+$/);
    expect(await shown.getAttribute('datetime')).toContain(utc.slice(0, 10));
    await page.selectOption('[name=times]', 'relative');
    await expect.poll(() => shown.innerText()).toMatch(/^(?:\d+ (?:h|min|s)( \d+ \w+)? ago|now)$/);
    expect(await shown.getAttribute('title')).toBe(`${utc} UTC`);
    await expectAccessible(page, 'relative');
    await page.reload();
    await typeKey(page, on.service.key);
    expect(await page.inputValue('[name=times]')).toBe('relative');
    await page.selectOption('[name=times]', 'utc');
  });

  it('says that the device is offline, and goes on when it is online again', async () => {
    const { page } = await on.enter('/key', on.service.key, /ERR_INTERNET_DISCONNECTED/);
    await on.context.setOffline(true);
    await page.waitForSelector('text=This device is offline. The page');
    await page.click('nav >> text=Orders');
    await page.waitForSelector('[data-state=offline]');
    await expectAccessible(page, 'offline');
    await on.context.setOffline(false);
    await page.waitForSelector('[data-state=empty]');
  });
});

test('CONSOLE=off serves no console', async () => {
  await using service = await Service.start({ CONSOLE: 'off' });
  for (const path of ['/console', '/console/orders', '/console/assets/console.js']) {
    expect((await service.ask('GET', path)).status).toBe(404);
  }
});
