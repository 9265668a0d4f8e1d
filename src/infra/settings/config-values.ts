/** The values that settings are made of: schemas that read the text of a variable. */
import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * Makes the schema of a whole number in a range, in decimal digits.
 * @param words What it must be, in front of the range in a message.
 */
export function numberFrom(min: 0 | 1, max: number, words = 'a whole number from') {
  const error = `must be ${words} ${min} to ${max}`;
  const digits = z.string().regex(/^(?:0|[1-9]\d*)$/, error);
  return digits.transform(Number).refine((value) => value >= min && value <= max, error);
}

/** Makes the schema of a number of seconds, which becomes one of milliseconds. */
export function secondsFrom(min: 0 | 1, max: number) {
  const seconds = numberFrom(min, max, 'a whole number of seconds from');
  return seconds.transform((value) => value * 1_000);
}

/** Makes the schema of a number of milliseconds up to a minute. */
export function millisecondsFrom(min: 0 | 1) {
  return numberFrom(min, 60_000, 'a whole number of milliseconds from');
}

/** Makes the schema of a port. */
export const port = numberFrom(0, 65_535, 'a number from');

const NO_HOST =
  'must be a host name or an address such as 0.0.0.0 or ::1, without brackets and without a port';

/** An address to listen on, or a name that is looked up. */
export const host = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[\p{L}\p{M}\p{N}_.-]+$/u.test(text), NO_HOST);

/** The public address of the API. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
  .refine((url) => new URL(url).pathname.endsWith('/v1'), 'must end in /v1')
  .refine((url) => !/[?#]/.test(url), 'must have neither a query nor a fragment')
  // It stands in the public description, and in the headers of pages.
  .refine((url) => !new URL(url).href.includes('@'), 'must have neither a user nor a password');

const NO_LOG_ORIGIN =
  'must be an address without https://, such as shop.example.com/orders: at most 200 characters, no + or blank, and no / at its end';

/** The name of a log, as C2SP tlog-checkpoint recommends: a URL without its scheme. */
export const logOrigin = z.string().refine(isLogOrigin, NO_LOG_ORIGIN);

const MAX_LOG_ORIGIN = 200;

function isLogOrigin(text: string): boolean {
  const url = `https://${text}`;
  if (text.length > MAX_LOG_ORIGIN || /[+\s@?#]|\/$/.test(text) || !URL.canParse(url)) return false;
  // As the URL is written in its one form, but for the path of a mere host.
  return new URL(url).href.replace(/^(https:\/\/[^/]+)\/$/, '$1') === url;
}

// An origin as browsers send it (RFC 6454): anything else would never match one.
const origin = z
  .string()
  .trim()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text, {
    error: 'must be origins such as https://shop.example.com, separated by commas',
  });

/** Origins, separated by commas, each once. */
export const origins = listOf(origin).transform((list) => [...new Set(list)]);

const proxy = z.string().trim().refine(isNetwork, {
  error:
    'must be addresses and networks such as 10.0.0.7, fd00::/8 or loopback, separated by commas',
});

/** Addresses and networks, separated by commas. */
export const proxies = listOf(proxy);

/** Makes the schema of values that are separated by commas. */
function listOf(each: typeof origin) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(each));
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
  const isPrefix =
    prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && isPrefix && rest.length === 0;
}

/** Returns true if only programs of this machine reach the host. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}
