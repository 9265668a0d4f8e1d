import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { sendBytes } from '../../support/http.ts';
import { isNightly } from '../../support/nightly.ts';
import { Service } from '../../support/service.ts';

const LIST = '/v1/store/orders';

/** Ways to write a text that whoever reads it can undo. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  percent: (text) => encodeURIComponent(text),
  'percent, each character': (text) => escaped(text, (hex) => `%${hex}`),
  'percent, every other': (text) =>
    [...text].map((char, n) => (n % 2 ? escaped(char, (hex) => `%${hex}`) : char)).join(''),
  'percent, only _': (text) => text.replaceAll('_', '%5f'),
  'unicode escapes': (text) => escaped(text, (hex) => `\\u00${hex}`),
  entities: (text) => escaped(text, (hex) => `&#x${hex};`),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  quoted: (text) => `"${text}"`,
  Basic: (text) => `Basic ${Buffer.from(`key:${text}`).toString('base64')}`,
};

function escaped(text: string, write: (hex: string) => string): string {
  return [...text].map((char) => write(char.charCodeAt(0).toString(16).padStart(2, '0'))).join('');
}

/** Parts of a key that still give away more than 16 characters of its secret. */
const PARTS: Readonly<Record<string, (key: string) => string>> = {
  whole: (key) => key,
  'without its prefix': (key) => key.slice(4),
  'its secret': (key) => key.slice(15),
  'cut short': (key) => key.slice(0, 40),
  'its end': (key) => key.slice(-30),
  'with more around it': (key) => `x${key}x`,
  twice: (key) => key + key,
};

/** Requests as bytes, with something in some place. `Host` and the end are added. */
const PLACES: Readonly<Record<string, (it: string, authorization: string) => string>> = {
  target: (it) => `GET /${it} HTTP/1.1`,
  segment: (it) => `GET ${LIST}/${it} HTTP/1.1`,
  'segment before others': (it) => `DELETE /v1/${it}/receipt HTTP/1.1`,
  'malformed segment': (it) => `GET ${LIST}/%zz${it} HTTP/1.1`,
  query: (it) => `GET ${LIST}?key=${it} HTTP/1.1`,
  'name in the query': (it) => `GET /v2/store/orders?${it}=1&a=b HTTP/1.1`,
  'value in the query': (it) => `GET /v2/store/orders?asOf=${it}&after=${it}&limit=${it} HTTP/1.1`,
  fragment: (it) => `GET ${LIST}#${it} HTTP/1.1`,
  'absolute form': (it) => `GET http://${it}:${it}@x/${it}?${it} HTTP/1.1`,
  'absolute form with a port of no sense': (it) => `GET http://${it}:99999/ HTTP/1.1`,
  'authority form': (it) => `CONNECT ${it}:443 HTTP/1.1`,
  method: (it) => `${it} / HTTP/1.1`,
  version: (it) => `GET / ${it}/1.1`,
  Authorization: (it) => `GET ${LIST} HTTP/1.1\r\nAuthorization: ${it}`,
  'Authorization, as a bearer': (it) => `GET ${LIST} HTTP/1.1\r\nAuthorization: Bearer ${it}`,
  'Authorization, folded': (it) =>
    `GET ${LIST} HTTP/1.1\r\nAuthorization: Bearer ${it.slice(0, 25)}\r\n ${it.slice(25)}`,
  'header, folded': (it) => `GET ${LIST} HTTP/1.1\r\nX-A: ${it.slice(0, 25)}\r\n\t${it.slice(25)}`,
  'name of a header': (it) => `GET ${LIST} HTTP/1.1\r\n${it}: 1`,
  'line without a colon': (it) => `GET ${LIST} HTTP/1.1\r\n${it}`,
  host: (it) => `GET / HTTP/1.1\r\nHost: ${it}`,
  origin: (it) =>
    `OPTIONS ${LIST} HTTP/1.1\r\nOrigin: ${it}\r\nAccess-Control-Request-Method: ${it}`,
  upgrade: (it) => `GET ${LIST} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: ${it}`,
  ...Object.fromEntries(
    [
      'Idempotency-Key',
      'If-None-Match',
      'If-Match',
      'X-Request-Id',
      'Referer',
      'User-Agent',
      'Accept',
      'Accept-Encoding',
      'Content-Type',
      'Content-Encoding',
      'Cookie',
      'X-Api-Key',
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'Last-Event-ID',
      'Range',
      'Expect',
      'Transfer-Encoding',
      'Content-Length',
      'traceparent',
    ].map((name) => [
      name,
      (it: string, authorization: string) =>
        `POST ${LIST} HTTP/1.1\r\n${authorization}\r\n${name}: ${it}`,
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        ['body', (it) => it],
        ['name of a property', (it) => `{"petId": 1, ${JSON.stringify(it)}: 1}`],
        ['value', (it) => `{"petId": ${JSON.stringify(it)}, "quantity": 1}`],
        ['broken body', (it) => `{"shipDate": ${it}`],
        ['body with a word', (it) => `{"a": tru ${it}}`],
      ] as [string, (it: string) => string][]
    ).map(([name, write]) => [
      name,
      (it: string, authorization: string) => {
        const body = write(it);
        const length = `Content-Length: ${Buffer.byteLength(body)}`;
        const type = 'Content-Type: application/json';
        return `POST ${LIST} HTTP/1.1\r\n${authorization}\r\n${type}\r\n${length}\r\nHost: x\r\nConnection: close\r\n\r\n${body}`;
      },
    ]),
  ),
};

/** A text with all that can be undone undone, again and again, in small letters. */
function readings(text: string): readonly string[] {
  const undone = [text];
  for (let depth = 0; depth < 4; depth++) {
    const last = undone.at(-1) as string;
    undone.push(
      last
        .replaceAll(/%([0-9a-f]{2})/gi, fromHex)
        .replaceAll(/\\+u00([0-9a-f]{2})/gi, fromHex)
        .replaceAll(/&#x([0-9a-f]{2});/gi, fromHex),
    );
  }
  const runs = undone.flatMap((reading) => reading.match(/[\w+/-]{20,}/g) ?? []);
  const decoded = [...new Set(runs)].flatMap((run) => {
    const hex = /^[0-9a-f]+$/i.test(run) ? [Buffer.from(run, 'hex').toString('latin1')] : [];
    return [Buffer.from(run, 'base64').toString('latin1'), ...hex];
  });
  return [...undone, ...decoded].map((reading) => reading.toLowerCase());
}

function fromHex(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Which 16 characters in a row of a key's secret a text gives away. */
function givenAway(key: string, text: string): string | undefined {
  const secret = key.slice(15).toLowerCase();
  const windows = Array.from({ length: secret.length - 15 }, (_, at) => secret.slice(at, at + 16));
  for (const reading of readings(text)) {
    const found = windows.find((window) => reading.includes(window));
    if (found !== undefined) return found;
  }
  return undefined;
}

function requestOf(place: string, text: string, authorization: string): string {
  const head = (PLACES[place] as (it: string, authorization: string) => string)(
    text,
    authorization,
  );
  if (head.includes('\r\n\r\n')) return head;
  const host = head.includes('\r\nHost:') ? '' : 'Host: x\r\n';
  return `${head}\r\n${host}Connection: close\r\n\r\n`;
}

const arbitraryPart = fc.constantFrom(...Object.keys(PARTS));
const arbitraryEncodings = fc.array(fc.constantFrom(...Object.keys(ENCODINGS)), { maxLength: 3 });

it('A key is nowhere repeated and nowhere written, wherever and however a client sends it', async () => {
  await using service = await Service.start({ LOG_LEVEL: 'trace', AUTH_FAILURES_PER_MINUTE: '0' });
  const { key, address } = service;
  const valid = `Authorization: Bearer ${key}`;
  const run = async (place: string, part: string, encodings: readonly string[], which: string) => {
    const text = encodings.reduce(
      (written, name) => (ENCODINGS[name] as (text: string) => string)(written),
      (PARTS[part] as (key: string) => string)(which),
    );
    const received = await sendBytes(address, requestOf(place, text, valid));
    expect(givenAway(which, received), `${place}, ${part}, ${encodings}`).toBeUndefined();
    return received;
  };
  // By day a third of them in each place, and another third in the next one.
  const isDue = (index: number, place: number) => isNightly || (index + place) % 3 === 0;
  for (const [at, place] of Object.keys(PLACES).entries()) {
    const parts = Object.keys(PARTS).filter((_, index) => isDue(index, at));
    for (const part of parts) await run(place, part, [], key);
    const encodings = Object.keys(ENCODINGS).filter((_, index) => isDue(index, at));
    for (const encoding of encodings) await run(place, 'whole', [encoding], key);
  }
  const unknown = mintKeyText();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(PLACES)),
      arbitraryPart,
      arbitraryEncodings,
      fc.constantFrom(key, unknown),
      async (...asked) => void (await run(...asked)),
    ),
    { numRuns: isNightly ? 500 : 150 },
  );
  expect(await service.program.end()).toBe(0);
  const { stdout, stderr } = service.program;
  expect(stdout.split('\n').length).toBeGreaterThan(isNightly ? 500 : 300);
  const refusals = readFileSync(`${service.databaseFile}-refusals`, 'latin1');
  for (const secret of [key, unknown]) {
    for (const text of [stdout, stderr, refusals]) expect(givenAway(secret, text)).toBeUndefined();
  }
});
