import { hash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../../src/app/audit/witness/cosigner.ts';
import { Beside } from '../../support/beside.ts';
import { CHROMIUM, WITHOUT_CHROMIUM } from '../../support/chromium.ts';
import { Place } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isNightly, partByDay } from '../../support/nightly.ts';
import { ProofLog } from '../../support/proof-log.ts';
import { bearer } from '../../support/service.ts';
import { browsing, expectAccessible, typeKey } from './visit.ts';

const ORDERS = 450;
const OTHER_KEY = new ProofLog(0).vkey;
/** Of the digits of a receipt, one in so many is changed. */
const DIGITS = isNightly ? 12 : 60;
const VERIFIER = 'vendor/console/store-orders-verifier.html';

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

const on = browsing(async ({ databaseFile }) => {
  await using beside = new Beside(databaseFile);
  await beside.place([{ id: 7n, petId: 9n }]);
  await beside.submit([{ type: 'CancelOrder', orderId: 7n } as never]);
});

async function asked(path: string): Promise<string> {
  const { address, key } = on.service;
  return (await fetch(`${address}${path}`, { headers: bearer(key) })).text();
}

/** The export of a store of its own, made once, and its public key. */
function exported() {
  only ??= newExport();
  return only;
}

let only: ReturnType<typeof newExport> | undefined;

async function newExport() {
  const place = new Place();
  const rows = Array.from({ length: ORDERS }, (_, at) => `${at + 1},7,1,,pending\n`);
  await place.run(
    'import',
    place.write('orders.csv', `id,petId,quantity,shipDate,status\n${rows.join('')}`),
  );
  const file = place.file('trail.ndjson');
  await place.run('audit', 'export', '--out', file);
  const key = (await place.run('audit', 'public-key')).out.trim();
  const checkpoint = (await place.run('audit', 'checkpoint')).out;
  return { text: readFileSync(file, 'utf8'), key, checkpoint };
}

async function drop(page: Page, text: string, name = 'material'): Promise<void> {
  const buffer = Buffer.from(text);
  await page.setInputFiles('#proof-files', { name, mimeType: 'text/plain', buffer });
}

/** Drops files at once, by their names. */
async function dropAll(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const all = Object.entries(files).map(([name, text]) => {
    return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
  });
  await page.setInputFiles('#proof-files', all);
}

/** Expects these verdicts, and no others, in any order. */
async function expectVerdicts(page: Page, expected: Readonly<Record<string, string>>) {
  const verdicts = () =>
    page.locator('.proof').evaluateAll((all) => {
      const texts = (all as unknown as { querySelector(name: string): { textContent: string } }[])
        .map((each) => each.querySelector('h2').textContent)
        .map((text) => text.replaceAll(/[\u2068\u2069]/g, '').split(': '));
      return Object.fromEntries(texts);
    });
  await expect.poll(verdicts).toEqual(expected);
}

/** Drops forgeries beside what is genuine, in one drop and in several. */
async function tryCompany(page: Page): Promise<void> {
  const stranger = new ProofLog(3);
  const [genuine, own] = [await asked('/v2/store/orders/7/receipt'), await asked('/public-key')];
  const forged = await stranger.receipt(2);
  await page.fill('#public-key', own.trim());
  await dropAll(page, { forged, 'README.txt': `${stranger.vkey}\n`, photo: '?', genuine });
  await expectVerdicts(page, {
    'Receipt forged': 'Refused',
    'Receipt genuine': 'Verified',
    'Public key': 'Not complete',
  });
  expect(await page.inputValue('#public-key')).toBe(own.trim());
  expect(await page.innerText('.proof[aria-label="Public key"]')).toMatch(/another one is in the/);
  expect(await page.innerText('.drop')).toContain('photo is neither');
  await expectAccessible(page, 'proof-company');
  await page.click('text=Remove Receipt');
  await page.click('text=Remove Public key');
  await expectVerdicts(page, { 'Receipt genuine': 'Verified' });
  await drop(page, 'quorum none\n', 'theirs');
  await page.waitForSelector('text=the policy has cosigned');
  await expectVerdicts(page, { 'Receipt genuine': 'Verified' });
  await drop(page, `witness W ${WITNESS.verifierKey}\nquorum W\n`, 'ours');
  await expectVerdicts(page, { 'Receipt genuine': 'Refused' });
  await drop(page, 'quorum none\n# Theirs.\n', 'theirs');
  await expect.poll(() => page.locator('.given li').count()).toBe(4);
  await expectVerdicts(page, { 'Receipt genuine': 'Refused' });
}

/** Drops what is no material while an earlier file is still being read. */
async function tryWhileOneIsRead(page: Page): Promise<void> {
  await page.evaluate(`
    const slice = File.prototype.slice;
    File.prototype.slice = function (...range) {
      if (this.name !== 'slow') return slice.apply(this, range);
      return { text: () => new Promise((done) => { window.goOn = () => done(''); }) };
    };
  `);
  await drop(page, 'quorum none\n# Late.\n', 'slow');
  await drop(page, '?', 'photo');
  await page.waitForSelector('.drop >> text=photo is neither');
  const before = await page.locator('.given li').count();
  await page.evaluate('goOn()');
  await expect.poll(() => page.locator('.given li').count()).toBe(before + 1);
  expect(await page.innerText('.drop')).toContain('photo is neither');
}

/** Drops a text that was selected elsewhere: on the page, and on the field for texts. */
async function tryDroppedText(page: Page): Promise<void> {
  const [receipt, key] = [await asked('/v2/store/orders/7/receipt'), await asked('/public-key')];
  await page.fill('#public-key', key.trim());
  await dropText(page, '.drop', 'What is it?');
  await page.waitForSelector('.drop >> text=The text is neither');
  await dropText(page, '#proof-text', receipt);
  await expectVerdicts(page, { 'Receipt dropped': 'Verified' });
}

/** Drops an export beside three checkpoints, of which the first is another log's. */
async function tryCheckpoints(page: Page): Promise<void> {
  const { text, key, checkpoint } = await exported();
  await page.fill('#public-key', key);
  const [signed = ''] = checkpoint.split('\n\n');
  const cosigned = checkpoint + WITNESS.cosign(`${signed}\n`, 1_800_000_000);
  await dropAll(page, {
    other: new ProofLog(3).checkpoint(),
    trail: text,
    checkpoint,
    cosigned,
    copy: text.replace('"petId":"7"', '"petId":"8"'),
  });
  await expectVerdicts(page, {
    'Export trail': 'Verified',
    'Export copy': 'Refused',
    'Checkpoint other': 'Refused',
    'Checkpoints of 450 and 450 events': 'Verified',
  });
  await page.click('text=Remove Checkpoint');
  await expectVerdicts(page, {
    'Export trail': 'Verified',
    'Export copy': 'Refused',
    'Checkpoints of 450 and 450 events': 'Verified',
  });
}

/** Drops checkpoints, statements and a proof of another log between those of this one. */
async function tryOtherLog(page: Page): Promise<void> {
  const log = new ProofLog(6);
  const stranger = NoteSigner.generate('orders.example/log');
  const proofOf = async (from: number, to: number) => {
    const proof = await new ProofLog(to).tree.consistency(from);
    const hashes = proof.map((hash) => Buffer.from(hash).toString('base64'));
    return JSON.stringify({ from, to, proof: hashes });
  };
  await page.fill('#public-key', log.vkey);
  await dropAll(page, {
    five: new ProofLog(5).checkpoint(stranger),
    theirs: JSON.stringify({ epoch: '0', breaks: [stranger.sign('{}\n')] }),
    false: JSON.stringify({ from: 2, to: 6, proof: [] }),
    two: new ProofLog(2).checkpoint(),
    four: new ProofLog(4).checkpoint(),
    six: log.checkpoint(),
    'from four': await proofOf(4, 6),
    'from two': await proofOf(2, 6),
  });
  await expectVerdicts(page, {
    'Checkpoint five': 'Refused',
    'Statements of breaks theirs': 'Refused',
    'Checkpoints of 2 and 4 events': 'Not complete',
    'Checkpoints of 2 and 6 events': 'Verified',
    'Checkpoints of 4 and 6 events': 'Verified',
    'Proof of consistency': 'Not complete',
  });
  await page.fill('#public-key', stranger.verifierKey);
  await page.waitForSelector('.proof[aria-label="Checkpoint six"][data-verdict=Refused]');
  expect(await page.locator('.proof[aria-label^="Checkpoints of"]').count()).toBe(0);
}

/** Drops exports as programs for texts save them. */
async function tryEdited(page: Page): Promise<void> {
  const { text, key } = await exported();
  await page.fill('#public-key', key);
  await dropAll(page, { crlf: text.replaceAll('\n', '\r\n') });
  await page.waitForSelector('text=Because a line ends with a carriage return.');
  await dropAll(page, { mark: `\ufeff${text}` });
  await page.waitForSelector('text=a byte order mark is before it');
  await dropAll(page, { empty: `\n${text}` });
  await page.waitForSelector('text=there is an empty line');
  await expectVerdicts(page, {
    'Export crlf': 'Refused',
    'Export mark': 'Refused',
    'Export empty': 'Refused',
  });
}

async function verdictOf(page: Page): Promise<string> {
  return (await page.locator('.proof').first().getAttribute('data-verdict')) ?? '';
}

/** Replaces what was dropped, and expects the new one to be refused with a reason. */
async function expectRefused(page: Page, text: string, reason: RegExp): Promise<void> {
  await page.click('.given button');
  await expect.poll(() => page.locator('.proof').count()).toBe(0);
  await drop(page, text);
  await page.waitForSelector('.proof .reason');
  expect(await verdictOf(page)).toBe('Refused');
  expect(await page.innerText('.proof .reason')).toMatch(reason);
}

const WITNESS = new Cosigner('w1.example', Buffer.alloc(32, 1));

/** Verifies a receipt and forgeries of it, on the page or in the file. */
async function tryReceipt(page: Page): Promise<void> {
  const [receipt, key] = [await asked('/v2/store/orders/7/receipt'), await asked('/public-key')];
  await page.fill('#public-key', key.trim());
  await drop(page, receipt);
  await page.waitForSelector('.proof[data-verdict=Verified]');
  expect(await page.innerText('.steps')).toContain(
    'The record is event 2 of that log: OrderCancelled of order 7, at ',
  );
  expect(await page.innerText('.limits')).toContain('nothing else happened to the order');
  const digits = [...receipt.matchAll(/\d/g)].map(({ index }) => index);
  for (const at of digits.filter((_, number) => number % DIGITS === 0)) {
    const digit = receipt[at] === '7' ? '8' : '7';
    await expectRefused(page, receipt.slice(0, at) + digit + receipt.slice(at + 1), /^Because \S/);
  }
  await page.click('.given button');
  await drop(page, receipt);
  await page.waitForSelector('.proof[data-verdict=Verified]');
  await page.fill('#public-key', OTHER_KEY);
  await page.waitForSelector('text=the note is not signed with the public key');
}

/** A folder of the tiles of a store of its own, and its public key. */
async function tiled() {
  const place = new Place();
  const rows = Array.from({ length: ORDERS }, (_, at) => `${at + 1},7,1,,pending\n`);
  await place.run(
    'import',
    place.write('orders.csv', `id,petId,quantity,shipDate,status\n${rows.join('')}`),
  );
  const folder = place.file('tiles');
  await place.run('audit', 'tiles', '--out', folder);
  return { folder, key: (await place.run('audit', 'public-key')).out.trim() };
}

/** Replaces the folder that was chosen. */
async function chooseFolder(page: Page, folder: string): Promise<string> {
  await page.locator('.given button').evaluateAll((buttons) => {
    for (const button of buttons) (button as unknown as { click(): void }).click();
  });
  await expect.poll(() => page.locator('.proof').count()).toBe(0);
  await page.setInputFiles('#proof-folder', folder);
  await page.waitForSelector('.proof');
  return verdictOf(page);
}

/** Verifies a folder of tiles, and forgeries of it. Returns the folder and its public key. */
async function tryTiles(page: Page) {
  const { folder, key } = await tiled();
  await page.fill('#public-key', key);
  expect(await chooseFolder(page, folder)).toBe('Verified');
  expect(await page.locator('.steps li[data-outcome=ok]').count()).toBe(5);
  expect(await page.innerText('.steps')).toContain(`${ORDERS} events`);
  expect(await page.innerText('.facts')).toMatch(/Files verified\s+6/);
  expect(await page.innerText('.limits')).toContain('a folder is a copy');
  const paths = [
    'checkpoint',
    ...['tile/0/000', 'tile/0/001.p/194', 'tile/1/000.p/1'],
    ...['tile/entries/000', 'tile/entries/001.p/194'],
  ];
  // By day the checkpoint, a tile of hashes and one of entries.
  for (const path of partByDay(paths, 2)) {
    const forged = join(temporaryFolder(), 'tiles');
    cpSync(folder, forged, { recursive: true });
    const bytes = readFileSync(join(forged, path));
    bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30);
    writeFileSync(join(forged, path), bytes);
    expect(await chooseFolder(page, forged), path).toBe('Refused');
    expect(await page.innerText('.proof .reason')).toContain(path);
    if (path === 'checkpoint') continue;
    rmSync(join(forged, path));
    expect(await chooseFolder(page, forged), path).toBe('Refused');
    expect(await page.innerText('.proof .reason')).toContain(path);
  }
  await page.setInputFiles('#proof-folder', join(folder, 'tile'));
  await page.waitForSelector('text=tile is no folder of tiles');
  return { folder, key };
}

/** Drops folders and files as a person does: the browser reads them from the disk. */
async function dropFolder(page: Page, ...paths: readonly string[]): Promise<void> {
  await dropData(page, '.drop', { items: [], files: [...paths] });
}

async function dropText(page: Page, selector: string, text: string): Promise<void> {
  await dropData(page, selector, { items: [{ mimeType: 'text/plain', data: text }], files: [] });
}

async function dropData(
  page: Page,
  selector: string,
  dropped: { items: { mimeType: string; data: string }[]; files: string[] },
): Promise<void> {
  await page.locator(selector).scrollIntoViewIfNeeded();
  const box = await page.locator(selector).boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { ...dropped, dragOperationsMask: 1 };
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10];
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
  }
  await session.detach();
}

/** Verifies an export and forgeries of it. */
async function tryExport(page: Page): Promise<void> {
  const { text, key } = await exported();
  await page.fill('#public-key', key);
  await drop(page, `witness W ${WITNESS.verifierKey}\nquorum W\n`);
  await page.waitForSelector(
    '.proof[aria-label="Policy of witnesses"][data-verdict="Not complete"]',
  );
  await drop(page, text, 'trail.ndjson');
  await page.waitForSelector('.proof[aria-label^=Export][data-verdict="Not complete"]');
  await page.click('text=Remove Policy of witnesses');
  await page.waitForSelector('.proof[data-verdict=Verified]');
  const lines = text.trimEnd().split('\n');
  expect(await page.locator('.steps li[data-outcome=ok]').count()).toBe(4);
  await page.waitForSelector(`text=${ORDERS} events`);
  await expect.poll(() => page.innerText('tbody')).toContain('OrderPlaced');
  await page.locator('.scroller').evaluate((list) => {
    (list as unknown as { scrollTop: number }).scrollTop = 1e9;
  });
  await expect.poll(() => page.innerText('tbody')).toContain(String(ORDERS));
  const without = (at: number) => `${lines.toSpliced(at, 1).join('\n')}\n`;
  const changed = (from: string, to: string) => text.replace(from, to);
  const forgeries: readonly (readonly [text: string, reason: RegExp])[] = [
    [without(lines.length - 1), /the seal.* is missing/],
    [without(300), /^Because position 300: it is missing/],
    [text.slice(0, 20_000), /the last line is cut off/],
    [`${lines.slice(0, 100).join('\n')}\n`, /the log ends at position 99/],
    [changed('"petId":"7","quantity":1', '"petId":"8","quantity":1'), /has another root for these/],
    [changed('"commandid"', '"keyname":"other","commandid"'), /the seal: it is of other lines/],
  ];
  // By day those of the seal, of a text that is cut off, and of a changed event.
  for (const [forged, reason] of partByDay(forgeries, 2)) {
    await expectRefused(page, forged, reason);
  }
}

describe.skipIf(CHROMIUM === undefined)('The page of proofs', () => {
  it('verifies a receipt without an API key, and refuses forged ones with a reason', async () => {
    const { page, wrong } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    await expectAccessible(page, 'proof-empty');
    await tryReceipt(page);
    await expectAccessible(page, 'proof-refused');
    expect(wrong).toEqual([]);
  });

  it('verifies a receipt in its other form, and the witnesses of a policy', async () => {
    const { page, wrong } = await on.open('/proof');
    await page.fill('#public-key', (await asked('/public-key')).trim());
    const { address, key } = on.service;
    const headers = { ...bearer(key), Accept: 'text/plain' };
    const answer = await fetch(`${address}/v2/store/orders/7/receipt`, { headers });
    const receipt = await answer.text();
    await drop(page, receipt);
    await page.waitForSelector('.proof[data-verdict=Verified]');
    await drop(page, `witness W ${WITNESS.verifierKey}\nquorum W\n`);
    await page.waitForSelector('.proof[data-verdict=Refused]');
    expect(await page.innerText('.proof .reason')).toBe(
      'Because no quorum of witnesses has cosigned: W did not.',
    );
    await page.click('text=Remove Receipt');
    const [, text = ''] = receipt.split('\n\n');
    await drop(page, receipt + WITNESS.cosign(`${text}\n`, 1_800_000_000));
    await page.waitForSelector('.proof[data-verdict=Verified]');
    expect(await page.innerText('.steps')).toContain('Witness W (w1.example) had seen this state');
    await page.click('.given li:last-child button');
    const checkpoint = await asked('/v2/store/checkpoint');
    await drop(page, checkpoint);
    await page.waitForSelector('.proof[aria-label^="Witnesses at"][data-verdict=Refused]');
    await expectAccessible(page, 'proof-witnesses');
    expect(wrong).toEqual([]);
  });

  it('checks all that is dropped, and replaces neither a key nor a policy', async () => {
    const { page, wrong } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    await tryCompany(page);
    await tryWhileOneIsRead(page);
    for (const tried of [tryDroppedText, tryCheckpoints, tryOtherLog, tryEdited]) {
      await page.reload();
      await page.waitForSelector('#public-key');
      await tried(page);
    }
    expect(wrong).toEqual([]);
  });

  it('fills an empty field with a dropped key, and says that it was dropped', async () => {
    const { page } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    const receipt = await asked('/v2/store/orders/7/receipt');
    const key = await asked('/public-key');
    await dropAll(page, { receipt, key, other: OTHER_KEY });
    await page.waitForSelector('[data-state=added_key]');
    expect(await page.inputValue('#public-key')).toBe(key.trim());
    await expectVerdicts(page, { 'Receipt receipt': 'Verified', 'Public key': 'Not complete' });
    await page.fill('#public-key', OTHER_KEY);
    await expectVerdicts(page, { 'Receipt receipt': 'Refused', 'Public key': 'Not complete' });
  });

  it('verifies an export, lists its events, and refuses forged ones with a reason', async () => {
    const { page, wrong } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    await tryExport(page);
    expect(wrong).toEqual([]);
  });

  it('verifies a folder of tiles, and names the file that was changed or is missing', async () => {
    const { page, wrong } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    const { folder, key } = await tryTiles(page);
    await expectAccessible(page, 'proof-tiles');
    await page.reload();
    await page.fill('#public-key', key);
    await dropFolder(page, folder);
    await page.waitForSelector('.proof[data-verdict=Verified]');
    expect(await page.innerText('.given')).toContain('Tiles tiles');
    expect(wrong).toEqual([]);
  });

  it('works offline once it is loaded, and sends nothing', async () => {
    const [receipt, key] = [await asked('/v2/store/orders/7/receipt'), await asked('/public-key')];
    const { page } = await on.open('/proof');
    await page.waitForSelector('#public-key');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await on.context.setOffline(true);
    await page.fill('#public-key', key.trim());
    await page.fill('#proof-text', receipt);
    await page.click('text=Add the text');
    await page.waitForSelector('.proof[data-verdict=Verified]');
    await on.context.setOffline(false);
    expect(requests).toEqual([]);
    await expectAccessible(page, 'proof-receipt');
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('.material')).toBe(false);
    expect(await page.isVisible('.steps')).toBe(true);
  });

  it('shows no more events of a file that has changed since it was verified', async () => {
    const { page, wrong } = await on.open('/proof');
    const { text, key } = await exported();
    const file = join(temporaryFolder(), 'trail.ndjson');
    writeFileSync(file, text);
    await page.fill('#public-key', key);
    await page.setInputFiles('#proof-files', file);
    await page.waitForSelector('.proof[data-verdict=Verified]');
    await expect.poll(() => page.innerText('tbody')).toContain('OrderPlaced');
    writeFileSync(file, text.replaceAll('"OrderPlaced"', '"OrderSold!!"'));
    await page.locator('.scroller').evaluate((list) => {
      (list as unknown as { scrollTop: number }).scrollTop = 1e9;
    });
    await page.waitForSelector('[data-state=file_changed] >> text=Choose the file again');
    expect(await page.innerText('tbody')).not.toContain('OrderSold');
    await expectAccessible(page, 'proof-changed');
    expect(wrong).toEqual([]);
  });

  it('remembers the public key for the tab only if that is asked for, and warns of one of the service', async () => {
    const { page } = await on.open('/proof');
    await page.click('text=Use this service');
    await page.waitForSelector('[data-state=own_key]');
    const key = await page.inputValue('#public-key');
    await page.reload();
    expect(await page.inputValue('#public-key')).toBe('');
    await page.fill('#public-key', key);
    await page.check('text=Remember it in this tab');
    await page.reload();
    expect(await page.inputValue('#public-key')).toBe(key);
  });

  it('shows the receipt of an event that the address names, and is reached by g and p', async () => {
    const { page, wrong } = await on.open('/proof?position=2');
    await page.waitForSelector('[data-state=no_key]');
    await page.click('nav >> text=Orders');
    await typeKey(page, on.service.key);
    await page.click('h1');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.waitForURL(`${on.service.address}/console/proof`);
    await page.goto(`${on.service.address}/console/orders/7`);
    await typeKey(page, on.service.key);
    await page.click('text=Unfold all');
    const links = page.locator('text=Verify the receipt');
    await expect.poll(() => links.count()).toBe(2);
    await links.last().click();
    await page.waitForURL(`${on.service.address}/console/proof?position=2`);
    await page.click('text=Use this service');
    await page.waitForSelector('.proof[data-verdict=Verified]');
    await expectAccessible(page, 'proof-position');
    expect(wrong).toEqual([]);
  });

  it('compares two checkpoints, with a proof from the service', async () => {
    const older = await asked('/v2/store/checkpoint');
    await using beside = new Beside(on.service.databaseFile);
    await beside.place([{ id: 8n, petId: 9n }]);
    await expect.poll(() => asked('/v2/store/checkpoint')).toContain('\n3\n');
    const newer = await asked('/v2/store/checkpoint');
    const { page } = await on.enter('/key');
    await page.click('nav >> text=Proof');
    await page.fill('#public-key', (await asked('/public-key')).trim());
    await drop(page, newer);
    await drop(page, older);
    await page.waitForSelector('.proof[data-verdict="Not complete"]');
    await page.click('text=Get it from this service');
    await page.waitForSelector('.proof[data-verdict=Verified]');
    expect(await page.innerText('.steps')).toContain('begins with that of the older one');
  });
});

describe.skipIf(CHROMIUM === undefined)('The verifier in one file', () => {
  it('is downloaded from the page, which shows its digest, as the guide does', async () => {
    const digest = hash('sha256', readFileSync(VERIFIER));
    const { page } = await on.open('/proof');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=store-orders-verifier.html'),
    ]);
    expect(download.suggestedFilename()).toBe('store-orders-verifier.html');
    expect(hash('sha256', readFileSync(await download.path()))).toBe(digest);
    expect(await page.innerText('.sha256')).toBe(digest);
    expect(readFileSync('docs/console.md', 'utf8')).toContain(
      `${digest}  store-orders-verifier.html`,
    );
    const { headers } = await on.service.ask('GET', '/console/store-orders-verifier.html');
    expect(headers['content-disposition']).toMatch(/^attachment; /);
  });

  it('does the same from a disk, without a network', async () => {
    const file = join(temporaryFolder(), 'store-orders-verifier.html');
    writeFileSync(file, readFileSync(VERIFIER));
    const context = await on.browser.newContext({ offline: true });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(`${error}`));
    page.on('request', (request) => wrong.push(request.url()));
    const address = pathToFileURL(file).href;
    await page.goto(address);
    await tryReceipt(page);
    await page.reload();
    await tryExport(page);
    await page.reload();
    const { folder } = await tryTiles(page);
    const receipt = join(temporaryFolder(), 'receipt');
    writeFileSync(receipt, '{}');
    await dropFolder(page, folder, receipt);
    await page.waitForSelector('text=choose it instead');
    await page.waitForSelector('.proof[aria-label="Receipt receipt"][data-verdict=Refused]');
    await expectAccessible(page, 'verifier');
    expect(wrong.filter((text) => text !== address)).toEqual([]);
    await context.close();
  });
});
