import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../support/chromium.ts';
import { ProofLog } from '../../support/proof-log.ts';
import { Service } from '../../support/service.ts';

/** The same program in every runtime that is found: docs/client.md lists them. */

const CLIENT = resolve('dist/client/client.js');
const MAIN = resolve('test/e2e/client/main.js');
const run = promisify(execFile);

const EXPECTED = {
  place: ['9007199254740993', 'pending', '1970-01-01T00:00:00.000Z', true],
  list: [
    ['9007199254740993', 'pending'],
    ['9007199254740993', 'cancelled'],
  ],
  v1: ['9007199254740993'],
  refusal: [true, 'order_cancelled', 409],
  requestId: 'string',
  follow: [['OrderCancelled', true]],
  receipt: [true, 'OrderCancelled'],
  aborted: 'aborted',
  retries: [],
};

let pages: Server;
let service: Service;
let publicKey: string;
let browser: Browser | undefined;

/** Serves the client and the program to a page, as a web application would, on an origin of its own. */
beforeAll(async () => {
  pages = createServer((req, res) => {
    const name = new URL(req.url ?? '', 'http://localhost').pathname;
    if (name === '/service-worker.js') {
      res.setHeader('Content-Type', 'text/javascript').end(SERVICE_WORKER);
      return;
    }
    const file =
      name === '/program.js' ? resolve('test/e2e/client/program.js') : resolve(`dist${name}`);
    const isThere = /^\/[\w/.-]+\.js$/.test(name) && existsSync(file);
    res.setHeader('Content-Type', isThere ? 'text/javascript' : 'text/html');
    res.end(isThere ? readFileSync(file) : '<!doctype html><title>A shop</title>');
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  service = await Service.start({ CORS_ORIGINS: origin() });
  publicKey = (await service.ask('GET', '/public-key')).text;
});
afterAll(async () => {
  await browser?.close();
  pages.close();
  await service[Symbol.asyncDispose]();
});

function origin(): string {
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}

/** Returns the first program of a name on the PATH of the machine whose version fits. */
function found(name: string, version: RegExp): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const files = [process.env[name.toUpperCase()], ...folders, `/usr/bin/${name}`];
  return files.find((file): file is string => {
    if (file === undefined || !existsSync(file)) return false;
    return version.test(execFileSync(file, ['--version'], { encoding: 'utf8' }));
  });
}

const PROGRAMS: readonly (readonly [
  name: string,
  file: string | undefined,
  args: readonly string[],
])[] = [
  ['Node.js 24', process.execPath, []],
  ['Node.js 20', found('node', /^v20\./), []],
  [
    'Deno',
    found('deno', /^deno /),
    ['run', '--no-prompt', '--allow-net=127.0.0.1', '--allow-read'],
  ],
  ['Bun', found('bun', /^\d/), []],
];

for (const [name, file, args] of PROGRAMS) {
  const title = file === undefined ? `SKIPPED, for want of it: ${name}` : name;
  test.skipIf(file === undefined)(`The client runs in ${title}`, async () => {
    const given = [
      ...args,
      MAIN,
      pathToFileURL(CLIENT).href,
      service.address,
      service.key,
      publicKey,
    ];
    const { stdout } = await run(file as string, given, { timeout: 60_000 });
    expect(JSON.parse(stdout)).toStrictEqual(EXPECTED);
  });
}

const IN_A_PAGE = `
  const { useClient } = await import('/program.js');
  return useClient(await import('/client/client.js'), ...given);`;
const IN_A_WORKER = `
  const code = \`onmessage = async ({ data }) => {
    const { useClient } = await import(location.origin + '/program.js');
    postMessage(await useClient(await import(location.origin + '/client/client.js'), ...data));
  }\`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
  const answer = new Promise((done, fail) => {
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = ({ message }) => fail(new Error(message));
  });
  worker.postMessage(given);
  return answer;`;

/** A service worker cannot import anything once it runs. */
const SERVICE_WORKER = `
  import * as client from '/client/client.js';
  import { verifyReceipt } from '/client/receipt-verifier.js';
  import { useClient } from '/program.js';
  onmessage = ({ data: [given, hasVerifier], ports: [port] }) =>
    useClient(client, ...given, hasVerifier ? verifyReceipt : undefined)
      .catch(({ name, code }) => [name, code])
      .then((answer) => port.postMessage(answer));`;
const inAServiceWorker = (hasVerifier: boolean) => `
  await navigator.serviceWorker.register('/service-worker.js', { type: 'module' });
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((done) => { port1.onmessage = ({ data }) => done(data); });
  active.postMessage([given, ${hasVerifier}], [port2]);
  return answer;`;

test.skipIf(CHROMIUM === undefined).each([
  ['a page', IN_A_PAGE],
  ['a worker', IN_A_WORKER],
  ['a service worker', inAServiceWorker(true)],
])('The client runs in %s of Chromium, from another origin', async (_, code) => {
  const page = await newPage();
  await page.goto(`${origin()}/`);
  const given = [service.address, service.key, publicKey];
  expect(await evaluated(page, code, given)).toStrictEqual(EXPECTED);
});

async function newPage(): Promise<Page> {
  browser ??= await launchChromium();
  return browser.newPage();
}

function evaluated(page: Page, code: string, given: readonly string[]): Promise<unknown> {
  return page.evaluate(`(async () => { const given = ${JSON.stringify(given)}; ${code} })()`);
}

describe.skipIf(CHROMIUM === undefined)('Verifying ends with an error of the client', () => {
  test('in a service worker that has not been given the verifier', async () => {
    const page = await newPage();
    await page.goto(`${origin()}/`);
    const given = [service.address, service.key, publicKey];
    const failure = await evaluated(page, inAServiceWorker(false), given);
    expect(failure).toStrictEqual(['StoreOrdersError', 'network']);
  });

  test('in a page without https, which has no Web Cryptography', async () => {
    const page = await newPage();
    await page.route('http://shop.example/**', async (route) => {
      const url = route.request().url().replace('http://shop.example', origin());
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto('http://shop.example/');
    const log = new ProofLog(3);
    const code = `
      const { StoreOrders } = await import('/client/client.js');
      const fetch = async () => new Response(given[0]);
      const receipt = new StoreOrders({ url: location.origin, key: 'key', fetch }).receipt({ position: '3' });
      return receipt.verify(given[1]).catch(({ name, code }) => [name, code]);`;
    const failure = await evaluated(page, code, [await log.receipt(3), log.vkey]);
    expect(failure).toStrictEqual(['StoreOrdersError', 'invalid_request']);
  });
});
